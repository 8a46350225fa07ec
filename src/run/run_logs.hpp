#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/engine/engine.hpp"
#include "files/hdf5.hpp"
#include "files/table.hpp"
#include "run/lagrangian_radii.hpp"

/// Names under which files and Python tell what was measured: the columns of the tables that a run
/// keeps of itself, with units and meanings as their attributes, and the cost of forces.
namespace gothic {

/// A column of a log: what it means, and how a record gives its value.
template <class Record>
struct LogColumn {
  /// \param of takes a record; integers and truth values become 64-bit integers
  template <class Of>
  LogColumn(std::string name, std::string unit, std::string meaning, Of of)
      : name(std::move(name)),
        unit(std::move(unit)),
        meaning(std::move(meaning)),
        value([of](const Record& record) -> files::TableWriter::Value {
          const auto number = of(record);
          if constexpr (std::is_integral_v<decltype(of(record))>) return std::int64_t(number);
          return double(number);
        }) {}

  std::string name;
  std::string unit;  ///< such as "mass velocity", in units of the input, or "s"; empty for none
  std::string meaning;
  std::function<files::TableWriter::Value(const Record&)> value;
};

/// What is known whenever all particles are at one time.
struct EnergyRecord {
  std::int64_t step = 0;
  double time = 0;
  Conserved sums;
  TracerErrors tracers;
};

/// Radii of one component.
struct LagrangeRecord {
  std::int64_t step = 0;
  double time = 0;
  std::array<double, 3> center{};
  LagrangianRadii radii;
};

/// The columns of steps.h5, one row per step.
const std::vector<LogColumn<StepRecord>>& step_columns();
/// Of energy.h5, one row whenever all particles are at one time.
const std::vector<LogColumn<EnergyRecord>>& energy_columns();
/// Of lagrange.h5, one row for each component at the start, with every snapshot and at the end.
const std::vector<LogColumn<LagrangeRecord>>& lagrange_columns();

/// The records of all components in one state.
std::vector<LagrangeRecord> lagrange_records(std::int64_t step, const files::Snapshot& snapshot,
                                             Communicator& ranks);

/// Seconds of the stages of a force, and counters: the attributes of /Timing.
files::Attributes timing_of(const TreeForces& found, int threads);
files::Attributes timing_of(const DirectForces& found, int threads);

/// A table of records.
template <class Record>
class Log {
 public:
  /// \param group of the file, such as "Steps"
  /// \param checkpoint whose rows come first; empty for none
  Log(const std::filesystem::path& path, const std::string& group,
      const std::vector<LogColumn<Record>>& columns, const files::Provenance& provenance,
      const std::filesystem::path& checkpoint)
      : columns_(columns), table_(path, group, described(columns), provenance, checkpoint) {}

  void append(const Record& record) {
    row_.clear();
    for (const LogColumn<Record>& column : columns_) row_.push_back(column.value(record));
    table_.append(row_);
  }

  files::TableWriter& table() { return table_; }

 private:
  static std::vector<files::TableWriter::Column> described(
      const std::vector<LogColumn<Record>>& columns) {
    std::vector<files::TableWriter::Column> result;
    for (const LogColumn<Record>& column : columns) {
      const bool is_integer = std::holds_alternative<std::int64_t>(column.value(Record{}));
      using Kind = files::TableWriter::Kind;
      result.push_back(
          {column.name, is_integer ? Kind::integer : Kind::real, column.unit, column.meaning});
    }
    return result;
  }

  const std::vector<LogColumn<Record>>& columns_;
  files::TableWriter table_;
  std::vector<files::TableWriter::Value> row_;
};

}  // namespace gothic
