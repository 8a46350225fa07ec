#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/engine/simulation.hpp"
#include "files/table.hpp"
#include "run/lagrange.hpp"

/// The tables that a run keeps of itself. Each goes on from the rows that a checkpoint has, where
/// the path of one is given.
namespace gothic {

/// steps.h5: one row per step.
class StepLog {
 public:
  StepLog(const std::filesystem::path& folder, const files::Provenance& provenance,
          const std::filesystem::path& checkpoint = {});

  void append(const StepRecord& record);
  void finish(const files::Attributes& timing);
  files::TableWriter& table() { return table_; }

 private:
  files::TableWriter table_;
};

/// energy.h5: one row whenever all particles are at one time.
class EnergyLog {
 public:
  EnergyLog(const std::filesystem::path& folder, const files::Provenance& provenance,
            const std::filesystem::path& checkpoint = {});

  void append(std::int64_t step, double time, const Conserved& sums);
  void finish() { table_.finish(); }
  files::TableWriter& table() { return table_; }

 private:
  files::TableWriter table_;
};

/// lagrange.h5: at the start, with every snapshot and at the end one row for each component.
class LagrangeLog {
 public:
  using Row = std::vector<files::TableWriter::Value>;

  LagrangeLog(const std::filesystem::path& folder, const files::Provenance& provenance,
              const std::vector<files::ComponentInfo>& components,
              const std::filesystem::path& checkpoint = {});

  /// Those of a state after some step.
  static std::vector<Row> rows(std::int64_t step, const files::Snapshot& snapshot);

  void append(const std::vector<Row>& rows);
  void finish() { table_.finish(); }
  files::TableWriter& table() { return table_; }

 private:
  files::TableWriter table_;
};

}  // namespace gothic
