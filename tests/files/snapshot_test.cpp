#include "files/snapshot.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/points_file.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

using SnapshotFile = FolderTest;

TEST_F(SnapshotFile, KeepsEveryParticle) {
  const std::size_t count = (std::size_t{1} << 19) + 3;  // several pieces of the writer
  const Snapshot written = example_snapshot(count);
  write_snapshot(file("s.h5"), written, example_provenance());
  const Snapshot read = read_snapshot(file("s.h5"));

  EXPECT_EQ(read.units, written.units);
  EXPECT_EQ(read.time, written.time);
  EXPECT_EQ(read.softening, written.softening);
  EXPECT_EQ(read.components, written.components);
  ASSERT_EQ(read.particles.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = count - read.particles.id[i];
    ASSERT_EQ(read.particles.mass[i], written.particles.mass[j]);
    ASSERT_EQ(read.particles.position[i], written.particles.position[j]);
    ASSERT_EQ(read.particles.velocity[i], written.particles.velocity[j]);
    ASSERT_EQ(read.particles.type[i], written.particles.type[j]);
    ASSERT_EQ(read.particles.component[i], written.particles.component[j]);
  }
}

TEST_F(SnapshotFile, IsInOrderOfTypeAndId) {
  write_snapshot(file("s.h5"), example_snapshot(100), example_provenance());
  const Particles particles = read_snapshot(file("s.h5")).particles;
  EXPECT_TRUE(std::ranges::is_sorted(particles.type));
  const auto first_star = particles.id.begin() + 50;
  EXPECT_TRUE(std::is_sorted(particles.id.begin(), first_star));
  EXPECT_TRUE(std::is_sorted(first_star, particles.id.end()));
}

TEST_F(SnapshotFile, DoesNotDependOnTheOrderInMemory) {
  Provenance provenance = example_provenance();
  provenance.date.clear();
  write_snapshot(file("a.h5"), example_snapshot(100), provenance);
  write_snapshot(file("b.h5"), read_snapshot(file("a.h5")), provenance);
  EXPECT_EQ(content("a.h5"), content("b.h5"));
}

TEST_F(SnapshotFile, IsReadInSlices) {
  const std::size_t n = 10;
  for (const int compression : {0, 4}) {
    write_snapshot(file("s.h5"), example_snapshot(n), example_provenance(), nullptr, compression);
    const Snapshot whole = read_snapshot(file("s.h5"));
    SnapshotReader reader(file("s.h5"));
    EXPECT_EQ(reader.size(), n);
    EXPECT_EQ(reader.about().units, whole.units);
    EXPECT_EQ(reader.about().components, whole.components);
    EXPECT_EQ(reader.about().particles.size(), 0U);
    for (std::size_t first = 0; first <= n; ++first) {
      for (std::size_t count = 0; count <= n - first; ++count) {
        const Particles slice = reader.read(first, count);
        ASSERT_EQ(slice.size(), count);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(slice.id[i], whole.particles.id[first + i]) << first << " " << count;
          ASSERT_EQ(slice.mass[i], whole.particles.mass[first + i]);
          ASSERT_EQ(slice.position[i], whole.particles.position[first + i]);
          ASSERT_EQ(slice.velocity[i], whole.particles.velocity[first + i]);
          ASSERT_EQ(slice.type[i], whole.particles.type[first + i]);
          ASSERT_EQ(slice.component[i], whole.particles.component[first + i]);
        }
      }
    }
  }
}

