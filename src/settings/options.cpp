#include "settings/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/error.hpp"

namespace gothic {
Options::Options(const Command& command, const std::vector<GivenOption>& given, Spelling spelling)
    : command_(&command), spelling_(spelling) {
  for (const GivenOption& one : given) {
    given_[one.name] = checked(one);
  }
  for (const auto& [name, one] : given_) {
    const Option& option = *command_->find(name);
    for (const std::string& other : option.excludes) {
      if (text(name) == "false" || !this->given(other) || text(other) == "false") continue;
      throw InputError(shown(name) + " excludes " + shown(other) + "; leave out one of them");
    }
    const Option* const needed = command_->find(option.needs);
    if (needed != nullptr && offers(*needed) && !this->given(option.needs)) {
      throw InputError(shown(name) + " requires " + shown(option.needs) + "; give both or neither");
    }
  }
}

GivenOption Options::checked(GivenOption given) const {
  const Option* const option = command_->find(given.name);
  if (option == nullptr || !offers(*option)) {
    throw InputError(shown(given.name) + ": " + command_->name +
                     " has no such option; correct or remove it");
  }
  for (std::string& value : given.values) {
    const std::string refusal = option->refusal(value);
    if (!refusal.empty()) {
      const bool in_file = given.origin != GivenOption::on_command_line;
      throw InputError(fmt::format("{}{}: {}", shown(given.name),
                                   in_file ? " (" + given.origin + ")" : "", refusal));
    }
    value = option->plain(value);
  }
  return given;
}

void Options::require_complete() const {
  std::vector<std::string> choice;
  int chosen = 0;
  for (const Option& option : command_->options) {
    if (option.required && !given(option.name)) {
      throw InputError(shown(option.name) + " is required; see " + command_->name + " --help");
    }
    if (!option.one_of) continue;
    choice.push_back(shown(option.name));
    chosen += given(option.name) ? 1 : 0;
  }
  if (choice.empty() || chosen == 1) return;
  throw InputError(
      fmt::format("{}: {}; give one", fmt::join(choice, ", "),
                  chosen == 0 ? "one of them is required" : "they exclude each other"));
}

std::string Options::text(std::string_view name) const {
  const auto given = given_.find(std::string(name));
  if (given != given_.end()) return fmt::format("{}", fmt::join(given->second.values, ","));
  const Option* const own = command_->find(name);
  const Option& option = own != nullptr ? *own : any_option(name);
  if (option.default_by.empty()) return option.default_value;
  return option.defaults.at(text(option.default_by));
}

bool Options::is_changed(std::string_view name) const {
  return text(name) != any_option(name).default_value;
}

double Options::number(std::string_view name) const {
  return files::read_number(text(name)).value_or(0);
}

double Options::quantity(std::string_view name, const files::Units& units) const {
  const std::vector<double> values = quantities(name, units);
  return values.empty() ? 0 : values.front();
}

std::vector<double> Options::quantities(std::string_view name, const files::Units& units) const {
  const files::Dimension dimension = any_option(name).dimension();
  std::vector<double> values;
  for (const files::Quantity& one : read_quantities(text(name), dimension).value_or(Quantities())) {
    const auto value = one.in(units);
    if (!value) throw InputError(shown(name) + ": " + unit_refusal(text(name)));
    values.push_back(*value);
  }
  return values;
}

std::int64_t Options::integer(std::string_view name) const {
  return files::read_integer(text(name)).value_or(0);
}

bool Options::flag(std::string_view name) const { return text(name) == "true"; }

double Options::seconds(std::string_view name) const {
  return read_duration(text(name)).value_or(0);
}

std::string Options::shown(std::string_view name) const {
  const Option* const option = command_->find(name);
  std::string text(name);
  if (option != nullptr && option->positional) return text;
  if (spelling_ == Spelling::command_line) return "--" + text;
  std::ranges::replace(text, '-', '_');
  return text;
}

std::map<std::string, std::string> Options::values() const {
  std::map<std::string, std::string> values;
  for (const Option& option : command_->options) {
    if (offers(option)) values[option.name] = text(option.name);
  }
  return values;
}

std::map<std::string, std::string> Options::origins() const {
  std::map<std::string, std::string> origins;
  for (const Option& option : command_->options) {
    const auto given = given_.find(option.name);
    origins[option.name] = given != given_.end() ? given->second.origin : "default";
  }
  return origins;
}

std::string option_name(std::string setting) {
  std::ranges::replace(setting, '_', '-');
  return "--" + setting;
}

bool changes_course(const std::string& name) {
  const Option* const option = command_named("gothic run").find(name);
  return option == nullptr || option->course;
}

}  // namespace gothic
