#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "io/error.hpp"
#include "options.hpp"
#include "simulation/direct.hpp"
#include "simulation/run.hpp"
#include "simulation/simulation.hpp"

namespace gothic {
namespace {

enum ExitStatus { done = 0, failed = 1, wrong_usage = 2, stopped = 3 };

/// Throws InputError if `file`, which is about to be written, is the input.
/// \param option what names it on the command line
void keep_input(const Options& options, const std::filesystem::path& file,
                const std::string& option) {
  std::error_code missing;
  if (std::filesystem::equivalent(options.input, file, missing)) {
    throw InputError(option + ": " + file.string() + " is the input; choose another place");
  }
}
void keep_input(const Options& options, const std::filesystem::path& file) {
  keep_input(options, file, "--output " + options.output.string());
}

int run_command(const CLI::App& command, const Options& options, io::Provenance provenance) {
  RunClock clock{steady_seconds(), 0, 0};
  keep_input(options, options.output / "snapshot_000.h5");
  io::Snapshot snapshot = io::read_snapshot(options.input);
  clock.read = steady_seconds() - clock.start;
  provenance.options = option_values(command, options, snapshot);
  const ForceOptions force = force_options(options, snapshot);
  const StepOptions steps = step_options(options, snapshot);
  make_output_folder(options.output);
  stop_on_signals();
  const auto simulation = make_simulation(options.device, snapshot, force, steps);
  clock.set_up = steady_seconds() - clock.start - clock.read;
  provenance.device = simulation->device_name();
  const RunEnd end = run(*simulation, snapshot, options.output, options.limits, options.snapshot,
                         clock, provenance);
  return end == RunEnd::finished ? done : stopped;
}

int force_command(const CLI::App& command, const Options& options, io::Provenance provenance) {
  const double start = steady_seconds();
  keep_input(options, options.output);
  io::Snapshot snapshot = io::read_snapshot(options.input);
  const double read = steady_seconds() - start;
  provenance.options = option_values(command, options, snapshot);
  const auto simulation =
      make_simulation(options.device, snapshot, force_options(options, snapshot), StepOptions{});
  io::Forces forces;
  simulation->save(snapshot, forces);
  provenance.device = simulation->device_name();
  const ForceCost& cost = simulation->first_force();
  io::write_forces(options.output, snapshot.particles, forces, snapshot.units,
                   {{"keys", cost.keys},
                    {"sort", cost.sort},
                    {"build", cost.build},
                    {"groups", cost.groups},
                    {"moments", cost.moments},
                    {"walk", cost.walk},
                    {"bootstrap", simulation->bootstrap_seconds()},
                    {"read", read},
                    {"total", steady_seconds() - start},
                    {"interactions", std::int64_t(cost.interactions)},
                    {"cells_judged", std::int64_t(cost.cells_judged)},
                    {"groups_count", std::int64_t(cost.group_count)},
                    {"threads", std::int64_t(simulation->threads())}},
                   provenance);
  return done;
}

/// `count` particles, evenly spread over the order of their IDs; all if count is 0.
std::vector<std::uint32_t> spread_targets(const io::Particles& particles, std::uint32_t count) {
  const std::size_t n = particles.size();
  std::vector<std::uint32_t> by_id(n);
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::sort(by_id.begin(), by_id.end(),
            [&](auto a, auto b) { return particles.id[a] < particles.id[b]; });
  if (count == 0 || count >= n) return by_id;
  std::vector<std::uint32_t> targets(count);
  for (std::size_t k = 0; k < count; ++k) targets[k] = by_id[k * n / count];
  return targets;
}

int direct_command(const CLI::App& command, const Options& options, io::Provenance provenance) {
  const double start = steady_seconds();
  keep_input(options, options.output);
  const io::Snapshot snapshot = io::read_snapshot(options.input);
  const double read = steady_seconds() - start;
  provenance.options = option_values(command, options, snapshot);
  const io::Particles& particles = snapshot.particles;
  const std::vector<std::uint32_t> targets = spread_targets(particles, options.targets);
  const Precision precision = options.precision == "double" ? Precision::double_precision
                              : options.root == "estimate"  ? Precision::single_estimate
                                                            : Precision::single_newton;
  const DirectResult result =
      direct_sum(options.device, particles, targets, snapshot.units.gravitational_constant(),
                 chosen_softening(options, snapshot), precision);
  io::Particles chosen;
  for (const std::uint32_t i : targets) {
    chosen.id.push_back(particles.id[i]);
    chosen.type.push_back(particles.type[i]);
  }
  provenance.device = result.device_name;
  io::write_forces(options.output, chosen, result.forces, snapshot.units,
                   {{"direct", result.seconds},
                    {"read", read},
                    {"total", steady_seconds() - start},
                    {"interactions", std::int64_t(result.interactions)},
                    {"threads", std::int64_t(result.threads)}},
                   provenance);
  return done;
}

/// A table of `bench` that is written to a file, if one is named.
class BenchFile {
 public:
  explicit BenchFile(const std::filesystem::path& path) {
    if (!path.empty()) file_.emplace(path);
  }