TEST_F(SnapshotFile, TellsItsOriginAndTheTimeInGigayears) {
  const char* const words[] = {"gothic", "run", "--input", "ic.h5"};
  Provenance provenance = current_provenance("gothic run", 4, words);
  provenance.device = "cpu";
  provenance.options["accuracy"] = "0.0078125";
  write_snapshot(file("s.h5"), example_snapshot(1), provenance);
  const InputFile in(file("s.h5"));
  auto origin = in.text_attributes("/Provenance");
  EXPECT_EQ(origin["program"], "gothic run");
  EXPECT_EQ(origin["command_line"], "gothic run --input ic.h5");
  EXPECT_EQ(origin["device"], "cpu");
  EXPECT_EQ(origin["revision"], provenance.revision);
  EXPECT_EQ(origin["compiler"], provenance.compiler);
  EXPECT_EQ(origin["date"].size(), std::string("2000-01-01T00:00:00Z").size());
  EXPECT_EQ(in.text_attributes("/Options")["accuracy"], "0.0078125");
  EXPECT_NEAR(in.number("/Header", "Time_GYR"), 0.5 * 0.977792, 1e-6) << "kpc / (km/s)";
}

TEST_F(SnapshotFile, LaterAttributeReplacesEarlierOne) {
  OutputFile out(file("a.h5"));
  for (const std::string device : {"cpu", "cuda"}) {
    write_attributes(out.id(), "Timing", {{"device", device}});
  }
  out.commit();
  EXPECT_EQ(InputFile(file("a.h5")).text_attributes("/Timing")["device"], "cuda");
}

template <class T>
BasicForces<T> example_forces(const Particles& particles) {
  BasicForces<T> forces;
  for (const std::uint64_t id : particles.id) {
    const T value = static_cast<T>(id) / 3;
    forces.acceleration.push_back({value, 2 * value, 3 * value});
    forces.potential.push_back(-value);
  }
  return forces;
}

/// Expects the forces of example_forces() on particles of type 1 in the order of their IDs.
template <class T>
void expect_forces(const std::filesystem::path& path) {
  const InputFile in(path);
  const auto id = in.all<std::uint64_t>("/PartType1/ParticleIDs");
  const auto potential = in.all<T>("/PartType1/Potential");
  const auto acceleration = in.all<std::array<T, 3>>("/PartType1/Acceleration");
  EXPECT_TRUE(std::ranges::is_sorted(id));
  ASSERT_EQ(id.size(), 50U);
  for (std::size_t i = 0; i < id.size(); ++i) {
    EXPECT_EQ(potential[i], -static_cast<T>(id[i]) / 3);
    EXPECT_EQ(acceleration[i][2], 3 * (static_cast<T>(id[i]) / 3));
  }
}

TEST_F(SnapshotFile, HoldsForcesInTheOrderOfIds) {
  const Snapshot snapshot = example_snapshot(100);
  const Forces forces = example_forces<float>(snapshot.particles);
  write_snapshot(file("s.h5"), snapshot, example_provenance(), &forces);
  expect_forces<float>(file("s.h5"));
  const Snapshot other = example_snapshot(99);
  EXPECT_THROW(write_snapshot(file("o.h5"), other, example_provenance(), &forces),
               std::invalid_argument);
}

void expect_equal(const Particles& found, const Particles& wanted) {
  EXPECT_EQ(found.mass, wanted.mass);
  EXPECT_EQ(found.position, wanted.position);
  EXPECT_EQ(found.velocity, wanted.velocity);
  EXPECT_EQ(found.id, wanted.id);
  EXPECT_EQ(found.type, wanted.type);
  EXPECT_EQ(found.component, wanted.component);
}

