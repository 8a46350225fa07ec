#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "core/observers/observer.hpp"
#include "files/hdf5.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "files/table.hpp"

namespace gothic {

/// The tables that a run writes, one for each observer: /Name/COLUMN in the file name.h5. While the
/// run goes on, name.h5.partial has the rows up to a few seconds ago and may be read.
class RunLogs {
 public:
  /// \param observers of which the first is about steps
  /// \param snapshot whose components have names
  /// \param checkpoint whose rows come first; empty for none
  /// \throws as files::TableWriter
  RunLogs(const std::filesystem::path& folder, const std::vector<Observer>& observers,
          const files::Snapshot& snapshot, const files::Provenance& provenance,
          const std::filesystem::path& checkpoint);

  /// \param observer a name
  void append(const std::string& observer, const std::vector<Row>& rows);

  /// Number of steps that have a row.
  std::size_t steps() const { return logs_.front().table.rows(); }

  /// The tables, whose rows so far go into checkpoints.
  std::vector<files::TableWriter*> tables();

  /// Gives the files their names, the file of the steps last.
  /// \param timing attributes /Timing of the steps
  void finish(const files::Attributes& timing);

 private:
  struct Log {
    Log(const std::filesystem::path& folder, const Observer& observer,
        const files::Provenance& provenance, const std::filesystem::path& checkpoint);

    std::string observer;
    files::TableWriter table;
  };

  std::deque<Log> logs_;  // tables cannot be moved
  std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

/// The group of an observer's table: its name with a capital letter.
std::string log_group(const std::string& observer);

}  // namespace gothic