  /// Writes the table with what made it on every row.
  void finish(io::ReportTable table, const BenchResult& result, const io::Provenance& provenance) {
    if (!file_) return;
    table.put_all("threads", std::int64_t(result.threads));
    table.put_all("device", result.device_name);
    table.put_all("revision", provenance.revision);
    table.put_all("version", provenance.version);
    table.put_all("compiler", provenance.compiler);
    table.put_all("command_line", provenance.command_line);
    file_->finish(table);
  }

 private:
  std::optional<io::CsvFile> file_;
};

/// The models that are to be tuned for, by the names of their files.
std::vector<TuneInput> tune_inputs(const Options& options) {
  std::vector<TuneInput> inputs;
  for (const std::filesystem::path& file : options.inputs) {
    Options own = options;
    own.input = file;
    keep_input(own, options.output);
    keep_input(own, options.defaults, "--defaults " + options.defaults.string());
    TuneInput input{file.stem().string(), io::read_snapshot(file), {}};
    input.force = force_options(own, input.snapshot);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// Writes the sizes that were found to be best as a file for --config.
void write_defaults(io::PartialFile& file, const BenchResult& result,
                    const io::Provenance& provenance) {
  std::ofstream out(file.partial());
  out << "# " << provenance.program << ": " << result.device_name << ", revision "
      << provenance.revision << '\n';
  for (const DefaultSize& size : result.tables.defaults) {
    out << size.option << " = " << size.value << '\n';
  }
  out.close();
  if (!out) file.fail(std::strerror(errno));
  file.commit();
}

int bench_command(const CLI::App& command, const Options& options,
                  const io::Provenance& provenance) {
  const BenchWord& word = *std::ranges::find(bench_words, command.get_name(), &BenchWord::name);
  keep_input(options, options.output);
  keep_input(options, options.histogram, "--histogram " + options.histogram.string());
  if (!options.histogram.empty() && options.histogram == options.output) {
    throw InputError("--histogram " + options.histogram.string() +
                     ": is the file of --output, too; choose another place");
  }
  if (!options.defaults.empty() && options.defaults == options.output) {
    throw InputError("--defaults " + options.defaults.string() +
                     ": is the file of --output, too; choose another place");
  }
  BenchTask task = options.bench;
  task.measurement = word.measurement;
  if (word.measurement == Measurement::tune) {
    task.inputs = tune_inputs(options);
  } else if (word.of_input) {
    task.snapshot = io::read_snapshot(options.input);
    task.force = force_options(options, task.snapshot);
    task.steps = step_options(options, task.snapshot);
  }
  BenchFile file(options.output), histogram(options.histogram);
  std::optional<io::PartialFile> defaults;
  if (!options.defaults.empty()) defaults.emplace(options.defaults);
  const BenchResult result = bench(options.device, task);
  std::cout << provenance.program << ": " << result.device_name << ", threads: " << result.threads
            << ", revision: " << provenance.revision << '\n';
  print(std::cout, result.tables.table);
  file.finish(result.tables.table, result, provenance);
  histogram.finish(result.tables.histogram, result, provenance);
  if (defaults) write_defaults(*defaults, result, provenance);
  return done;
}

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
  app.set_version_flag("--version", io::current_provenance("gothic").version);
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
    arguments = with_config(*command, arguments);
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
  const io::Provenance provenance = io::current_provenance(full_name(command), argc, argv);
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
  } catch (const std::bad_alloc& error) {
    const bool of_the_host = std::string_view(error.what()) == std::bad_alloc().what();
    std::fprintf(
        stderr, "gothic: %s\n",
        of_the_host ? "out of memory; use fewer particles or a machine with more" : error.what());
    return gothic::failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gothic: %s\n", error.what());
    return gothic::failed;
  }
}
