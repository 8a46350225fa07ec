#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/engine/engine.hpp"
#include "core/engine/simulation.hpp"
#include "files/report_table.hpp"
#include "files/snapshot.hpp"
#include "paper/force_variant.hpp"

namespace gothic {

/// Particles to measure with.
struct BenchInput {
  files::Snapshot snapshot;
  ForceOptions force;
  ForceVariant variant = {};  ///< that `force` is made of
};

/// What a message between ranks takes.
struct Network {
  double bandwidth = 25e9;  ///< bytes per second of a rank, each way
  double latency = 2e-6;    ///< seconds of a message
};

/// What to measure, on what, how often.
struct BenchTask {
  std::string word;                 ///< of the command line, such as "walk"
  std::optional<BenchInput> input;  ///< but for peak
  StepOptions steps;                ///< for measurements of steps
  int round_steps = 64;             ///< steps of each setting in turn
  int repeats = 5;                  ///< that are timed, after one that is not
  std::uint32_t sources = 0;        ///< of direct sums; 0: enough for the device
  std::uint64_t buffer_bytes = 0;   ///< of each buffer of the copy; 0: many times the caches
  Network network = {};             ///< of domains
};

/// What a measurement finds.
struct BenchTables {
  files::ReportTable table;
  files::ReportTable histogram = {};  ///< of balls
};

struct BenchResult {
  BenchTables tables;
  DeviceIdentity device;
  int threads = 0;
};

/// Measures. Throws SettingError if the device is not there.
BenchResult bench(const DeviceChoice& device, const BenchTask& task);

}  // namespace gothic
