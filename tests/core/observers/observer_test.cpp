#include "core/observers/observer.hpp"

#include <gtest/gtest.h>

namespace gothic {
namespace {

/// Numbers that are observed.
struct Numbers {
  static constexpr Schedule schedule = Schedule::states;
  std::vector<double> values;
};

struct Square {
  std::uint32_t place;
  double value;
  bool is_large;
};

const std::vector<ColumnOf<Square>>& square_columns() {
  static const std::vector<ColumnOf<Square>> columns = {
      {"place", "", "place of the number", [](const Square& s) { return s.place; }},
      {"square", "length^2", "square of the number", [](const Square& s) { return s.value; }},
      {"large", "", "1 where it is above 10", [](const Square& s) { return s.is_large; }}};
  return columns;
}

std::vector<Square> squares(const Numbers& numbers) {
  std::vector<Square> found;
  for (const double x : numbers.values) {
    found.push_back({std::uint32_t(found.size()), x * x, x * x > 10});
  }
  return found;
}

TEST(Observer, HasARowForEachRecord) {
  const auto each =
      observer<Numbers>("squares", "a row for each number", square_columns(), squares);
  const Measurement measurement = each.measure({{1.5, 4}});
  const std::vector<Row> rows = {{std::int64_t(0), 2.25, std::int64_t(0)},
                                 {std::int64_t(1), 16.0, std::int64_t(1)}};
  EXPECT_EQ(measurement.rows, rows);
  EXPECT_EQ(std::any_cast<std::vector<Square>>(measurement.found).at(1).value, 16);
  EXPECT_TRUE(each.measure({}).rows.empty());
}

TEST(Observer, HasOneRowForARecord) {
  const auto last = observer<Numbers>("last", "a row for the last number", square_columns(),
                                      [](const Numbers& n) { return squares(n).back(); });
  const Measurement measurement = last.measure({{1.5, 4}});
  ASSERT_EQ(measurement.rows.size(), 1U);
  EXPECT_EQ(measurement.rows.front().at(1), Value(16.0));
  EXPECT_EQ(std::any_cast<Square>(measurement.found).place, 1U);
}

TEST(Observer, TellsScheduleAndColumnsWithoutItsFunction) {
  const auto about =
      observer<Numbers>("squares", "a row for each number", square_columns(), squares);
  EXPECT_EQ(about.schedule, Schedule::states);
  ASSERT_EQ(about.columns.size(), 3U);
  EXPECT_EQ(about.columns[1].name, "square");
  EXPECT_EQ(about.columns[1].unit, "length^2");
  EXPECT_TRUE(about.columns[0].is_integer);
  EXPECT_FALSE(about.columns[1].is_integer);
  EXPECT_TRUE(about.columns[2].is_integer);
}

}  // namespace
}  // namespace gothic
