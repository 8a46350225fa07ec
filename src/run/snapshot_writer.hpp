#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <vector>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "run/logs.hpp"
#include "run/watch.hpp"

namespace gothic {

/// A state of all particles at one time.
struct SavedState {
  std::int64_t step;
  files::Snapshot snapshot;
  files::Forces forces;
};

/// Writes snapshots and finds Lagrangian radii while the simulation goes on, of one state at a
/// time.
class SnapshotWriter {
 public:
  /// \param log of the radii
  /// \param watch told when a snapshot is there
  SnapshotWriter(Log<LagrangeRecord>& log, Watch& watch) : log_(log), watch_(watch) {}

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
  Watch& watch_;
  std::filesystem::path path_;
  /// Of the rows for the log. Last: its destructor waits for what uses the others.
  std::future<std::vector<LagrangeRecord>> writing_;
};

}  // namespace gothic
