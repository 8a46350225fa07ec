#include <sys/stat.h>

#include <cmath>
#include <functional>
#include <limits>

#include "files/points_file.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

using hdf5::Handle;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// An HDF5 file that is opened to be changed.
class Victim {
 public:
  explicit Victim(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  Handle open() const {
    return {H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "file"};
  }

  void remove(const std::string& object) const {
    hdf5::check(H5Ldelete(open().id(), object.c_str(), H5P_DEFAULT), object);
  }

  void remove_attribute(const std::string& group, const std::string& name) const {
    hdf5::check(H5Adelete_by_name(open().id(), group.c_str(), name.c_str(), H5P_DEFAULT), name);
  }

  template <class T>
  void set_attribute(const std::string& group, const std::string& name, const T& value) const {
    const Handle in = open();
    write_attribute(hdf5::open_or_create_group(in.id(), group).id(), name, value);
  }

  void count(const std::array<double, particle_types>& particles) const {
    set_attribute("/Header", "NumPart_ThisFile", particles);
  }

  template <class Row>
  void replace(const std::string& object, const std::vector<Row>& rows) const {
    const Handle in = open();
    if (H5Lexists(in.id(), object.c_str(), H5P_DEFAULT) > 0) {
      hdf5::check(H5Ldelete(in.id(), object.c_str(), H5P_DEFAULT), object);
    }
    hdf5::write_dataset(in.id(), object, rows);
  }

  /// Replaces the positions of type 1 by an empty dataset of `rows` positions, stored as `store`
  /// says, and lets the header count them.
  void replace_positions(hsize_t rows, const std::function<void(hid_t)>& store) const {
    const std::string name = "/PartType1/Coordinates";
    count({0, double(rows), 0, 0, 2, 0});
    remove(name);
    const hsize_t shape[2] = {rows, 3};
    const Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose, name);
    const Handle storage(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
    store(storage.id());
    const Handle in = open();
    const Handle dataset(H5Dcreate2(in.id(), name.c_str(), H5T_NATIVE_FLOAT, space.id(),
                                    H5P_DEFAULT, storage.id(), H5P_DEFAULT),
                         H5Dclose, name);
  }

 private:
  std::filesystem::path path_;
};

/// What is done to a good file, and the message that it is refused with.
struct Damage {
  const char* name;
  std::function<void(const Victim&)> done;
  std::string message;
};

std::ostream& operator<<(std::ostream& out, const Damage& damage) { return out << damage.name; }

/// A good file of four particles: two of type 1, IDs 2 and 4, and two of type 4, IDs 1 and 3.
class BadSnapshot : public FolderTest, public ::testing::WithParamInterface<Damage> {
 protected:
  BadSnapshot() { write_snapshot(victim_.path(), example_snapshot(4), example_provenance()); }

