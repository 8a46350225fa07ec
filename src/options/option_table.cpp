#include "options/option_table.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "files/text.hpp"

namespace gothic {

extern const char* const options_toml;  // the text of options.toml, which CMake puts in

namespace {

const std::map<std::string, OptionType> types = {
    {"number", OptionType::number},     {"integer", OptionType::integer},
    {"word", OptionType::word},         {"text", OptionType::text},
    {"file", OptionType::file},         {"files", OptionType::files},
    {"duration", OptionType::duration}, {"flag", OptionType::flag},
    {"numbers", OptionType::numbers}};

/// A value of the table as it stands on a command line.
std::string text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  if (const auto integer = node.value_exact<std::int64_t>()) return std::to_string(*integer);
  return files::shortest(node.value<double>().value());
}

Option read_option(const toml::table& heading, const toml::table& entry) {
  const auto node = [&](const char* key) {
    return entry.contains(key) ? entry.get(key) : heading.get(key);
  };
  const auto text = [&](const char* key) { return node(key) ? text_of(*node(key)) : ""; };
  const auto bound = [&](const char* key) {
    return node(key) ? node(key)->value<double>() : std::nullopt;
  };
  const auto truth = [&](const char* key, bool otherwise) {
    return node(key) ? node(key)->value<bool>().value() : otherwise;
  };
  Option option;
  option.name = text("name");
  option.title = text("title");
  option.help = text("help");
  option.unit = text("unit");
  option.type = types.at(text("type"));
  option.above = bound("above");
  option.least = bound("least");
  option.most = bound("most");
  if (const auto* choices = entry["choices"].as_array()) {
    for (const toml::node& choice : *choices) option.choices.push_back(text_of(choice));
  }
  option.default_by = text("default_by");
  if (const auto* defaults = entry["default"].as_table()) {
    for (const auto& [key, value] : *defaults) option.defaults[key.data()] = text_of(value);
  } else {
    option.default_value = text("default");
  }
  option.excludes = text("excludes");
  option.needs = text("needs");
  option.required = truth("required", false);
  option.positional = truth("positional", false);
  option.one_of = truth("one_of", false);
  option.python = truth("python", false);
  option.course = truth("course", true);
  return option;
}

/// The commands of a heading or, where it has its own, of one of its options.
std::vector<std::string> commands_of(const toml::table& heading, const toml::table& entry,
                                     const toml::table& sets) {
  std::vector<std::string> names;
  const toml::table& owner = entry.contains("commands") ? entry : heading;
  for (const toml::node& node : *owner["commands"].as_array()) {
    const std::string name = text_of(node);
    if (const auto* set = sets[name].as_array()) {
      for (const toml::node& member : *set) names.push_back(text_of(member));
    } else {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<Command> read_table() {
  const toml::table table = toml::parse(options_toml);
  std::vector<Command> commands;
  for (const toml::node& node : *table["command"].as_array()) {
    const toml::table& entry = *node.as_table();
    commands.push_back(
        {entry["name"].value_or(""), entry["help"].value_or(""), entry["about"].value_or(""), {}});
  }
  const toml::table& sets = *table["sets"].as_table();
  for (const toml::node& node : *table["heading"].as_array()) {
    const toml::table& heading = *node.as_table();
    for (const toml::node& option : *heading["option"].as_array()) {
      const toml::table& entry = *option.as_table();
      for (const std::string& name : commands_of(heading, entry, sets)) {
        const auto command = std::ranges::find(commands, name, &Command::name);
        if (command == commands.end()) throw std::logic_error("options.toml: no command " + name);
        command->options.push_back(read_option(heading, entry));
      }
    }
  }
  return commands;
}

bool is_within(const Option& option, double value) {
  return std::isfinite(value) && (!option.above || value > *option.above) &&
         (!option.least || value >= *option.least) && (!option.most || value <= *option.most);
}

}  // namespace

std::string Option::values() const {
  std::string words;
  for (const std::string& choice : choices) words += (words.empty() ? "" : ", ") + choice;
  std::string range;
  if (above) range = " above " + files::shortest(*above);
  if (least) range = " of at least " + files::shortest(*least);
  if (least && most) {
    range = " from " + std::to_string(std::int64_t(*least)) + " to " +
            std::to_string(std::int64_t(*most));
  }
  const std::string noun = unit.empty() ? "number" : unit;
  switch (type) {
    case OptionType::number:
      return noun + range + (words.empty() ? "" : " or " + words);
    case OptionType::integer:
      return words.empty() ? "integer" + range : words;
    case OptionType::word:
      return words;
    case OptionType::duration:
      return "time" + range + ", with s, min, h or d";
    case OptionType::flag:
      return "true, false";
    case OptionType::numbers:
      return noun + "[," + noun + "...]";
    case OptionType::file:
      return "file";
    case OptionType::files:
      return "file ...";
    default:
      return "text";
  }
}

bool Option::takes(const std::string& text) const {
  const bool is_choice = std::ranges::find(choices, text) != choices.end();
  switch (type) {
    case OptionType::number: {
      const auto value = read_number(text);
      return is_choice || (value && is_within(*this, *value));
    }
    case OptionType::integer: {
      const auto value = read_integer(text);
      return choices.empty() ? value && is_within(*this, double(*value)) : is_choice;
    }
    case OptionType::word:
      return is_choice;
    case OptionType::duration: {
      const auto value = read_duration(text);
      return value && is_within(*this, *value);
    }
    case OptionType::flag:
      return text == "true" || text == "false";
    case OptionType::numbers: {
      std::istringstream parts(text);
      for (std::string part; std::getline(parts, part, ',');) {
        if (!read_number(part)) return false;
      }
      return !text.empty();
    }
    default:
      return !text.empty();
  }
}

const Option* Command::find(std::string_view option) const {
  const auto found = std::ranges::find(options, option, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = read_table();
  return commands;
}

const Command& command_named(std::string_view name) {
  const auto found = std::ranges::find(all_commands(), name, &Command::name);
  if (found != all_commands().end()) return *found;
  throw std::logic_error("options.toml: no command " + std::string(name));
}

std::vector<const Command*> subcommands(const Command& command) {
  std::vector<const Command*> found;
  const std::string before = command.name + " ";
  for (const Command& other : all_commands()) {
    const bool follows = other.name.starts_with(before);
    if (follows && other.name.find(' ', before.size()) == std::string::npos) {
      found.push_back(&other);
    }
  }
  return found;
}

const Option& any_option(std::string_view name) {
  for (const Command& command : all_commands()) {
    if (const Option* option = command.find(name)) return *option;
  }
  throw std::logic_error("options.toml: no option " + std::string(name));
}

std::optional<double> read_number(const std::string& text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front()))) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return {};
  return value;
}

std::optional<std::int64_t> read_integer(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end || error != std::errc()) return {};
  return value;
}

std::optional<double> read_duration(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  const std::size_t last_digit = text.find_last_of("0123456789.");
  if (last_digit == std::string::npos) return {};
  std::string unit = text.substr(last_digit + 1);
  unit.erase(0, unit.find_first_not_of(' '));
  const auto seconds = units.find(unit);
  const auto number = read_number(text.substr(0, last_digit + 1));
  if (!number || seconds == units.end()) return {};
  return *number * seconds->second;
}

}  // namespace gothic
