#include "files/table.hpp"

#include "files/input_file.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

using Kind = TableWriter::Kind;
using Table = FolderTest;

class TableOfRows : public FolderTest, public ::testing::WithParamInterface<int> {};

TEST_P(TableOfRows, KeepsEveryValue) {
  const int rows = GetParam();
  TableWriter table(file("t.h5"), "Steps", {{"step", Kind::integer}, {"time"}},
                    example_provenance());
  for (int i = 0; i < rows; ++i) table.append({i, 0.25 * i});
  EXPECT_EQ(table.rows(), static_cast<std::size_t>(rows));
  table.finish();

  const InputFile in(file("t.h5"));
  const auto step = in.all<std::int64_t>("/Steps/step");
  const auto time = in.all<double>("/Steps/time");
  ASSERT_EQ(step.size(), static_cast<std::size_t>(rows));
  ASSERT_EQ(time.size(), static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) {
    ASSERT_EQ(step[i], i);
    ASSERT_EQ(time[i], 0.25 * i);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, TableOfRows, ::testing::Values(0, 1, 1023, 1024, 1025, 5000));

TEST_F(Table, AppearsOnlyWhenFinished) {
  TableWriter table(file("t.h5"), "Steps", {{"time"}}, example_provenance());
  table.append({1.0});
  EXPECT_FALSE(std::filesystem::exists(file("t.h5")));
  EXPECT_TRUE(std::filesystem::exists(file("t.h5.partial")));
  table.finish();
  EXPECT_TRUE(std::filesystem::exists(file("t.h5")));
  EXPECT_EQ(names(), 1U);
}

TEST_F(Table, UnfinishedIsRemoved) {
  { const TableWriter table(file("t.h5"), "Steps", {{"time"}}, example_provenance()); }
  EXPECT_EQ(names(), 0U);
}

TEST_F(Table, RefusesRowsThatDoNotFit) {
  TableWriter table(file("t.h5"), "Steps", {{"n", Kind::integer}, {"x"}}, example_provenance());
  EXPECT_THROW(table.append({1.5, 2.5}), std::invalid_argument);
  EXPECT_THROW(table.append({1}), std::invalid_argument);
  table.append({1, 2});
  table.finish();
  EXPECT_EQ(InputFile(file("t.h5")).all<double>("/Steps/x"), std::vector<double>{2});
}

TEST_F(Table, HoldsAttributes) {
  TableWriter table(file("t.h5"), "Steps", {{"x"}}, example_provenance());
  table.set_attributes("Timing", {{"wall", 1.5}, {"steps", std::int64_t{7}}});
  table.finish();
  const InputFile in(file("t.h5"));
  EXPECT_EQ(in.number("/Timing", "wall"), 1.5);
  EXPECT_EQ(in.number("/Timing", "steps"), 7);
}

}  // namespace
}  // namespace gothic::files