  Victim victim_{file("s.h5")};
};

TEST_P(BadSnapshot, IsRefused) {
  EXPECT_EQ(read_snapshot(victim_.path()).particles.size(), 4U);
  GetParam().done(victim_);
  EXPECT_EQ(refusal_of([&] { read_snapshot(victim_.path()); }),
            victim_.path().string() + ": " + GetParam().message);
}

const std::string truncated = "input: is truncated or damaged; write or copy it again";
const std::string no_particles =
    "/Header/NumPart_ThisFile: the file holds no particles; give at least one";
const std::string no_count =
    "/Header/NumPart_ThisFile: is no count for type 4; count the particles";

std::string out_of_range(const std::string& field, int id) {
  return field + ": a value of the particle with ID " + std::to_string(id) +
         " is NaN, infinite or beyond single precision; correct or remove that particle";
}

std::string twice(const std::string& group, int id) {
  return group + "/ParticleIDs: the ID " + std::to_string(id) +
         " occurs more than once; give every particle its own, or leave out all IDs";
}

std::function<void(const Victim&)> truncate_to(double part) {
  return [part](const Victim& file) {
    const auto size = static_cast<double>(std::filesystem::file_size(file.path()));
    std::filesystem::resize_file(file.path(), std::uintmax_t(part * size));
  };
}

template <class T>
std::function<void(const Victim&)> header(const std::string& name, const T& value) {
  return [=](const Victim& file) { file.set_attribute("/Header", name, value); };
}

std::function<void(const Victim&)> counts(const std::array<double, particle_types>& particles) {
  return header("NumPart_ThisFile", particles);
}

template <class Row>
std::function<void(const Victim&)> dataset(const std::string& name, const std::vector<Row>& rows) {
  return [=](const Victim& file) { file.replace(name, rows); };
}

std::function<void(const Victim&)> without(const std::string& object) {
  return [=](const Victim& file) { file.remove(object); };
}

INSTANTIATE_TEST_SUITE_P(
    File, BadSnapshot,
    ::testing::Values(
        Damage{"Missing", [](const Victim& f) { std::filesystem::remove(f.path()); },
               "input: there is no such file; check the name"},
        Damage{"Folder",
               [](const Victim& f) {
                 std::filesystem::remove(f.path());
                 std::filesystem::create_directory(f.path());
               },
               "input: is a folder; give the name of a file"},
        Damage{"Pipe",
               [](const Victim& f) {
                 std::filesystem::remove(f.path());
                 ASSERT_EQ(::mkfifo(f.path().c_str(), 0600), 0);
               },
               "input: is a device or a pipe; give the name of a file"},
        Damage{"Text", [](const Victim& f) { std::ofstream(f.path()) << "x y z\n1 2 3\n"; },
               no_snapshot},
        Damage{"Empty", truncate_to(0), no_snapshot}, Damage{"Tenth", truncate_to(0.1), truncated},
        Damage{"Half", truncate_to(0.5), truncated},
        Damage{"NearlyWhole", truncate_to(0.9999), truncated},
        Damage{"DeclaresMoreThanItHolds",
               [](const Victim& f) {
                 const hsize_t piece[2] = {1024, 3};
                 f.replace_positions(hsize_t{1} << 40,
                                     [&](hid_t storage) { H5Pset_chunk(storage, 2, piece); });
                 EXPECT_LT(std::filesystem::file_size(f.path()), 100'000U);
               },
               "/PartType1/Coordinates: declares 3298534883328 numbers, more than the file can "
               "hold; write or copy it again"},
        Damage{"NumbersElsewhere",
               [](const Victim& f) {
                 f.replace_positions(
                     2, [](hid_t storage) { H5Pset_external(storage, "other", 0, H5F_UNLIMITED); });
               },
               "/PartType1/Coordinates: its numbers are in other files; give the name of one of "
               "these, "
               "or join them"}));

INSTANTIATE_TEST_SUITE_P(
    Header, BadSnapshot,
    ::testing::Values(
        Damage{"Missing", without("/Header"),
               "/Header: the group is missing; give a GADGET HDF5 snapshot, such as gothic-ic "
               "writes"},
        Damage{"NoTime", [](const Victim& f) { f.remove_attribute("/Header", "Time"); },
               "/Header/Time: the attribute is missing; add it to the file"},
        Damage{"OneCount", header("NumPart_ThisFile", std::int64_t{4}),
               "/PartType0: the group is missing though /Header/NumPart_ThisFile counts its "
               "particles; add it"},
        Damage{"OneTypeNotCounted", counts({0, 0, 0, 0, 2, 0}),
               "/PartType1: has particles, but /Header/NumPart_ThisFile counts none; correct it"},
        Damage{"TimeInWords", header("Time", std::string("now")),
               "/Header/Time: is not a number; store numbers"},
        Damage{"ComovingWithoutH", header("Redshift", 0.5),
               "/Header/HubbleParam: does not tell h, but the snapshot is comoving; add it, since "
               "lengths and masses are in units of 1/h"},
        Damage{"NegativeH", header("HubbleParam", -0.7),
               "/Header/HubbleParam: is -0.7; give the Hubble constant in 100 km/s/Mpc"},
        Damage{
            "PeriodicBox", header("BoxSize", 100.0),
            "/Header/BoxSize: is 100, but space is not periodic here; cut out the system and set "
            "it to 0, or add --box ignore if the particles do not fill the box"},
        Damage{"TimeIsNaN", header("Time", std::nan("")),
               "/Header/Time: is not finite; correct it"},
        Damage{"NegativeSoftening", header("Softening", -1.0),
               "/Header/Softening: is negative or not finite; correct it"},
        Damage{"NoUnit",
               [](const Victim& f) {
                 f.remove_attribute("/Header", "UnitMass_in_g");
                 f.remove("/Units");
               },
               "/Header/UnitMass_in_g: the attribute is missing; add it (1 in model units, where "
               "G = 1), or write the three units into s.param"},
        Damage{"UnitIsZero", header("UnitLength_in_cm", 0.0),
               "/Header/UnitLength_in_cm: is not positive; give the unit's value in cgs"},
        Damage{"NoGravity", header("UnitMass_in_g", 1e-300),
               "units: make the gravitational constant 0, beyond single precision; correct them"},
        Damage{"WrittenWithoutParticles",
               [](const Victim& f) {
                 write_snapshot(f.path(), example_snapshot(0), example_provenance());
               },
               no_particles},
        Damage{"NegativeCount", counts({0, -2, 0, 0, 2, 0}),
               "/Header/NumPart_ThisFile: is negative for type 1; count the particles"},
        Damage{"FractionOfAParticle", counts({0, 2, 0, 0, 1.5, 0}), no_count},
        Damage{"HugeCount", counts({0, 2, 0, 0, 1e300, 0}), no_count},
        Damage{"CountIsNaN", counts({0, 2, 0, 0, std::nan(""), 0}), no_count},
        Damage{"SeveralFiles", header("NumFilesPerSnapshot", std::int64_t{2}),
               "input: is one of 2 files of a snapshot; call them NAME.0.hdf5, NAME.1.hdf5, ..., "
               "or NAME.0, NAME.1, ..."}));

INSTANTIATE_TEST_SUITE_P(
    Datasets, BadSnapshot,
    ::
        testing::
            Values(
                Damage{
                    "NoGroup", without("/PartType4"),
                    "/PartType4: the group is missing though /Header/NumPart_ThisFile counts its "
                    "particles; add it"},
                Damage{"Missing", without("/PartType1/Velocities"),
                       "/PartType1/Velocities: the dataset is missing; add it to the file"},
                Damage{"TwoColumns",
                       dataset("/PartType1/Coordinates", std::vector<std::array<float, 2>>(2)),
                       "/PartType1/Coordinates: has shape [2, 2]; it needs [2, 3], as "
                       "/Header/NumPart_ThisFile says"},
                Damage{"TooLong", dataset("/PartType4/Masses", std::vector<float>(3, 1)),
                       "/PartType4/Masses: has shape [3]; it needs [2], as "
                       "/Header/NumPart_ThisFile says"},
                Damage{"RealIds", dataset("/PartType4/ParticleIDs", std::vector<float>{1, 3}),
                       "/PartType4/ParticleIDs: has the wrong type; store integers"},
                Damage{
                    "Group",
                    [](const Victim& f) {
                      f.remove("/PartType1/Masses");
                      hdf5::open_or_create_group(f.open().id(), "/PartType1/Masses");
                    },
                    "/PartType1/Masses: is not a dataset; store the numbers there"},
                Damage{"NoMasses", without("/PartType4/Masses"),
                       "/PartType4/Masses: the dataset is missing and /Header/MassTable gives no "
                       "mass for "
                       "type 4; add either"},
                Damage{"IdsOfOneType", without("/PartType4/ParticleIDs"),
                       "/PartType4/ParticleIDs: the dataset is missing; add it to the file"},
                Damage{"NegativeId",
                       dataset("/PartType4/ParticleIDs", std::vector<std::int64_t>{3, -1}),
                       "/PartType4/ParticleIDs: an ID is -1; give every particle an ID from 0 on, "
                       "or leave out all IDs"},
                Damage{"Gas",
                       [](const Victim& f) {
                         f.count({2, 2, 0, 0, 2, 0});
                         const std::vector<Vec3> zeros(2);
                         hdf5::open_or_create_group(f.open().id(), "/PartType0");
                         f.replace("/PartType0/Coordinates", zeros);
                         f.replace("/PartType0/InternalEnergy", std::vector<float>{1, 1});
                       },
                       "/PartType0: the file holds gas, 2 particles; remove them, or add --gas "
                       "collisionless, which moves them by gravity alone"},
                Damage{"IdTwice",
                       dataset("/PartType4/ParticleIDs", std::vector<std::uint64_t>{3, 3}),
                       twice("/PartType4", 3)},
                Damage{"IdInTwoTypes",
                       dataset("/PartType4/ParticleIDs", std::vector<std::uint64_t>{1, 2}),
                       twice("/PartType1", 2)}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, BadSnapshot,
    ::testing::Values(
        Damage{"PositionIsNaN",
               dataset("/PartType4/Coordinates", std::vector<Vec3>{{}, {0, not_a_number, 0}}),
               out_of_range("/PartType4/Coordinates", 3)},
        Damage{"VelocityIsInfinite",
               dataset("/PartType1/Velocities", std::vector<Vec3>{{0, 0, -infinity}, {}}),
               out_of_range("/PartType1/Velocities", 2)},
        Damage{
            "BeyondSinglePrecision",
            dataset("/PartType1/Velocities", std::vector<std::array<double, 3>>{{}, {1e300, 0, 0}}),
            out_of_range("/PartType1/Velocities", 4)},
        Damage{"MassIsNaN", dataset("/PartType1/Masses", std::vector<float>{1, not_a_number}),
               out_of_range("/PartType1/Masses", 4)},
        Damage{"NegativeMass", dataset("/PartType4/Masses", std::vector<float>{-1, 1}),
               "/PartType4/Masses: the mass of the particle with ID 1 is negative; masses must be "
               "zero or positive"}));

INSTANTIATE_TEST_SUITE_P(
    Components, BadSnapshot,
    ::testing::Values(
        Damage{"TooMany", dataset("/PartType4/Component", std::vector<std::int32_t>{1, 3}),
               "/PartType4/Component: is 3 for the particle with ID 3, but there are 3 components; "
               "correct it or leave out their table"},
        Damage{
            "Negative", dataset("/PartType4/Component", std::vector<std::int32_t>{-1, 1}),
            "/PartType4/Component: is -1 for the particle with ID 1, but there are 3 components; "
            "correct it or leave out their table"},
        Damage{"ShortColumn", dataset("/Components/Type", std::vector<std::int32_t>{1, 4}),
               "/Components/Type: has 2 rows, but /Components/Name 3; give one row for each "
               "component"},
        Damage{"WrongType", dataset("/Components/Type", std::vector<std::int32_t>{1, 4, 6}),
               "/Components/Type: is 6 for component 2; give a type from 0 to 5"},
        Damage{"WrongSoftening",
               dataset("/Components/Softening", std::vector<double>{0.25, not_a_number, 0}),
               "/Components/Softening: is negative or not finite for component 1; correct it"},
        Damage{"NumbersForNames", dataset("/Components/Name", std::vector<std::int32_t>{1, 2, 3}),
               "/Components/Name: is not a list of strings of fixed length; store them so"},
        Damage{"NumbersForModels", dataset("/Components/Model", std::vector<std::int32_t>{1, 2, 3}),
               "/Components/Model: is not a list of strings of fixed length; store them so"},
        Damage{"NoNames", without("/Components/Name"),
               "/Components/Name: the dataset is missing; add it to the file"}));

/// What may be missing in the good file, and how else its numbers may be stored.
using OddSnapshot = BadSnapshot;

TEST_F(OddSnapshot, MassesMayVanishIfAskedFor) {
  victim_.replace("/PartType1/Masses", std::vector<float>{0, 0});
  EXPECT_NO_THROW(read_snapshot(victim_.path())) << "test particles are welcome";
  victim_.replace("/PartType4/Masses", std::vector<float>{0, 0});
  EXPECT_EQ(refusal_of([&] { read_snapshot(victim_.path()); }),
            victim_.path().string() +
                ": /PartType1/Masses: all masses are zero; give at least one particle a positive "
                "mass, or an external potential in which they move");
  EXPECT_NO_THROW(read_snapshot(victim_.path(), Masses::may_vanish));
}

TEST_F(OddSnapshot, MassesMayComeFromTheTable) {
  victim_.remove("/PartType4/Masses");
  victim_.set_attribute("/Header", "MassTable", std::array<double, 6>{0, 0, 0, 0, 0.5, 0});
  EXPECT_EQ(read_snapshot(victim_.path()).particles.mass, (std::vector<float>{3, 1, 0.5, 0.5}));
}

TEST_F(OddSnapshot, UnitsMayComeFromTheUnitsGroup) {
  victim_.remove_attribute("/Header", "UnitMass_in_g");
  EXPECT_EQ(read_snapshot(victim_.path()).units, example_snapshot(4).units);
}

TEST_F(OddSnapshot, NumbersMayHaveAnyWidth) {
  victim_.replace("/PartType1/Coordinates",
                  std::vector<std::array<double, 3>>{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}});
  victim_.replace("/PartType1/ParticleIDs", std::vector<std::int32_t>{20, 40});
  const Particles particles = read_snapshot(victim_.path()).particles;
  EXPECT_EQ(particles.position[1], (Vec3{0.4F, 0.5F, 0.6F}));
  EXPECT_EQ(particles.id, (std::vector<std::uint64_t>{20, 40, 1, 3}));
}

TEST_F(OddSnapshot, IdsAreMadeWhereNoneAreStored) {
  victim_.remove("/PartType1/ParticleIDs");
  victim_.remove("/PartType4/ParticleIDs");
  EXPECT_EQ(read_snapshot(victim_.path()).particles.id, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST_F(OddSnapshot, SlicesHaveTheIdsOfTheirPlaces) {
  victim_.remove("/PartType1/ParticleIDs");
  victim_.remove("/PartType4/ParticleIDs");
  EXPECT_EQ(SnapshotReader(victim_.path()).read(1, 2).id, (std::vector<std::uint64_t>{2, 3}));
  victim_.replace("/PartType4/ParticleIDs", std::vector<std::uint64_t>{7, 8});
  EXPECT_EQ(refusal_of([&] { SnapshotReader(victim_.path()).read(0, 2); }),
            victim_.path().string() +
                ": /PartType1/ParticleIDs: the dataset is missing; add it to the file");
}

TEST_F(OddSnapshot, ComponentsNeedNeitherNamesNorNumbers) {
  victim_.remove("/Components");
  victim_.remove("/PartType4/Component");
  const Snapshot snapshot = read_snapshot(victim_.path());
  EXPECT_TRUE(snapshot.components.empty());
  EXPECT_EQ(snapshot.particles.component, (std::vector<std::int32_t>{2, 0, 4, 4}));
}

/// A file of points.
class Points : public FolderTest {
 protected:
  template <class Row>
  void write(const std::vector<Row>& rows, const std::string& name = "Coordinates") const {
    const Handle out(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                     "");
    hdf5::write_dataset(out.id(), name, rows);
  }

  void expect_refused(const std::string& message) const {
    EXPECT_EQ(refusal_of([&] { read_points(path_); }), path_.string() + ": " + message);
  }

  std::filesystem::path path_ = file("points.h5");
};

TEST_F(Points, MayHaveNumbersOfAnyWidth) {
  const std::vector<Vec3> points = {{1, 2, 3}, {-4, 5.5F, 1e30F}};
  write(points);
  EXPECT_EQ(read_points(path_), points);
  write(std::vector<std::array<double, 3>>{{1, 2, 3}, {-4, 5.5, 1e30}});
  EXPECT_EQ(read_points(path_), points);
  write(std::vector<std::array<std::int32_t, 3>>{{1, 2, 3}});
  EXPECT_EQ(read_points(path_), (std::vector<Vec3>{{1, 2, 3}}));
}

TEST_F(Points, NeedThreeFiniteCoordinates) {
  expect_refused("input: there is no such file; check the name");
  write(std::vector<Vec3>{{1, 2, 3}}, "Positions");
  expect_refused("/Coordinates: the dataset is missing; add it to the file");
  write(std::vector<float>{1, 2, 3});
  expect_refused("/Coordinates: has shape [3]; it needs [N, 3]");
  write(std::vector<std::array<float, 2>>{{1, 2}, {3, 4}});
  expect_refused("/Coordinates: has shape [2, 2]; it needs [N, 3]");
  for (const double bad : {std::nan(""), double(infinity), 1e39}) {
    write(std::vector<std::array<double, 3>>{{1, 2, 3}, {4, bad, 6}, {7, 8, 9}});
    expect_refused(
        "/Coordinates: row 1 is NaN, infinite or beyond single precision; correct or remove it");
  }
}

}  // namespace
}  // namespace gothic::files
