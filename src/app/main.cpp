#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.hpp"
#include "app/help.hpp"
#include "app/options.hpp"
#include "core/setting_error.hpp"
#include "files/error.hpp"

namespace gothic {
namespace {

/// The subcommand of that name. Throws InputError with `message` if there is none.
const CLI::App& subcommand(const CLI::App& parent, const std::string& name,
                           const std::string& message) {
  const auto all = parent.get_subcommands([](const CLI::App*) { return true; });
  const auto found =
      std::ranges::find(all, name, [](const CLI::App* app) { return app->get_name(); });
  if (found == all.end()) throw InputError(message);
  return **found;
}

/// The subcommand of `bench` that the word names. Throws InputError if there is none.
const CLI::App& bench_subcommand(const CLI::App& bench, const std::string& word) {
  std::string known;
  for (const BenchWord& one : bench_words) {
    known += known.empty() ? "" : &one == std::end(bench_words) - 1 ? " or " : ", ";
    known += one.name;
  }
  return subcommand(
      bench, word,
      "bench" + (word.empty() ? "" : " " + word) + ": no such measurement; use " + known);
}

int main_program(int argc, char** argv) {
  Options options;
  CLI::App app(
      "GOTHIC: gravitational oct-tree N-body code with block time steps.\n"
      "Make initial conditions with gothic-ic, then for example\n"
      "  gothic run --input ic.h5 --output result --time 10",
      "gothic");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", files::current_provenance("gothic").version);
  app.require_subcommand(1);
  CLI::App* const run = app.add_subcommand("run", "advance the particles in time");
  CLI::App* const force =
      app.add_subcommand("force", "tree forces on all particles at the input's time");
  CLI::App* const direct =
      app.add_subcommand("direct", "direct summation, the reference of forces");
  add_run_options(*run, options);
  add_force_options(*force, options);
  add_direct_options(*direct, options);
  CLI::App* const bench = app.add_subcommand("bench", "measure the speed of the device");
  bench->require_subcommand(1);
  for (const BenchWord& word : bench_words) {
    add_bench_options(*bench->add_subcommand(word.name, word.help), word, options);
  }
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (argc > 1 && !arguments.front().starts_with('-')) {
    const std::string& first = arguments.front();
    const CLI::App* command =
        &subcommand(app, first, first + ": no such command; use run, force or direct, or bench");
    const std::string second = argc > 2 ? arguments[1] : "";
    if (command == bench && !second.starts_with('-')) command = &bench_subcommand(*bench, second);
    Arguments all = with_config(*command, arguments);
    arguments = std::move(all.words);
    options.origins = std::move(all.origins);
  }
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "gothic: %s; see gothic --help\n", error.what());
    return wrong_usage;
  }
  const CLI::App& first = *app.get_subcommands().front();
  const CLI::App& command = *bench ? *first.get_subcommands().front() : first;
  const files::Provenance provenance = files::current_provenance(full_name(command), argc, argv);
  if (*run) return run_command(command, options, provenance);
  if (*force) return force_command(command, options, provenance);
  if (*direct) return direct_command(command, options, provenance);
  return bench_command(command, options, provenance);
}

}  // namespace
}  // namespace gothic

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is reported like a full disk
  try {
    return gothic::main_program(argc, argv);
  } catch (const gothic::InputError& error) {
    std::fprintf(stderr, "gothic: %s\n", error.what());
    return gothic::wrong_usage;
  } catch (const gothic::SettingError& error) {
    std::fprintf(stderr, "gothic: %s\n", error.message(gothic::option_name).c_str());
    return gothic::wrong_usage;
  } catch (const std::bad_alloc& error) {
    std::fprintf(stderr, "gothic: %s\n", gothic::out_of_memory_message(error).c_str());
    return gothic::failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gothic: %s\n", error.what());
    return gothic::failed;
  }
}
