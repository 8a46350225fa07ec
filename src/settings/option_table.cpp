#include "settings/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "files/text.hpp"
#include "files/toml.hpp"

namespace gothic {

extern const char* const options_toml;  // the text of options.toml, which CMake puts in

namespace {

/// A value of the table as it stands on a command line.
std::string text_of(const toml::node& node) { return files::word_of(node).value(); }

/// The values of a list; nothing where there is none.
std::vector<std::string> texts_of(toml::node_view<const toml::node> list) {
  std::vector<std::string> texts;
  if (const toml::array* const nodes = list.as_array()) {
    for (const toml::node& node : *nodes) texts.push_back(text_of(node));
  }
  return texts;
}

const std::map<std::string, OptionType> types = {
    {"number", OptionType::number}, {"integer", OptionType::integer},
    {"word", OptionType::word},     {"text", OptionType::text},
    {"file", OptionType::file},     {"duration", OptionType::duration},
    {"flag", OptionType::flag},     {"numbers", OptionType::numbers}};

/// \param entry with the keys of its heading that it does not have itself
Option read_option(const toml::table& entry) {
  const auto text = [&](const char* key) {
    return entry.contains(key) ? text_of(*entry.get(key)) : "";
  };
  Option option;
  option.name = text("name");
  option.title = text("title");
  option.help = text("help");
  option.unit = text("unit");
  option.type = types.at(text("type"));
  option.above = entry["above"].value<double>();
  option.least = entry["least"].value<double>();
  option.most = entry["most"].value<double>();
  option.choices = texts_of(entry["choices"]);
  option.default_by = text("default_by");
  if (const auto* defaults = entry["default"].as_table()) {
    for (const auto& [key, value] : *defaults) option.defaults[key.data()] = text_of(value);
  } else {
    option.default_value = text("default");
  }
  option.excludes = texts_of(entry["excludes"]);
  option.needs = text("needs");
  option.required = entry["required"].value_or(false);
  option.positional = entry["positional"].value_or(false);
  option.written = entry["written"].value_or(false);
  option.one_of = entry["one_of"].value_or(false);
  option.python = entry["python"].value_or(false);
  option.course = entry["course"].value_or(true);
  return option;
}

/// The names of commands; a set stands for the names of its commands.
std::vector<std::string> command_names(const toml::array& commands, const toml::table& sets) {
  std::vector<std::string> names;
  for (const toml::node& node : commands) {
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
  for (const toml::node& heading : *table["heading"].as_array()) {
    for (const toml::node& option : *heading.as_table()->get("option")->as_array()) {
      toml::table entry = *heading.as_table();
      for (const auto& [key, value] : *option.as_table()) entry.insert_or_assign(key, value);
      for (const std::string& name : command_names(*entry["commands"].as_array(), sets)) {
        const auto command = std::ranges::find(commands, name, &Command::name);
        if (command == commands.end()) throw std::logic_error("options.toml: no command " + name);
        command->options.push_back(read_option(entry));
      }
    }
  }
  return commands;
}

bool is_within(const Option& option, double value) {
  return std::isfinite(value) && (!option.above || value > *option.above) &&
         (!option.least || value >= *option.least) && (!option.most || value <= *option.most);
}

/// \param text in plain spelling
bool takes(const Option& option, const std::string& text) {
  if (std::ranges::find(option.choices, text) != option.choices.end()) return true;
  if (!option.choices.empty() && option.type != OptionType::number) return false;
  const auto takes_number = [&](auto value) { return value && is_within(option, double(*value)); };
  switch (option.type) {
    case OptionType::number: {
      const auto quantity = files::read_quantity(text, option.dimension());
      return quantity && is_within(option, quantity->number);
    }
    case OptionType::integer:
      return takes_number(files::read_integer(text));
    case OptionType::duration:
      return takes_number(read_duration(text));
    case OptionType::flag:
      return text == "true" || text == "false";
    case OptionType::numbers:
      return read_quantities(text, option.dimension()).has_value();
    default:
      return !text.empty();
  }
}

}  // namespace

std::string Option::values() const {
  std::string words = fmt::format("{}", fmt::join(choices, ", "));
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
    default:
      return "text";
  }
}

files::Dimension Option::dimension() const {
  if (unit == "length") return files::Dimension::length;
  return unit == "time" ? files::Dimension::time : files::Dimension::none;
}

std::string Option::plain(const std::string& text) const {
  if (type == OptionType::integer) {
    const auto value = files::read_integer(text);
    return value ? std::to_string(*value) : text;
  }
  const auto value = type == OptionType::number ? files::read_number(text) : std::nullopt;
  return value ? files::shortest(*value) : text;
}

std::string Option::refusal(const std::string& text) const {
  if (takes(*this, plain(text))) return {};
  const bool is_list = type == OptionType::word || type == OptionType::flag ||
                       (type == OptionType::integer && !choices.empty());
  const bool has_unit = dimension() != files::Dimension::none && !files::read_number(text);
  const std::string units =
      has_unit ? ", whose unit may be " + files::known_units(dimension()) : "";
  return fmt::format("{} is {} {}{}; correct it", text, is_list ? "none of" : "no", values(),
                     units);
}

std::string Option::refusal(const std::string& text, const files::Units& units) const {
  if (std::string problem = refusal(text); !problem.empty()) return problem;
  const auto quantities = read_quantities(text, dimension());
  const auto has_no_value = [&](const files::Quantity& one) { return !one.in(units); };
  if (!quantities || std::ranges::none_of(*quantities, has_no_value)) return {};
  return unit_refusal(text);
}

std::string unit_refusal(const std::string& text) {
  return text + " has a unit, but the particles have model units; give a number in these";
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

std::optional<std::vector<files::Quantity>> read_quantities(const std::string& text,
                                                            files::Dimension dimension) {
  std::vector<files::Quantity> list;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto one = files::read_quantity(part, dimension);
    if (!one) return {};
    list.push_back(*one);
  }
  if (list.empty()) return {};
  return list;
}

std::optional<double> read_duration(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  const std::size_t last_digit = text.find_last_of("0123456789.");
  if (last_digit == std::string::npos) return {};
  std::string unit = text.substr(last_digit + 1);
  unit.erase(0, unit.find_first_not_of(' '));
  const auto seconds = units.find(unit);
  const auto number = files::read_number(text.substr(0, last_digit + 1));
  if (!number || seconds == units.end()) return {};
  return *number * seconds->second;
}

}  // namespace gothic