TEST_F(SnapshotFile, IsTheSameFromPiecesOfAnySize) {
  const std::size_t count = (std::size_t{1} << 17) + 3;  // several pieces of compressed numbers
  const Snapshot whole = ordered_snapshot(count);
  const Snapshot about{.units = whole.units,
                       .time = whole.time,
                       .softening = whole.softening,
                       .components = whole.components,
                       .particles = {}};
  for (const int compression : {0, 1}) {
    SnapshotWriter writer(file("s.h5"), about, counts_of(whole.particles.type),
                          example_provenance(), compression);
    std::size_t size = 1;
    for (std::size_t first = 0; first < count; first += size, size = 3 * size + 1) {
      const Particles piece = part_of(whole.particles, first, std::min(first + size, count));
      const Forces forces = example_forces<float>(piece);
      writer.add(piece, &forces);
    }
    EXPECT_FALSE(std::filesystem::exists(file("s.h5"))) << "not complete yet";
    writer.commit();

    const Snapshot read = read_snapshot(file("s.h5"));
    EXPECT_EQ(read.units, whole.units);
    EXPECT_EQ(read.time, whole.time);
    EXPECT_EQ(read.softening, whole.softening);
    EXPECT_EQ(read.components, whole.components);
    expect_equal(read.particles, whole.particles);
    const Forces forces = example_forces<float>(whole.particles);
    const InputFile in(file("s.h5"));
    auto acceleration = in.all<Vec3>("/PartType1/Acceleration");
    std::ranges::copy(in.all<Vec3>("/PartType4/Acceleration"), std::back_inserter(acceleration));
    EXPECT_EQ(acceleration, forces.acceleration);
    auto potential = in.all<float>("/PartType1/Potential");
    std::ranges::copy(in.all<float>("/PartType4/Potential"), std::back_inserter(potential));
    EXPECT_EQ(potential, forces.potential);
    std::filesystem::remove(file("s.h5"));
  }
}

TEST_F(SnapshotFile, IsNotMadeOfParticlesMissingTooManyOrOutOfOrder) {
  const Particles particles = ordered_snapshot(10).particles;
  const Snapshot about{.units = {}, .particles = {}};
  const auto write = [&](const TypeCounts& counts, const std::vector<Particles>& pieces) {
    SnapshotWriter writer(file("s.h5"), about, counts, example_provenance());
    for (const Particles& piece : pieces) writer.add(piece);
    writer.commit();
  };
  const TypeCounts counts{0, 5, 0, 0, 5, 0};
  const Particles first = part_of(particles, 0, 3), last = part_of(particles, 3, 10);
  EXPECT_THROW(write(counts, {first}), std::logic_error);
  EXPECT_THROW(write({0, 5, 0, 0, 5, 1}, {particles}), std::logic_error) << "none of a type";
  EXPECT_THROW(write({0, 5, 0, 0, 4, 0}, {particles}), std::logic_error);
  EXPECT_THROW(write(counts, {particles, first}), std::logic_error);
  EXPECT_THROW(write(counts, {last, first}), std::logic_error) << "IDs";
  EXPECT_THROW(write(counts, {example_snapshot(10).particles}), std::logic_error) << "IDs";
  {
    SnapshotWriter writer(file("s.h5"), about, counts, example_provenance());
    const Forces forces = example_forces<float>(first);
    writer.add(first, &forces);
    writer.add(last);
    EXPECT_THROW(writer.commit(), std::logic_error) << "forces on some";
  }
  EXPECT_EQ(names(), 0U);
  write(counts, {first, last});
  EXPECT_EQ(names(), 1U);
}

