#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "io/table.hpp"
#include "simulation/lagrange.hpp"
#include "simulation/simulation.hpp"

/// The tables that a run keeps of itself. Each goes on from the rows that a checkpoint has, where
/// the path of one is given.
namespace gothic {

/// steps.h5: one row per step.
class StepLog {
 public:
  StepLog(const std::filesystem::path& folder, const io::Provenance& provenance,
          const std::filesystem::path& checkpoint = {});

  void append(const StepRecord& record);
  void finish(const io::Attributes& timing);
  io::TableWriter& table() { return table_; }

 private:
  io::TableWriter table_;
};

/// energy.h5: one row whenever all particles are at one time.
class EnergyLog {
 public:
  EnergyLog(const std::filesystem::path& folder, const io::Provenance& provenance,
            const std::filesystem::path& checkpoint = {});

  void append(std::int64_t step, double time, const Conserved& sums);
  void finish() { table_.finish(); }
  io::TableWriter& table() { return table_; }

 private:
  io::TableWriter table_;
};

/// lagrange.h5: at the start, with every snapshot and at the end one row for each component.
class LagrangeLog {
 public:
  using Row = std::vector<io::TableWriter::Value>;

  LagrangeLog(const std::filesystem::path& folder, const io::Provenance& provenance,
              const std::vector<io::ComponentInfo>& components,
              const std::filesystem::path& checkpoint = {});

  /// Those of a state after some step.
  static std::vector<Row> rows(std::int64_t step, const io::Snapshot& snapshot);

  void append(const std::vector<Row>& rows);
  void finish() { table_.finish(); }
  io::TableWriter& table() { return table_; }

 private:
  io::TableWriter table_;
};

}  // namespace gothic
