#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/device_choice.hpp"
#include "core/engine/simulation.hpp"
#include "files/report_table.hpp"
#include "files/snapshot.hpp"

namespace gothic {

/// What `gothic bench` measures; the other headers of this folder say how.
enum class Measurement { peak, walk, tree, sharing, balls, rebuild, extent, crossover, tune };

/// A word of the command line that stands for a measurement.
struct BenchWord {
  const char* name;
  Measurement measurement;
};
inline constexpr BenchWord bench_words[] = {
    {"peak", Measurement::peak},     {"walk", Measurement::walk},
    {"tree", Measurement::tree},     {"sharing", Measurement::sharing},
    {"balls", Measurement::balls},   {"rebuild", Measurement::rebuild},
    {"extent", Measurement::extent}, {"crossover", Measurement::crossover},
    {"tune", Measurement::tune},
};

/// A model that sizes are tuned for.
struct TuneInput {
  std::string name;
  files::Snapshot snapshot;
  ForceOptions force;
};

/// What to measure, on what, how often.
struct BenchTask {
  Measurement measurement = Measurement::peak;
  files::Snapshot snapshot;        ///< for measurements of an input
  std::vector<TuneInput> inputs;   ///< of tune, which has several
  ForceOptions force;              ///< the same
  StepOptions steps;               ///< for measurements of steps
  int round_steps = 64;            ///< steps of each setting in turn
  int repeats = 5;                 ///< that are timed, after one that is not
  std::uint32_t sources = 0;       ///< of direct sums; 0: enough for the device
  std::uint64_t buffer_bytes = 0;  ///< of each buffer of the copy; 0: many times the caches
};

/// An option with the value that was found to be best, as TOML writes it.
struct DefaultSize {
  std::string option, value;
};

/// What a measurement finds.
struct BenchTables {
  files::ReportTable table;
  files::ReportTable histogram = {};       ///< of balls
  std::vector<DefaultSize> defaults = {};  ///< of tune
};

struct BenchResult {
  BenchTables tables;
  std::string device_name;
  int threads = 0;
};

/// Measures. Throws SettingError if the device is not there.
BenchResult bench(const DeviceChoice& device, const BenchTask& task);

}  // namespace gothic