/// An attribute of /Header of a file that this process is writing.
std::array<std::uint64_t, particle_types> header_of_partial(const std::filesystem::path& path,
                                                            const std::string& name) {
  const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "access");
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);  // as OutputFile does
  const hdf5::Handle in(H5Fopen((path.string() + ".partial").c_str(), H5F_ACC_RDWR, access.id()),
                        H5Fclose, "file");
  const hdf5::Handle attribute(
      H5Aopen_by_name(in.id(), "Header", name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  std::array<std::uint64_t, particle_types> numbers{};
  hdf5::check(H5Aread(attribute.id(), H5T_NATIVE_UINT64, numbers.data()), name);
  return numbers;
}

TEST_F(SnapshotFile, CountsMoreParticlesThan32BitsDo) {
  const std::uint64_t many = (1ULL << 31) + 5, more = (3ULL << 32) + 7;
  const SnapshotWriter writer(file("s.h5"), {.units = {}, .particles = {}},
                              {0, many, 0, 0, more, 0}, example_provenance());
  using Counts = std::array<std::uint64_t, particle_types>;
  const auto header = [&](const std::string& name) {
    return header_of_partial(file("s.h5"), name);
  };
  EXPECT_EQ(header("NumPart_ThisFile"), (Counts{0, many, 0, 0, more, 0}));
  EXPECT_EQ(header("NumPart_Total"), (Counts{0, many, 0, 0, 7, 0}));
  EXPECT_EQ(header("NumPart_Total_HighWord"), (Counts{0, 0, 0, 0, 3, 0}));
}

TEST_F(SnapshotFile, ForceFileKeepsDoublePrecision) {
  const Particles particles = example_snapshot(100).particles;
  write_forces(file("f.h5"), particles, example_forces<double>(particles), Units{},
               {{"direct", 1.25}, {"threads", std::int64_t{2}}}, example_provenance());
  expect_forces<double>(file("f.h5"));
  EXPECT_EQ(InputFile(file("f.h5")).number("/Timing", "direct"), 1.25);
}

TEST_F(SnapshotFile, PointsKeepTheirOrder) {
  const std::vector<Vec3> points = {{3, 2, 1}, {6, 5, 4}};
  const ReferenceForces forces{{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, {-0.7, -0.8}};
  write_point_forces(file("p.h5"), points, forces, {2, 3, 4}, {{"direct", 0.5}},
                     example_provenance());
  const InputFile in(file("p.h5"));
  EXPECT_EQ(in.all<Vec3>("/Points/Coordinates"), points);
  EXPECT_EQ((in.all<std::array<double, 3>>("/Points/Acceleration")), forces.acceleration);
  EXPECT_EQ(in.all<double>("/Points/Potential"), forces.potential);
  EXPECT_EQ(in.number("/Timing", "direct"), 0.5);
  EXPECT_EQ(in.number("/Units", "UnitMass_in_g"), 3);
  EXPECT_EQ(in.text_attributes("/Provenance")["program"], "test_files");
}

/// Starts to write a snapshot to `path` in another process, kills it midway and returns whether it
/// was still writing then.
bool kill_while_writing(const std::filesystem::path& path) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::filesystem::remove(partial);
  const pid_t child = ::fork();
  if (child == 0) {
    write_snapshot(path, example_snapshot(std::size_t{1} << 21), example_provenance());
    ::_exit(0);
  }
  std::error_code missing;
  int status = 0;
  while (std::filesystem::file_size(partial, missing) < 1'000'000 || missing) {
    if (::waitpid(child, &status, WNOHANG) == child) return false;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST_F(SnapshotFile, KilledWriterLeavesTheOldFileIntact) {
  const std::filesystem::path path = file("s.h5");
  write_snapshot(path, example_snapshot(10), example_provenance());
  ASSERT_TRUE(kill_while_writing(path));
  EXPECT_EQ(read_snapshot(path).particles.size(), 10U);

  write_snapshot(path, example_snapshot(20), example_provenance());
  EXPECT_EQ(read_snapshot(path).particles.size(), 20U);
  EXPECT_EQ(names(), 1U) << "the next writer takes over the unfinished file";
}

TEST_F(SnapshotFile, MissingFoldersAreMade) {
  const std::filesystem::path path = file("new") / "folder" / "s.h5";
  write_snapshot(path, example_snapshot(3), example_provenance());
  EXPECT_EQ(read_snapshot(path).particles.size(), 3U);
}

TEST_F(SnapshotFile, FileInThePlaceOfAFolderIsTheUsersError) {
  const std::filesystem::path place = file("s.h5");
  write_snapshot(place, example_snapshot(1), example_provenance());
  EXPECT_EQ(refusal_of(
                [&] { write_snapshot(place / "s.h5", example_snapshot(1), example_provenance()); }),
            place.string() + ": the folder cannot be made (Not a directory); choose another one");
}

}  // namespace
}  // namespace gothic::files
