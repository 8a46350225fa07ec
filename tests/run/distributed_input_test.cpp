#include "run/distributed_input.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "core/messages/one_rank.hpp"
#include "run/agreement.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"
#include "tests/files/fixtures.hpp"

namespace gothic::test {
namespace {

using files::Masses;
using files::Snapshot;

const std::vector<int> numbers_of_ranks = {2, 3, 5};

/// A file as another program may write it: with any of its datasets in any order.
class DistributedInput : public files::FolderTest {
 protected:
  DistributedInput() {
    files::write_snapshot(path_, files::example_snapshot(1), files::example_provenance());
  }

  /// Replaces the particles of the file by `particles`, whose types must ascend.
  void store(const Particles& particles, bool with_ids = true) const {
    using files::hdf5::Handle;
    const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "file");
    std::array<double, files::particle_types> counts{};
    for (int type = 0; type < files::particle_types; ++type) {
      const std::string name = "PartType" + std::to_string(type);
      if (H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) > 0) {
        files::hdf5::check(H5Ldelete(file.id(), name.c_str(), H5P_DEFAULT), name);
      }
      const auto [first, last] =
          std::equal_range(particles.type.begin(), particles.type.end(), std::uint8_t(type));
      const auto begin = first - particles.type.begin(), end = last - particles.type.begin();
      if (begin == end) continue;
      counts[std::size_t(type)] = double(end - begin);
      const Handle group = files::hdf5::open_or_create_group(file.id(), name);
      const auto put = [&](const char* dataset, const auto& values) {
        files::hdf5::write_dataset(group.id(), dataset,
                                   std::vector(values.begin() + begin, values.begin() + end));
      };
      put("Coordinates", particles.position);
      put("Velocities", particles.velocity);
      put("Masses", particles.mass);
      put("Component", particles.component);
      if (with_ids) put("ParticleIDs", particles.id);
    }
    const Handle header = files::hdf5::open_or_create_group(file.id(), "Header");
    files::write_attribute(header.id(), "NumPart_ThisFile", counts);
  }

  /// The snapshots of all ranks.
  std::vector<Snapshot> read(int size) const {
    std::vector<Snapshot> parts(static_cast<std::size_t>(size));
    on_ranks(size, [&](Communicator& ranks) {
      parts[std::size_t(ranks.rank())] = read_in_parts(ranks, path_, Masses::needed);
    });
    return parts;
  }

  /// Expects the message with which the reader of whole files refuses the file: as an own error on
  /// the one rank that finds it, and as another rank's error on the others.
  void expect_refused(int size) const {
    const std::string message = files::refusal_of([&] { files::read_snapshot(path_); });
    ASSERT_NE(message, "accepted");
    std::vector<std::string> own(static_cast<std::size_t>(size)), others(own);
    on_ranks(size, [&](Communicator& ranks) {
      const auto rank = std::size_t(ranks.rank());
      try {
        read_in_parts(ranks, path_, Masses::needed);
      } catch (const InputError& error) {
        own[rank] = error.what();
      } catch (const FailedElsewhere& error) {
        others[rank] = error.what();
        EXPECT_EQ(error.fault, Fault::usage);
      }
    });
    EXPECT_EQ(std::ranges::count(own, message), 1) << size << " ranks";
    EXPECT_EQ(std::ranges::count(others, message), size - 1) << size << " ranks";
  }

  std::filesystem::path path_ = file("s.h5");
};

/// Particles with IDs 1 ... n of three types, which are not consecutive.
Particles example(std::size_t n) {
  Particles particles = files::example_snapshot(n).particles;
  const std::array<std::uint8_t, 3> types = {0, 1, 4};
  for (std::size_t i = 0; i < n; ++i) {
    particles.type[i] = types[3 * i / n];
    particles.id[i] = i + 1;
  }
  return particles;
}

/// Gives IDs to particles in an order.
void shuffle_ids(Particles& particles) {
  std::mt19937 random(7);
  std::ranges::shuffle(particles.id, random);
}

/// The slices one after the other.
Particles together(const std::vector<Snapshot>& parts) {
  Particles all;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const Snapshot& part : parts) {
    append(all.mass, part.particles.mass);
    append(all.position, part.particles.position);
    append(all.velocity, part.particles.velocity);
    append(all.id, part.particles.id);
    append(all.type, part.particles.type);
    append(all.component, part.particles.component);
  }
  return all;
}

/// Expects the particles of the file in the order of (type, ID).
void expect_all_in_order(const Particles& found, const Particles& stored) {
  ASSERT_EQ(found.size(), stored.size());
  std::vector<std::size_t> order(stored.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::pair(stored.type[i], stored.id[i]); });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = order[k];
    ASSERT_EQ(found.id[k], stored.id[i]) << k;
    ASSERT_EQ(found.type[k], stored.type[i]);
    ASSERT_EQ(found.mass[k], stored.mass[i]);
    ASSERT_EQ(found.position[k], stored.position[i]);
    ASSERT_EQ(found.velocity[k], stored.velocity[i]);
    ASSERT_EQ(found.component[k], stored.component[i]);
  }
}

