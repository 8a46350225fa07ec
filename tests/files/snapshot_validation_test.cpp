#include <cmath>
#include <fstream>
#include <limits>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

/// Damages a good file.
class SnapshotValidation : public GoodFileTest {
 protected:
  void remove(const std::string& object) const {
    const hdf5::Handle in = open();
    hdf5::check(H5Ldelete(in.id(), object.c_str(), H5P_DEFAULT), object);
  }

  void remove_attribute(const std::string& group, const std::string& name) const {
    const hdf5::Handle in = open();
    hdf5::check(H5Adelete_by_name(in.id(), group.c_str(), name.c_str(), H5P_DEFAULT), name);
  }

  /// Replaces a dataset by one of `values`, with `columns` numbers per row.
  template <class T>
  void replace(const std::string& object, const std::vector<T>& values, hsize_t columns = 1) const {
    const hdf5::Handle in = open();
    if (H5Lexists(in.id(), object.c_str(), H5P_DEFAULT) > 0) {
      hdf5::check(H5Ldelete(in.id(), object.c_str(), H5P_DEFAULT), object);
    }
    const hsize_t rows = values.size() / columns;
    const hid_t type = hdf5::native_type<T>();
    const hdf5::Handle set = hdf5::create_dataset(in.id(), object, type, rows, columns);
    hdf5::write_rows(set.id(), type, 0, rows, values.data());
  }
};

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

TEST_F(SnapshotValidation, GoodFileIsAccepted) {
  EXPECT_EQ(read_snapshot(path_).particles.size(), 4U);
}

TEST_F(SnapshotValidation, MissingFile) {
  std::filesystem::remove(path_);
  expect_error("input: there is no such file; check the name");
}

TEST_F(SnapshotValidation, Folder) {
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  expect_error("input: is a folder; give the name of a file");
}

TEST_F(SnapshotValidation, NotHdf5) {
  std::ofstream(path_) << "x y z\n1 2 3\n";
  expect_error("input: is not an HDF5 file; give a GADGET HDF5 snapshot, such as gothic-ic writes");
}

TEST_F(SnapshotValidation, EmptyFile) {
  std::filesystem::resize_file(path_, 0);
  expect_error("input: is not an HDF5 file; give a GADGET HDF5 snapshot, such as gothic-ic writes");
}

TEST_F(SnapshotValidation, TruncatedAnywhere) {
  const auto size = std::filesystem::file_size(path_);
  for (const auto keep : {size - 1, size / 2, size / 10, std::uintmax_t{600}}) {
    std::filesystem::resize_file(path_, keep);
    expect_error("input: is truncated or damaged; write or copy it again");
  }
}

TEST_F(SnapshotValidation, MissingHeader) {
  remove("/Header");
  expect_error(
      "/Header: the group is missing; give a GADGET HDF5 snapshot, such as gothic-ic writes");
}

TEST_F(SnapshotValidation, MissingAttribute) {
  remove_attribute("/Header", "Time");
  expect_error("/Header/Time: the attribute is missing; add it to the file");
}

TEST_F(SnapshotValidation, AttributeOfWrongLength) {
  set_attribute("/Header", "NumPart_ThisFile", std::int64_t{4});
  expect_error("/Header/NumPart_ThisFile: holds 1 numbers; it needs 6");
}

TEST_F(SnapshotValidation, AttributeOfWrongType) {
  set_attribute("/Header", "Time", std::string("now"));
  expect_error("/Header/Time: is not a number; store numbers");
}

TEST_F(SnapshotValidation, TimeIsNotFinite) {
  set_attribute("/Header", "Time", std::nan(""));
  expect_error("/Header/Time: is not finite; correct it");
}

TEST_F(SnapshotValidation, NegativeSoftening) {
  set_attribute("/Header", "Softening", -1.0);
  expect_error("/Header/Softening: is negative or not finite; correct it");
}

TEST_F(SnapshotValidation, UnitsMayComeFromTheUnitsGroup) {
  remove_attribute("/Header", "UnitMass_in_g");
  EXPECT_EQ(read_snapshot(path_).units, example_snapshot(4).units);
}

TEST_F(SnapshotValidation, MissingUnit) {
  remove_attribute("/Header", "UnitMass_in_g");
  remove("/Units");
  expect_error(
      "/Header/UnitMass_in_g: the attribute is missing; add it (1 in model units, where G = 1)");
}

TEST_F(SnapshotValidation, UnitIsNotPositive) {
  set_attribute("/Header", "UnitLength_in_cm", 0.0);
  expect_error("/Header/UnitLength_in_cm: is not positive; give the unit's value in cgs");
}

TEST_F(SnapshotValidation, NoParticles) {
  const std::vector<std::int32_t> none(6, 0);
  set_attribute("/Header", "NumPart_ThisFile", std::span(none));
  expect_error("/Header/NumPart_ThisFile: the file holds no particles; give at least one");
}

