#include "files/snapshot.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

using SnapshotFile = FolderTest;

TEST_F(SnapshotFile, KeepsEveryParticle) {
  const Snapshot written = example_snapshot(1001);
  write_snapshot(file("s.h5"), written, example_provenance());
  const Snapshot read = read_snapshot(file("s.h5"));

  EXPECT_EQ(read.units, written.units);
  EXPECT_EQ(read.time, written.time);
  EXPECT_EQ(read.softening, written.softening);
  EXPECT_EQ(read.components, written.components);
  ASSERT_EQ(read.particles.size(), written.particles.size());
  std::map<std::uint64_t, std::size_t> index;
  for (std::size_t i = 0; i < 1001; ++i) index[written.particles.id[i]] = i;
  for (std::size_t i = 0; i < 1001; ++i) {
    const std::size_t j = index.at(read.particles.id[i]);
    EXPECT_EQ(read.particles.mass[i], written.particles.mass[j]);
    EXPECT_EQ(read.particles.position[i], written.particles.position[j]);
    EXPECT_EQ(read.particles.velocity[i], written.particles.velocity[j]);
    EXPECT_EQ(read.particles.type[i], written.particles.type[j]);
    EXPECT_EQ(read.particles.component[i], written.particles.component[j]);
  }
}

TEST_F(SnapshotFile, IsInOrderOfTypeAndId) {
  write_snapshot(file("s.h5"), example_snapshot(100), example_provenance());
  const Particles particles = read_snapshot(file("s.h5")).particles;
  EXPECT_TRUE(std::is_sorted(particles.type.begin(), particles.type.end()));
  const auto first_star = particles.id.begin() + 50;
  EXPECT_TRUE(std::is_sorted(particles.id.begin(), first_star));
  EXPECT_TRUE(std::is_sorted(first_star, particles.id.end()));
}

TEST_F(SnapshotFile, DoesNotDependOnTheOrderInMemory) {
  Snapshot snapshot = example_snapshot(100);
  Provenance provenance = example_provenance();
  provenance.date.clear();
  write_snapshot(file("a.h5"), snapshot, provenance);
  write_snapshot(file("b.h5"), read_snapshot(file("a.h5")), provenance);
  const auto bytes = [](const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes(file("a.h5")), bytes(file("b.h5")));
}

TEST_F(SnapshotFile, OneParticleIsEnough) {
  write_snapshot(file("s.h5"), example_snapshot(1), example_provenance());
  EXPECT_EQ(read_snapshot(file("s.h5")).particles.size(), 1U);
}

TEST_F(SnapshotFile, SpansSeveralPiecesOfTheWriter) {
  const std::size_t count = (std::size_t{1} << 19) + 3;
  write_snapshot(file("s.h5"), example_snapshot(count), example_provenance());
  const Particles particles = read_snapshot(file("s.h5")).particles;
  ASSERT_EQ(particles.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(particles.mass[i], 1.0F + static_cast<float>(count - particles.id[i]));
  }
}

template <class T>
std::vector<T> read_dataset(const std::filesystem::path& path, const std::string& name,
                            std::size_t size) {
  std::vector<T> values(size);
  const hdf5::Handle in(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "file");
  const hdf5::Handle set(H5Dopen2(in.id(), name.c_str(), H5P_DEFAULT), H5Dclose, name);
  hdf5::check(
      H5Dread(set.id(), hdf5::native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
      name);
  return values;
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

TEST_F(SnapshotFile, HoldsForcesInTheOrderOfIds) {
  const Snapshot snapshot = example_snapshot(100);
  const Forces forces = example_forces<float>(snapshot.particles);
  write_snapshot(file("s.h5"), snapshot, example_provenance(), &forces);
  const auto id = read_dataset<std::uint64_t>(file("s.h5"), "/PartType4/ParticleIDs", 50);
  const auto potential = read_dataset<float>(file("s.h5"), "/PartType4/Potential", 50);
  const auto acceleration = read_dataset<float>(file("s.h5"), "/PartType4/Acceleration", 150);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(potential[i], -static_cast<float>(id[i]) / 3);
    EXPECT_EQ(acceleration[3 * i + 2], 3 * (static_cast<float>(id[i]) / 3));
  }
}

TEST_F(SnapshotFile, TellsTheTimeInGigayears) {
  write_snapshot(file("s.h5"), example_snapshot(1), example_provenance());
  const hdf5::Handle in(H5Fopen(file("s.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "");
  const hdf5::Handle time(H5Aopen_by_name(in.id(), "/Header", "Time_GYR", H5P_DEFAULT, H5P_DEFAULT),
                          H5Aclose, "");
  double value = 0;
  H5Aread(time.id(), H5T_NATIVE_DOUBLE, &value);
  EXPECT_NEAR(value, 0.5 * 0.977792, 1e-6) << "kpc / (km/s)";
}

TEST_F(SnapshotFile, RefusesForcesOfAnotherLength) {
  const Snapshot snapshot = example_snapshot(100);
  const Forces forces = example_forces<float>(example_snapshot(99).particles);
  EXPECT_THROW(write_snapshot(file("s.h5"), snapshot, example_provenance(), &forces),
               std::invalid_argument);
}

TEST_F(SnapshotFile, ForceFileKeepsDoublePrecision) {
  const Particles particles = example_snapshot(100).particles;
  write_forces(file("f.h5"), particles, example_forces<double>(particles), Units{},
               {{"direct", 1.25}, {"threads", std::int64_t{2}}}, example_provenance());
  const auto id = read_dataset<std::uint64_t>(file("f.h5"), "/PartType1/ParticleIDs", 50);
  const auto potential = read_dataset<double>(file("f.h5"), "/PartType1/Potential", 50);
  EXPECT_TRUE(std::is_sorted(id.begin(), id.end()));
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(potential[i], -static_cast<double>(id[i]) / 3);
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

TEST_F(SnapshotFile, MissingFolderIsTheUsersError) {
  try {
    write_snapshot(folder_ / "nowhere" / "s.h5", example_snapshot(1), example_provenance());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), (folder_ / "nowhere/s.h5").string() + ": output: the folder " +
                                (folder_ / "nowhere").string() +
                                " does not exist; create it first");
  }
}

}  // namespace
}  // namespace gothic::files
