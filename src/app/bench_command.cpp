#include <iostream>
#include <optional>
#include <utility>

#include "app/commands.hpp"
#include "bench/bench.hpp"
#include "files/output_file.hpp"
#include "files/report_table.hpp"
#include "settings/settings.hpp"

namespace gothic {
namespace {

/// Opens the file of an option, if it is given.
void open(std::optional<files::ByteFile>& file, const Options& options, const char* option) {
  if (options.given(option)) file.emplace(options.file(option));
}

/// Writes the table, if it has a file, with what made it at the head.
void finish(std::optional<files::ByteFile>& file, const files::ReportTable& table, int threads,
            const files::Provenance& provenance) {
  if (!file) return;
  files::ReportRow origin;
  origin.put("threads", threads);
  const std::map<std::string, std::string> made_by = entries(provenance);
  for (const char* name :
       {"device", "machine", "version", "revision", "compiler", "command_line"}) {
    if (const auto found = made_by.find(name); found != made_by.end()) {
      origin.put(name, found->second);
    }
  }
  write_csv(file->out(), table, origin);
  file->commit();
}

}  // namespace

int bench_command(const Options& options, files::Provenance provenance) {
  const Settings settings(options);
  BenchTask task;
  const std::string& name = options.command().name;
  task.word = name.substr(name.rfind(' ') + 1);
  task.round_steps = int(options.integer("steps"));
  task.repeats = int(options.integer("repeats"));
  task.sources = std::uint32_t(options.integer("particles"));
  task.buffer_bytes = std::uint64_t(options.integer("buffer-bytes"));
  task.network = {double(options.integer("bandwidth")), options.number("latency")};
  if (options.has("input")) {
    files::Snapshot snapshot = settings.read_input();
    ForceOptions force = settings.force(snapshot);
    const ForceVariant variant = settings.variant(snapshot);
    task.input = {std::move(snapshot), std::move(force), variant};
    task.steps = settings.steps({});
  }
  std::optional<files::ByteFile> file, histogram;
  open(file, options, "output");
  open(histogram, options, "histogram");
  const BenchResult result = bench(settings.device(), task);
  provenance.set(result.device);
  std::cout << provenance.program << ": " << result.device.name << ", threads: " << result.threads
            << ", revision: " << provenance.revision << '\n';
  print(std::cout, result.tables.table);
  finish(file, result.tables.table, result.threads, provenance);
  finish(histogram, result.tables.histogram, result.threads, provenance);
  return done;
}

}  // namespace gothic
