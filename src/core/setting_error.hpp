#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace gothic {

/// A setting of a force, a simulation or a device that cannot be taken. what() names settings as
/// Python does, "list_capacity".
class SettingError : public std::runtime_error {
 public:
  /// \param setting its name, with underscores
  /// \param problem what is wrong and the remedy; names of settings stand in braces, "{sharing}"
  /// \param value told with the name where it helps
  SettingError(std::string setting, std::string problem, std::string value = {})
      : std::runtime_error(text(setting, problem, value, [](std::string name) { return name; })),
        setting_(std::move(setting)),
        problem_(std::move(problem)),
        value_(std::move(value)) {}

  /// One line for readers that know settings by other names.
  /// \param name_of turns the name of a setting into theirs, such as "--list-capacity"
  template <class NameOf>
  std::string message(NameOf name_of) const {
    return text(setting_, problem_, value_, name_of);
  }

 private:
  template <class NameOf>
  static std::string text(const std::string& setting, const std::string& problem,
                          const std::string& value, NameOf name_of) {
    std::string result = name_of(setting) + (value.empty() ? "" : " " + value) + ": ";
    for (std::size_t at = 0; at < problem.size();) {
      const std::size_t open = problem.find('{', at), close = problem.find('}', open);
      result += problem.substr(at, open - at);
      if (close == std::string::npos) break;
      result += name_of(problem.substr(open + 1, close - open - 1));
      at = close + 1;
    }
    return result;
  }

  std::string setting_, problem_, value_;
};

}  // namespace gothic
