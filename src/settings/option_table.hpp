#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/quantity.hpp"

namespace gothic {

/// What the value of an option is; numbers are a list.
enum class OptionType { number, integer, word, text, file, duration, flag, numbers };

/// An option of a command; the head of options.toml explains the members.
struct Option {
  std::string name, title, help, unit;
  OptionType type = OptionType::text;
  std::optional<double> above, least, most;
  std::vector<std::string> choices;
  std::string default_value;  ///< as on a command line; empty for none
  std::string default_by;     ///< name of the option on whose value the default depends
  std::map<std::string, std::string> defaults;  ///< by the value of that option
  std::vector<std::string> excludes;
  std::string needs;
  bool required = false, positional = false, written = false;
  bool one_of = false, python = false, course = true;

  /// The values that it takes, in words, such as "number above 0".
  std::string values() const;

  /// What it measures; its values may have a unit of that.
  files::Dimension dimension() const;

  /// A number without a unit in one spelling, other values as they are: 0.125 for 2^-3 and 1.25e-1.
  std::string plain(const std::string& text) const;

  /// Why it does not take a value as it stands on a command line, and the remedy, such as
  /// "-1 is no number above 0; correct it"; empty if it takes it.
  std::string refusal(const std::string& text) const;

  /// Why it does not take a value for particles in these units; empty if it takes it.
  std::string refusal(const std::string& text, const files::Units& units) const;
};

/// A command, such as "gothic bench walk", with its options in the order of its help.
struct Command {
  std::string name, help, about;
  std::vector<Option> options;

  /// Null where it has no such option.
  const Option* find(std::string_view option) const;
};

/// All commands of options.toml, in its order.
const std::vector<Command>& all_commands();

/// The command of that name. Throws std::logic_error where there is none.
const Command& command_named(std::string_view name);

/// The commands that follow the words of another one: "gothic run" follows "gothic".
std::vector<const Command*> subcommands(const Command& command);

/// The first option of that name in the table, of whichever command.
/// Throws std::logic_error where there is none: the program asks for what the table lacks.
const Option& any_option(std::string_view name);

/// Reads quantities with commas between them, at least one; nothing where the text is no such list.
std::optional<std::vector<files::Quantity>> read_quantities(const std::string& text,
                                                            files::Dimension dimension);
/// Why particles in model units do not take a value that has a unit.
std::string unit_refusal(const std::string& text);

/// Reads a time in seconds, such as 90, 90s, 30min, 2h or 1d; nothing where the text is none.
std::optional<double> read_duration(const std::string& text);

}  // namespace gothic
