#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "app/commands.hpp"
#include "bench/bench.hpp"
#include "files/error.hpp"
#include "files/report_table.hpp"

namespace gothic {
namespace {

/// A table of `bench` that is written to a file, if one is named.
class BenchFile {
 public:
  explicit BenchFile(const std::filesystem::path& path) {
    if (!path.empty()) file_.emplace(path);
  }

  /// Writes the table with what made it on every row.
  void finish(files::ReportTable table, const BenchResult& result,
              const files::Provenance& provenance) {
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
  std::optional<files::CsvFile> file_;
};

/// The models that are to be tuned for, by the names of their files.
std::vector<TuneInput> tune_inputs(const Options& options) {
  std::vector<TuneInput> inputs;
  for (const std::filesystem::path& file : options.inputs) {
    Options own = options;
    own.input = file;
    keep_input(own, options.output);
    keep_input(own, options.defaults, "--defaults " + options.defaults.string());
    TuneInput input{file.stem().string(), files::read_snapshot(file), {}};
    input.force = force_options(own, input.snapshot);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// Writes the sizes that were found to be best as a file for --config.
void write_defaults(files::PartialFile& file, const BenchResult& result,
                    const files::Provenance& provenance) {
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

}  // namespace

int bench_command(const CLI::App& command, const Options& options,
                  const files::Provenance& provenance) {
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
    task.snapshot = files::read_snapshot(options.input);
    task.force = force_options(options, task.snapshot);
    task.steps = step_options(options, task.snapshot);
  }
  BenchFile file(options.output), histogram(options.histogram);
  std::optional<files::PartialFile> defaults;
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

}  // namespace gothic