TEST_F(SnapshotValidation, EmptySnapshotWrittenHereIsRefused) {
  write_snapshot(path_, example_snapshot(0), example_provenance());
  expect_error("/Header/NumPart_ThisFile: the file holds no particles; give at least one");
}

TEST_F(SnapshotValidation, NegativeNumberOfParticles) {
  const std::vector<std::int32_t> negative{0, -2, 0, 0, 2, 0};
  set_attribute("/Header", "NumPart_ThisFile", std::span(negative));
  expect_error("/Header/NumPart_ThisFile: is negative for type 1; count the particles");
}

TEST_F(SnapshotValidation, SeveralFiles) {
  set_attribute("/Header", "NumFilesPerSnapshot", std::int64_t{2});
  expect_error(
      "/Header/NumFilesPerSnapshot: the snapshot is spread over several files; join them into one");
}

TEST_F(SnapshotValidation, MissingGroup) {
  remove("/PartType4");
  expect_error(
      "/PartType4: the group is missing though /Header/NumPart_ThisFile counts its particles; "
      "add it");
}

TEST_F(SnapshotValidation, MissingDataset) {
  remove("/PartType1/Velocities");
  expect_error("/PartType1/Velocities: the dataset is missing; add it to the file");
}

TEST_F(SnapshotValidation, WrongShape) {
  replace("/PartType1/Coordinates", std::vector<float>(4), 2);
  expect_error(
      "/PartType1/Coordinates: has shape [2, 2]; it needs [2, 3], as /Header/NumPart_ThisFile "
      "says");
  replace("/PartType1/Coordinates", std::vector<float>(6));
  expect_error(
      "/PartType1/Coordinates: has shape [6]; it needs [2, 3], as /Header/NumPart_ThisFile says");
}

TEST_F(SnapshotValidation, WrongLength) {
  replace("/PartType4/Masses", std::vector<float>(3, 1.0F));
  expect_error("/PartType4/Masses: has shape [3]; it needs [2], as /Header/NumPart_ThisFile says");
}

TEST_F(SnapshotValidation, WrongType) {
  replace("/PartType4/ParticleIDs", std::vector<float>{1, 3});
  expect_error("/PartType4/ParticleIDs: has the wrong type; store integers");
}

TEST_F(SnapshotValidation, GroupInPlaceOfDataset) {
  remove("/PartType1/Masses");
  { hdf5::open_or_create_group(open().id(), "/PartType1/Masses"); }
  expect_error("/PartType1/Masses: is not a dataset; store the numbers there");
}

TEST_F(SnapshotValidation, CoordinateIsNaN) {
  replace("/PartType4/Coordinates", std::vector<float>{0, 0, 0, 0, nan_value, 0}, 3);
  expect_error(
      "/PartType4/Coordinates: a value of the particle with ID 3 is NaN, infinite or beyond "
      "single precision; correct or remove that particle");
}

TEST_F(SnapshotValidation, VelocityIsInfinite) {
  replace("/PartType1/Velocities", std::vector<float>{0, 0, -infinity, 0, 0, 0}, 3);
  expect_error(
      "/PartType1/Velocities: a value of the particle with ID 2 is NaN, infinite or beyond "
      "single precision; correct or remove that particle");
}

TEST_F(SnapshotValidation, DoubleBeyondSinglePrecision) {
  replace("/PartType1/Velocities", std::vector<double>{0, 0, 0, 1e300, 0, 0}, 3);
  expect_error(
      "/PartType1/Velocities: a value of the particle with ID 4 is NaN, infinite or beyond "
      "single precision; correct or remove that particle");
}

TEST_F(SnapshotValidation, MassIsNaN) {
  replace("/PartType1/Masses", std::vector<float>{1, nan_value});
  expect_error(
      "/PartType1/Masses: a value of the particle with ID 4 is NaN, infinite or beyond single "
      "precision; correct or remove that particle");
}

TEST_F(SnapshotValidation, NegativeMass) {
  replace("/PartType4/Masses", std::vector<float>{-1, 1});
  expect_error(
      "/PartType4/Masses: the mass of the particle with ID 1 is negative; masses must be zero or "
      "positive");
}

TEST_F(SnapshotValidation, NoMassAtAll) {
  replace("/PartType1/Masses", std::vector<float>{0, 0});
  EXPECT_NO_THROW(read_snapshot(path_)) << "test particles are welcome";
  replace("/PartType4/Masses", std::vector<float>{0, 0});
  expect_error(
      "/PartType1/Masses: all masses are zero; give at least one particle a positive mass, or the "
      "potential in which they move with --external");
  EXPECT_NO_THROW(read_snapshot(path_, Masses::may_vanish));
}

