#pragma once

#include <any>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// What is measured while particles move: observers, each a function with a name and columns.
namespace gothic {

/// When an observer measures. It follows from the argument of the observer's function.
enum class Schedule {
  every_step,    ///< after every step, from the record of the step
  synchronised,  ///< at the start and whenever all particles are at one time, on the device
  samples,       ///< at the start and every so many steps, from a sample of the forces
  states         ///< at the start, with every snapshot and at the end, on the device
};

/// A number in a table.
using Value = std::variant<std::int64_t, double>;
/// A row of a table: a value for each column.
using Row = std::vector<Value>;

/// A column of a table.
struct Column {
  std::string name;
  std::string unit;  ///< such as "mass velocity", in units of the input, or "s"; empty for none
  std::string meaning;
  bool is_integer = false;
};

/// A column, and how a record gives its value.
template <class Record>
struct ColumnOf : Column {
  /// \param of takes a record; integers and truth values become 64-bit integers
  template <std::invocable<const Record&> Of>
  ColumnOf(std::string name, std::string unit, std::string meaning, Of of)
      : Column{std::move(name), std::move(unit), std::move(meaning),
               std::is_integral_v<std::invoke_result_t<Of, const Record&>>},
        value([of](const Record& record) -> Value {
          const auto number = of(record);
          if constexpr (std::is_integral_v<std::invoke_result_t<Of, const Record&>>) {
            return std::int64_t(number);
          } else {
            return double(number);
          }
        }) {}

  std::function<Value(const Record&)> value;
};

/// All that is told of an observer.
struct Observer {
  std::string name;     ///< a word in lower case, from which a table and its file have their names
  std::string meaning;  ///< what has a row, such as "a row for each step"
  Schedule schedule;
  std::vector<Column> columns;
};

/// What an observer has found.
struct Measurement {
  std::any found;         ///< what the observer's function has returned
  std::vector<Row> rows;  ///< a row for each record in it
};

/// An observer and its function.
/// \tparam Source what is observed: StepRecord, ParticlesView, StateView or ForceSample
template <class Source>
struct ObserverOf : Observer {
  std::function<Measurement(const Source&)> measure;
};

/// An entry of a table of observers.
/// \param observe takes a Source and returns a record, or a vector of records
template <class Source, class Record, class Observe>
ObserverOf<Source> observer(std::string name, std::string meaning,
                            const std::vector<ColumnOf<Record>>& columns, Observe observe) {
  const auto measure = [columns, observe](const Source& source) {
    const auto row_of = [&](const Record& record) {
      Row row;
      row.reserve(columns.size());
      for (const ColumnOf<Record>& column : columns) row.push_back(column.value(record));
      return row;
    };
    auto found = observe(source);
    Measurement measurement;
    if constexpr (std::same_as<decltype(found), Record>) {
      measurement.rows.push_back(row_of(found));
    } else {
      for (const Record& record : found) measurement.rows.push_back(row_of(record));
    }
    measurement.found = std::move(found);
    return measurement;
  };
  return {{std::move(name), std::move(meaning), Source::schedule, {columns.begin(), columns.end()}},
          measure};
}

}  // namespace gothic
