#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "settings/option_table.hpp"

namespace gothic {

/// How messages write the name of an option: --dt-max or dt_max.
enum class Spelling { command_line, python };

/// A value that was given, in the words of a command line; several where the option is a list.
struct GivenOption {
  static constexpr const char* on_command_line = "command line";

  std::string name;
  std::vector<std::string> values;
  std::string origin = on_command_line;  ///< or FILE:LINE
};

/// Values of the options of a command, or of the function of Python that stands for it.
///
/// Options that were not given have their default. Where there is no default, and for options of
/// other commands, the value is 0 or empty.
class Options {
 public:
  /// \param given each option once at most
  /// \throws InputError for an option that the command does not have, a value that it does not
  ///         take, and two options that exclude each other
  Options(const Command& command, const std::vector<GivenOption>& given,
          Spelling spelling = Spelling::command_line);

  /// Throws InputError where an option is missing that the command needs.
  void require_complete() const;

  const Command& command() const { return *command_; }
  /// Whether the command has the option, and whether it was given.
  bool has(std::string_view name) const { return command_->find(name) != nullptr; }
  /// Whether the command has the option, but its function of Python does not.
  bool lacks(std::string_view name) const { return has(name) && !offers(*command_->find(name)); }
  bool given(std::string_view name) const { return given_.contains(std::string(name)); }
  /// Whether the option, which has one default, has another value.
  bool is_changed(std::string_view name) const;

  /// As on a command line; the values of a list are joined by commas.
  std::string text(std::string_view name) const;
  double number(std::string_view name) const;
  /// A length or time, and a list of them, in some units. Throws InputError where these are model
  /// units and a value has a unit of its own.
  double quantity(std::string_view name, const files::Units& units) const;
  std::vector<double> quantities(std::string_view name, const files::Units& units) const;
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// A duration in seconds.
  double seconds(std::string_view name) const;
  std::filesystem::path file(std::string_view name) const { return text(name); }

  /// The name as messages write it.
  std::string shown(std::string_view name) const;

  /// All options of the command by their names, as texts.
  std::map<std::string, std::string> values() const;
  /// Where the value of each option comes from: "command line", FILE:LINE or "default".
  std::map<std::string, std::string> origins() const;

 private:
  using Quantities = std::vector<files::Quantity>;

  /// The option with its values in plain spelling.
  GivenOption checked(GivenOption given) const;
  bool offers(const Option& option) const {
    return spelling_ == Spelling::command_line || option.python;
  }

  const Command* command_;
  Spelling spelling_;
  std::map<std::string, GivenOption> given_;
};

/// The option of a setting of the core: "--list-capacity" of "list_capacity".
std::string option_name(std::string setting);

/// Whether a restart must have the same value of an option. It must for names that are no options
/// of `gothic run`, such as the text of a file.
bool changes_course(const std::string& name);

}  // namespace gothic
