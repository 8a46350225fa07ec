#include "options/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <regex>
#include <sstream>
#include <vector>

#include "files/error.hpp"
#include "files/run_config.hpp"
#include "files/spelling.hpp"

namespace gothic {
namespace {

constexpr std::size_t help_width = 100, help_column = 30;

/// Breaks a text into lines that fit beside the names of the options.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t length = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; length += word.size()) {
    if (length > 0 && length + 1 + word.size() > help_width - help_column) {
      lines += '\n';
      length = 0;
    } else if (length > 0) {
      lines += ' ';
      ++length;
    }
    lines += word;
  }
  return lines;
}

/// One blank line between groups of options.
struct HelpFormatter : CLI::Formatter {
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    return std::regex_replace(text, std::regex("\n\n\n"), "\n\n");
  }
};

/// What follows the name of an option in the help, such as "number above 0 = 0.5".
std::string values_and_default(const Option& option) {
  std::string text = option.type == OptionType::flag ? "" : option.values();
  if (!option.default_value.empty()) text += (text.empty() ? "= " : " = ") + option.default_value;
  if (option.required) text += " REQUIRED";
  return text;
}

std::string explanation(const Option& option) {
  std::string text = option.help;
  if (!option.excludes.empty()) text += "; not with --" + option.excludes;
  return wrapped(text);
}

void add_option(CLI::App& app, const Option& option) {
  const std::string name = (option.positional ? "" : "--") + option.name;
  CLI::Option* added = nullptr;
  if (option.type == OptionType::flag) {
    added = app.add_flag(name + (option.default_value == "true" ? ",!--no-" + option.name : ""));
  } else {
    added = app.add_option(name, CLI::callback_t([](const CLI::results_t&) { return true; }));
  }
  if (option.type == OptionType::files) added->expected(1, -1);  // any number
  added->description(explanation(option))->type_name(option.values());
  added->option_text(values_and_default(option))->group(option.title);
}

std::string last_word(const Command& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

void add_command(CLI::App& app, const Command& command) {
  for (const Option& option : command.options) add_option(app, option);
  for (const Command* sub : subcommands(command)) {
    add_command(*app.add_subcommand(last_word(*sub), sub->help), *sub);
  }
  if (command.options.empty()) app.require_subcommand(1);
}

/// A command line that begins with a command.
struct Called {
  const Command* command;
  std::size_t first = 1;  ///< the word behind its name
};

/// Throws InputError where a command is missing or unknown.
Called called_command(const std::string& program, const std::vector<std::string>& words) {
  Called called{&command_named(program)};
  while (called.first < words.size()) {
    const std::string& word = words[called.first];
    const std::vector<const Command*> known = subcommands(*called.command);
    const auto found =
        std::ranges::find(known, word, [](const Command* c) { return last_word(*c); });
    if (found != known.end()) {
      called = {*found, called.first + 1};
      continue;
    }
    if (known.empty() || word.starts_with('-') || !called.command->options.empty()) break;
    std::vector<std::string> names;
    for (const Command* command : known) names.push_back(last_word(*command));
    throw InputError(word + ": " + called.command->name + " has no such command; " +
                     files::advice(word, {names.begin(), names.end()}));
  }
  return called;
}

/// Throws InputError for the first word that looks like an option and is none.
void require_known_options(const Called& called, const std::vector<std::string>& words) {
  std::vector<std::string_view> known;
  for (const Option& option : called.command->options) known.push_back(option.name);
  for (std::size_t i = called.first; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with("--")) continue;
    const std::string name = words[i].substr(2, words[i].find('=') - 2);
    const bool is_off = name.starts_with("no-") && called.command->find(name.substr(3));
    if (is_off || name == "help" || name == "version" || called.command->find(name)) continue;
    const std::string near = files::nearest(name, known);
    throw InputError("--" + name + ": " + called.command->name + " has no such option; " +
                     (near.empty() ? "see " + called.command->name + " --help"
                                   : "did you mean --" + near + "?"));
  }
}

std::vector<GivenOption> options_on(const CLI::App& app, const Command& command) {
  std::vector<GivenOption> given;
  for (const Option& option : command.options) {
    const CLI::Option* found = app.get_option((option.positional ? "" : "--") + option.name);
    if (found->count() > 0) given.push_back({option.name, found->results()});
  }
  return given;
}

/// Adds the options of the file that the command line does not give itself.
void add_config(std::vector<GivenOption>& given, const Command& command) {
  const auto config = std::ranges::find(given, "config", &GivenOption::name);
  if (config == given.end()) return;
  const std::string file = config->values.front();
  for (const files::ConfigEntry& entry : files::read_run_config(file)) {
    if (command.find(entry.name) == nullptr || entry.name == "config") {
      throw InputError(file + ": " + entry.name + ": " + command.name +
                       " has no such option; correct or remove it");
    }
    if (std::ranges::find(given, entry.name, &GivenOption::name) != given.end()) continue;
    given.push_back({entry.name, {entry.value}, file + ":" + std::to_string(entry.line)});
  }
}

}  // namespace

std::optional<Options> read_command_line(const std::string& program, const std::string& version,
                                         int argc, const char* const* argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const Called called = called_command(program, words);
  require_known_options(called, words);
  const Command& root = command_named(program);
  CLI::App app(root.help, program);
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(help_column);
  app.formatter(formatter);
  app.set_version_flag("--version", version);
  add_command(app, root);
  CLI::App* chosen = &app;
  for (std::size_t i = 1; i < called.first; ++i) chosen = chosen->get_subcommand(words[i]);
  const std::string& about = called.command->about;
  chosen->description(called.command->help + (about.empty() ? "" : ".\n" + about));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return {};
    }
    throw InputError(std::string(error.what()) + "; see " + called.command->name + " --help");
  }
  std::vector<GivenOption> given = options_on(*chosen, *called.command);
  add_config(given, *called.command);
  Options options(*called.command, given);
  options.require_complete();
  return options;
}

}  // namespace gothic
