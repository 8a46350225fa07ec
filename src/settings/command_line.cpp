#include "settings/command_line.hpp"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>
#include <vector>

#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/text.hpp"
#include "files/toml.hpp"
#include "settings/kept_files.hpp"

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
  for (const std::string& other : option.excludes) text += "; not with --" + other;
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
  added->description(explanation(option))->type_name(option.values());
  added->option_text(values_and_default(option))->group(option.title);
}

std::string last_word(const Command& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

void add_command(CLI::App& app, const Command& command) {
  app.description(command.help);
  app.footer(command.about);
  for (const Option& option : command.options) add_option(app, option);
  for (const Command* sub : subcommands(command)) {
    add_command(*app.add_subcommand(last_word(*sub)), *sub);
  }
  if (command.options.empty()) app.require_subcommand(1);
}

/// The command whose words the command line begins with, and what CLI11 has of it.
struct Called {
  const CLI::App* app;
  const Command* command;
};

Called called_command(const CLI::App& app, const Command& root) {
  Called called{&app, &root};
  while (!called.app->get_subcommands().empty()) {
    called.app = called.app->get_subcommands().front();
    called.command = &command_named(called.command->name + " " + called.app->get_name());
  }
  return called;
}

/// The option of the command that is nearest to a name; empty where none is near.
std::string nearest_option(const std::string& name, const Command& command) {
  std::vector<std::string_view> known;
  for (const Option& option : command.options) known.push_back(option.name);
  return files::nearest(name, known);
}

/// Throws InputError for a word that the command does not know.
[[noreturn]] void refuse(const std::string& word, const Command& command) {
  const std::string help = "see " + command.name + " --help";
  if (word.starts_with("--")) {
    const std::string name = word.substr(2, word.find('=') - 2);
    const std::string near = nearest_option(name, command);
    throw InputError("--" + name + ": " + command.name + " has no such option; " +
                     (near.empty() ? help : "did you mean --" + near + "?"));
  }
  if (word.starts_with('-') || !command.options.empty())
    throw InputError(word + ": is not expected; " + help);
  std::vector<std::string> names;
  for (const Command* sub : subcommands(command)) names.push_back(last_word(*sub));
  throw InputError(word + ": " + command.name + " has no such command; " +
                   files::advice(word, {names.begin(), names.end()}));
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
      const std::string near = nearest_option(entry.name, command);
      const bool helps = !near.empty() && near != "config";
      throw InputError(file + ": " + entry.name + ": " + command.name + " has no such option; " +
                       (helps ? "did you mean " + near + "?" : "correct or remove it"));
    }
    if (std::ranges::find(given, entry.name, &GivenOption::name) != given.end()) continue;
    given.push_back({entry.name, {entry.value}, file + ":" + std::to_string(entry.line)});
  }
}

}  // namespace

std::optional<Options> read_command_line(const std::string& program, const std::string& version,
                                         int argc, const char* const* argv) {
  const Command& root = command_named(program);
  CLI::App app("", program);
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(help_column);
  app.formatter(formatter);
  app.set_version_flag("--version", version);
  add_command(app, root);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return {};
    }
    const Called called = called_command(app, root);
    const std::vector<std::string> unknown = called.app->remaining();
    if (!unknown.empty()) refuse(unknown.front(), *called.command);
    throw InputError(std::string(error.what()) + "; see " + called.command->name + " --help");
  }
  const auto [chosen, command] = called_command(app, root);
  std::vector<GivenOption> given = options_on(*chosen, *command);
  add_config(given, *command);
  Options options(*command, given);
  options.require_complete();
  keep_files(options);
  return options;
}

void require_printed() {
  std::cout.flush();
  if (std::cout) return;
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  const bool is_known = ::poll(&output, 1, 0) >= 0;
  if (is_known && (output.revents & (POLLERR | POLLHUP)) != 0) return;  // nobody reads the pipe
  throw files::WriteError(
      "standard output: cannot be written; free some space or choose another place");
}

}  // namespace gothic
