#include "files/table.hpp"

#include "fixtures.hpp"

namespace gothic::files {
namespace {

using Kind = TableWriter::Kind;
using Table = FolderTest;

template <class T>
std::vector<T> read_column(const std::filesystem::path& path, const std::string& name) {
  const hdf5::Handle in(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "file");
  const hdf5::Handle set(H5Dopen2(in.id(), name.c_str(), H5P_DEFAULT), H5Dclose, name);
  const hdf5::Handle space(H5Dget_space(set.id()), H5Sclose, name);
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id())));
  hdf5::check(
      H5Dread(set.id(), hdf5::native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
      name);
  return values;
}

class TableOfRows : public FolderTest, public ::testing::WithParamInterface<int> {};

TEST_P(TableOfRows, KeepsEveryValue) {
  const int rows = GetParam();
  TableWriter table(file("t.h5"), "Steps", {{"step", Kind::integer}, {"time"}},
                    example_provenance());
  for (int i = 0; i < rows; ++i) table.append({i, 0.25 * i});
  EXPECT_EQ(table.rows(), static_cast<std::size_t>(rows));
  table.finish();

  const auto step = read_column<std::int64_t>(file("t.h5"), "/Steps/step");
  const auto time = read_column<double>(file("t.h5"), "/Steps/time");
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

TEST_F(Table, IntegersGoToRealColumnsButNotTheReverse) {
  TableWriter table(file("t.h5"), "Steps", {{"n", Kind::integer}, {"x"}}, example_provenance());
  table.append({1, 2});
  EXPECT_THROW(table.append({1.5, 2.5}), std::invalid_argument);
}

TEST_F(Table, RefusesRowsOfAnotherLength) {
  TableWriter table(file("t.h5"), "Steps", {{"x"}}, example_provenance());
  EXPECT_THROW(table.append({1.0, 2.0}), std::invalid_argument);
  table.append({1.0});
  table.finish();
  EXPECT_EQ(read_column<double>(file("t.h5"), "/Steps/x").size(), 1U);
}

TEST_F(Table, HoldsAttributes) {
  TableWriter table(file("t.h5"), "Steps", {{"x"}}, example_provenance());
  table.set_attributes("Timing", {{"wall", 1.5}, {"steps", std::int64_t{7}}});
  table.finish();
  const hdf5::Handle in(H5Fopen(file("t.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "f");
  EXPECT_GT(H5Aexists_by_name(in.id(), "/Timing", "wall", H5P_DEFAULT), 0);
  EXPECT_GT(H5Aexists_by_name(in.id(), "/Timing", "steps", H5P_DEFAULT), 0);
}

}  // namespace
}  // namespace gothic::files
