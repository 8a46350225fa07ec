#include "files/points_file.hpp"

#include <cmath>
#include <limits>

#include "files/hdf5.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

class PointsFiles : public FolderTest {
 protected:
  template <class T>
  void write(const std::vector<T>& values, hsize_t columns,
             const std::string& name = "Coordinates") const {
    OutputFile out(path_);
    const hsize_t rows = values.size() / columns;
    const hid_t type = hdf5::native_type<T>();
    hdf5::Handle set = hdf5::create_dataset(out.id(), name, type, rows, columns);
    if (rows > 0) hdf5::write_rows(set.id(), type, 0, rows, values.data());
    set = {};
    out.commit();
  }

  /// Expects that reading fails with "PATH: " + message.
  void expect_error(const std::string& message) const {
    try {
      read_points(path_);
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), path_.string() + ": " + message);
    }
  }

  std::filesystem::path path_ = file("points.h5");
};

TEST_F(PointsFiles, MayHaveNumbersOfAnyWidth) {
  const std::vector<Vec3> points = {{1, 2, 3}, {-4, 5.5F, 1e30F}};
  write(std::vector<float>{1, 2, 3, -4, 5.5F, 1e30F}, 3);
  EXPECT_EQ(read_points(path_), points);
  write(std::vector<double>{1, 2, 3, -4, 5.5, 1e30}, 3);
  EXPECT_EQ(read_points(path_), points);
  write(std::vector<std::int32_t>{1, 2, 3}, 3);
  EXPECT_EQ(read_points(path_), (std::vector<Vec3>{{1, 2, 3}}));
}

TEST_F(PointsFiles, WithoutPointsAreRefused) {
  expect_error("input: there is no such file; check the name");
  write(std::vector<float>{1, 2, 3}, 3, "Positions");
  expect_error("/Coordinates: the dataset is missing; add it to the file");
  write(std::vector<float>{}, 3);
  expect_error("/Coordinates: there are no points; give at least one");
}

TEST_F(PointsFiles, OfAnotherShapeAreRefused) {
  write(std::vector<float>{1, 2, 3}, 1);
  expect_error("/Coordinates: has shape [3]; it needs rows of 3 numbers, [N, 3]");
  write(std::vector<float>{1, 2, 3, 4}, 2);
  expect_error("/Coordinates: has shape [2, 2]; it needs rows of 3 numbers, [N, 3]");
}

TEST_F(PointsFiles, WithNumbersThatAreNotFiniteAreRefused) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), infinity, -infinity, 1e39}) {
    write(std::vector<double>{1, 2, 3, 4, bad, 6, 7, 8, 9}, 3);
    expect_error(
        "/Coordinates: row 1 is NaN, infinite or beyond single precision; correct or remove it");
  }
}

TEST_F(PointsFiles, KeepForcesInTheOrderOfThePoints) {
  const std::vector<Vec3> points = {{3, 2, 1}, {6, 5, 4}};
  const ReferenceForces forces{{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, {-0.7, -0.8}};
  write_point_forces(path_, points, forces, {2, 3, 4}, {{"direct", 0.5}}, example_provenance());
  const InputFile in(path_);
  std::vector<Vec3> coordinates(2);
  std::vector<std::array<double, 3>> acceleration(2);
  std::vector<double> potential(2);
  in.read("/Points/Coordinates", 2, 3, coordinates.front().data());
  in.read("/Points/Acceleration", 2, 3, acceleration.front().data());
  in.read("/Points/Potential", 2, 1, potential.data());
  EXPECT_EQ(coordinates, points);
  EXPECT_EQ(acceleration, forces.acceleration);
  EXPECT_EQ(potential, forces.potential);
  EXPECT_EQ(in.number("/Timing", "direct"), 0.5);
  EXPECT_EQ(in.number("/Units", "UnitMass_in_g"), 3);
  EXPECT_EQ(in.text_attributes("/Provenance")["program"], "test_files");
  EXPECT_EQ(names(), 1U);
}

TEST_F(PointsFiles, NeedAForceForEveryPoint) {
  const Forces short_of_one{{{0, 0, 0}}, {0}};
  EXPECT_THROW(
      write_point_forces(path_, {{1, 2, 3}, {4, 5, 6}}, short_of_one, {}, {}, example_provenance()),
      std::invalid_argument);
  EXPECT_EQ(names(), 0U);
}

}  // namespace
}  // namespace gothic::files