/// Expects about as many particles on every rank.
void expect_balanced(const std::vector<Snapshot>& parts, double tolerance) {
  std::size_t n = 0;
  for (const Snapshot& part : parts) n += part.particles.size();
  const double mean = double(n) / double(parts.size());
  for (const Snapshot& part : parts) {
    EXPECT_NEAR(double(part.particles.size()), mean, 1 + tolerance * mean);
  }
}

TEST_F(DistributedInput, GivesEveryRankASliceOfTheFile) {
  for (const std::size_t n : {1, 2, 4, 1000}) {
    const Particles stored = example(n);
    store(stored);
    for (const int size : numbers_of_ranks) {
      const std::vector<Snapshot> parts = read(size);
      expect_balanced(parts, 0);
      expect_all_in_order(together(parts), stored);
    }
  }
}

TEST_F(DistributedInput, SortsParticlesOverTheRanks) {
  for (const std::size_t n : {1, 2, 4, 20000}) {
    Particles descending = example(n), shuffled = example(n), anywhere = example(n);
    std::ranges::reverse(descending.id);
    shuffle_ids(shuffled);
    for (std::size_t i = 0; i < n; ++i) anywhere.id[i] = i * 0x9e3779b97f4a7c15;
    for (const Particles& stored : {descending, shuffled, anywhere}) {
      store(stored);
      for (const int size : numbers_of_ranks) {
        const std::vector<Snapshot> parts = read(size);
        if (n > 100) expect_balanced(parts, 0.01);
        expect_all_in_order(together(parts), stored);
      }
    }
  }
}

TEST_F(DistributedInput, TellsEveryRankAllButTheParticles) {
  const Snapshot whole = files::read_snapshot(path_);
  for (const Snapshot& part : read(3)) {
    EXPECT_EQ(part.units, whole.units);
    EXPECT_EQ(part.time, whole.time);
    EXPECT_EQ(part.softening, whole.softening);
    EXPECT_EQ(part.components, whole.components);
  }
}

TEST_F(DistributedInput, OneRankHasTheOrderOfTheFile) {
  Particles stored = example(100);
  shuffle_ids(stored);
  store(stored);
  EXPECT_EQ(read_in_parts(one_rank(), path_, Masses::needed).particles.id, stored.id);
}

TEST_F(DistributedInput, MakesMissingIdsInTheOrderOfTheFile) {
  Particles stored = example(11);
  shuffle_ids(stored);
  store(stored, false);
  std::iota(stored.id.begin(), stored.id.end(), std::uint64_t(1));
  for (const int size : numbers_of_ranks) expect_all_in_order(together(read(size)), stored);
}

TEST_F(DistributedInput, RefusesAnIdThatIsThereTwice) {
  const std::size_t n = 50;
  const std::array<std::pair<std::size_t, std::size_t>, 4> twins = {
      std::pair{0, n - 1}, {3, 4}, {n / 2, n - 1}, {16, 17}};
  for (const auto& [i, k] : twins) {
    for (const bool shuffled : {false, true}) {
      Particles stored = example(n);
      if (shuffled) shuffle_ids(stored);
      stored.id[k] = stored.id[i];
      store(stored);
      for (const int size : numbers_of_ranks) expect_refused(size);
    }
  }
}

TEST_F(DistributedInput, RefusesWhatIsWrongWithOneParticle) {
  const std::size_t n = 12;
  const std::vector<std::function<void(Particles&, std::size_t)>> faults = {
      [](Particles& p, std::size_t i) { p.position[i][1] = std::nanf(""); },
      [](Particles& p, std::size_t i) { p.velocity[i][2] = INFINITY; },
      [](Particles& p, std::size_t i) { p.mass[i] = -1; },
      [](Particles& p, std::size_t i) { p.component[i] = 3; }};
  for (const auto& spoil : faults) {
    for (const std::size_t i : {std::size_t(0), n / 2, n - 1}) {
      Particles stored = example(n);
      spoil(stored, i);
      store(stored);
      for (const int size : {2, 3, 5, 20}) expect_refused(size);
    }
  }
}

TEST_F(DistributedInput, NeedsAMassOnAnyRank) {
  Particles stored = example(9);
  std::ranges::fill(stored.mass, 0.0F);
  store(stored);
  for (const int size : {2, 3, 5, 20}) expect_refused(size);
  on_ranks(3, [&](Communicator& ranks) {
    EXPECT_EQ(read_in_parts(ranks, path_, Masses::may_vanish).particles.size(), 3U);
  });
  stored.mass.back() = 1;
  store(stored);
  expect_all_in_order(together(read(5)), stored);
}

TEST_F(DistributedInput, RefusesADamagedFile) {
  store(example(1000));
  const auto whole = double(std::filesystem::file_size(path_));
  for (const double part : {0.9, 0.1, 0.0}) {
    std::filesystem::resize_file(path_, std::uintmax_t(part * whole));
    for (const int size : numbers_of_ranks) expect_refused(size);
  }
  std::filesystem::remove(path_);
  expect_refused(3);
}

/// The error is found when a slice is read, later than the header.
TEST_F(DistributedInput, RefusesAMissingDataset) {
  store(example(10));
  {
    const files::hdf5::Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "");
    files::hdf5::check(H5Ldelete(file.id(), "PartType4/Velocities", H5P_DEFAULT), "");
  }
  for (const int size : numbers_of_ranks) expect_refused(size);
}

}  // namespace
}  // namespace gothic::test