TEST_F(SnapshotValidation, IdTwiceInOneType) {
  replace("/PartType4/ParticleIDs", std::vector<std::uint64_t>{3, 3});
  expect_error(
      "/PartType4/ParticleIDs: the ID 3 occurs more than once; give every particle its own, or "
      "leave out ParticleIDs");
}

TEST_F(SnapshotValidation, IdTwiceInDifferentTypes) {
  replace("/PartType4/ParticleIDs", std::vector<std::uint64_t>{1, 2});
  expect_error(
      "/PartType1/ParticleIDs: the ID 2 occurs more than once; give every particle its own, or "
      "leave out ParticleIDs");
}

TEST_F(SnapshotValidation, IdsOfOneTypeOnly) {
  remove("/PartType4/ParticleIDs");
  expect_error("/PartType4/ParticleIDs: the dataset is missing; add it to the file");
}

TEST_F(SnapshotValidation, IdsAreMadeWhereNoneAreStored) {
  remove("/PartType1/ParticleIDs");
  remove("/PartType4/ParticleIDs");
  EXPECT_EQ(read_snapshot(path_).particles.id, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST_F(SnapshotValidation, IdsMayBeOf32Bits) {
  replace("/PartType1/ParticleIDs", std::vector<std::int32_t>{20, 40});
  EXPECT_EQ(read_snapshot(path_).particles.id, (std::vector<std::uint64_t>{20, 40, 1, 3}));
}

TEST_F(SnapshotValidation, ComponentIsTheTypeWhereNoneIsStored) {
  remove("/Components");
  remove("/PartType4/Component");
  EXPECT_EQ(read_snapshot(path_).particles.component, (std::vector<std::int32_t>{2, 0, 4, 4}));
}

TEST_F(SnapshotValidation, ComponentsNeedNoNames) {
  remove("/Components");
  const Snapshot snapshot = read_snapshot(path_);
  EXPECT_TRUE(snapshot.components.empty());
  EXPECT_EQ(snapshot.particles.component, (std::vector<std::int32_t>{2, 0, 0, 1}));
}

TEST_F(SnapshotValidation, EveryComponentIsNamedOrNone) {
  replace("/PartType4/Component", std::vector<std::int32_t>{1, 3});
  expect_error(
      "/PartType4/Component: is 3 for the particle with ID 3, but /Components names 3; correct it "
      "or leave out /Components");
  replace("/PartType4/Component", std::vector<std::int32_t>{-1, 1});
  expect_error(
      "/PartType4/Component: is -1 for the particle with ID 1, but /Components names 3; correct it "
      "or leave out /Components");
}

TEST_F(SnapshotValidation, ColumnsOfComponentsHaveOneLength) {
  replace("/Components/Type", std::vector<std::int32_t>{1, 4});
  expect_error(
      "/Components/Type: has 2 rows, but /Components/Name 3; give one row for each component");
}

TEST_F(SnapshotValidation, WrongTypeOrSofteningOfAComponent) {
  replace("/Components/Type", std::vector<std::int32_t>{1, 4, 6});
  expect_error("/Components/Type: is 6 for component 2; give a type from 0 to 5");
  replace("/Components/Type", std::vector<std::int32_t>{1, 4, 4});
  replace("/Components/Softening", std::vector<double>{0.25, nan_value, 0});
  expect_error("/Components/Softening: is negative or not finite for component 1; correct it");
}

TEST_F(SnapshotValidation, NamesOfComponentsAreStrings) {
  replace("/Components/Name", std::vector<std::int32_t>{1, 2, 3});
  expect_error("/Components/Name: is not a list of strings of fixed length; store them so");
  remove("/Components/Name");
  expect_error("/Components/Name: the dataset is missing; add it to the file");
}

TEST_F(SnapshotValidation, MassesMayComeFromTheTable) {
  remove("/PartType4/Masses");
  const std::vector<double> table{0, 0, 0, 0, 0.5, 0};
  set_attribute("/Header", "MassTable", std::span(table));
  EXPECT_EQ(read_snapshot(path_).particles.mass, (std::vector<float>{3, 1, 0.5, 0.5}));
}

TEST_F(SnapshotValidation, MissingMasses) {
  remove("/PartType4/Masses");
  expect_error(
      "/PartType4/Masses: the dataset is missing and /Header/MassTable gives no mass for type 4; "
      "add either");
}

TEST_F(SnapshotValidation, DoublePrecisionIsConverted) {
  replace("/PartType1/Coordinates", std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, 3);
  const Particles particles = read_snapshot(path_).particles;
  EXPECT_EQ(particles.position[1], (Vec3{0.4F, 0.5F, 0.6F}));
}

}  // namespace
}  // namespace gothic::files
