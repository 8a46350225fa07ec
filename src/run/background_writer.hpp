#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <vector>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "run/run_logs.hpp"
#include "run/run_monitor.hpp"

namespace gothic {

/// A state of all particles at one time.
struct SavedState {
  std::int64_t step;
  files::Snapshot snapshot;
  files::Forces forces;
};

/// Writes snapshots and finds Lagrangian radii while the simulation goes on, of one state at a
/// time.
class BackgroundWriter {
 public:
  /// \param log of the radii
  /// \param monitor told when a snapshot is there
  BackgroundWriter(Log<LagrangeRecord>& log, RunMonitor& monitor) : log_(log), monitor_(monitor) {}

  /// Takes the state over. Throws what went wrong with the one before.
  /// \param path of the snapshot; empty for none
  void write(SavedState state, std::filesystem::path path, const files::Provenance& provenance,
             int compression);

  /// Until it is written. Throws what went wrong.
  void wait();

  /// Sees whether it is written. Throws what went wrong.
  void look();

 private:
  Log<LagrangeRecord>& log_;
  RunMonitor& monitor_;
  std::filesystem::path path_;
  /// Of the rows for the log. Last: its destructor waits for what uses the others.
  std::future<std::vector<LagrangeRecord>> writing_;
};

}  // namespace gothic
