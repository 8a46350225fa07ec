#include "files/tipsy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fixtures.hpp"

namespace gothic::files {
namespace {

/// Files that are read and written as bytes, without the code under test.
class Tipsy : public FolderTest {
 protected:
  template <class T>
  static std::string big_endian(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }

  template <class T>
  static T number(const std::string& bytes, std::size_t at) {
    std::string piece = bytes.substr(at, sizeof(T));
    std::reverse(piece.begin(), piece.end());
    T value;
    std::memcpy(&value, piece.data(), sizeof value);
    return value;
  }

  static std::string header(int particles, int dimensions, int gas, int dark, int stars) {
    std::string bytes = big_endian(0.25);
    for (const int value : {particles, dimensions, gas, dark, stars, 0}) bytes += big_endian(value);
    return bytes;
  }

  static std::string record(const std::vector<float>& numbers) {
    std::string bytes;
    for (const float value : numbers) bytes += big_endian(value);
    return bytes;
  }

  static std::string dark(float first) { return record({first, 1, 2, 3, 4, 5, 6, 0.5F, -1}); }
  static std::string star(float first) {
    return record({first, 1, 2, 3, 4, 5, 6, 0.02F, 7, 0.5F, -1});
  }

  /// Two dark particles and two stars.
  static std::string good_file() {
    return header(4, 3, 0, 2, 2) + dark(1) + dark(2) + star(3) + star(4);
  }

  /// Expects that reading the file "t" fails with "PATH: " + message.
  void expect_error(const std::string& message, const std::string& name = "t") const {
    EXPECT_EQ(refusal_of([&] { read_snapshot(file("t")); }), file(name).string() + ": " + message);
  }

  /// Replaces bytes of the good file from `at` on by `bytes`, and expects an error.
  void expect_error_with(std::size_t at, const std::string& bytes,
                         const std::string& message) const {
    put("t", good_file().replace(at, bytes.size(), bytes));
    expect_error(message);
  }
};

/// G in the units of the file: 43007.1 in (1e10 solar masses, kpc, km/s).
const Units galactic = example_snapshot(1).units;

Snapshot with_one_softening(std::size_t count) {
  Snapshot snapshot = example_snapshot(count);
  for (ComponentInfo& component : snapshot.components) component.softening = 0;
  return snapshot;
}

TEST_F(Tipsy, RoundTripKeepsEveryParticle) {
  const std::size_t count = 100001;
  const Snapshot written = with_one_softening(count);
  write_tipsy(file("t"), written, example_provenance());
  const Snapshot read = read_snapshot(file("t"));
  EXPECT_EQ(read.softening, written.softening);
  EXPECT_NEAR(read.time, written.time, 1e-15);
  ASSERT_EQ(read.particles.size(), count);
  const std::size_t dark = count / 2 + 1;
  for (std::size_t i = 0; i < count; ++i) {
    // The IDs descend from `count` in the example, the types alternate, beginning with 1.
    const std::size_t j = i < dark ? 2 * (dark - 1 - i) : 2 * (count - 1 - i) + 1;
    ASSERT_EQ(read.particles.id[i], i + 1);
    ASSERT_EQ(read.particles.type[i], i < dark ? 1 : 4);
    ASSERT_EQ(read.particles.component[i], i < dark ? 0 : 1);
    ASSERT_EQ(read.particles.mass[i], written.particles.mass[j]);
    ASSERT_EQ(read.particles.position[i], written.particles.position[j]);
    for (int k = 0; k < 3; ++k) {
      ASSERT_FLOAT_EQ(read.particles.velocity[i][k], written.particles.velocity[j][k]);
    }
  }
}

TEST_F(Tipsy, LayoutIsThatOfTheFormat) {
  Snapshot snapshot{.units = {}, .time = 0.25, .softening = 0.5, .particles = {}};
  snapshot.particles = {.mass = {3, 1},
                        .position = {{1, 2, 3}, {1, 2, 3}},
                        .velocity = {{4, 5, 6}, {4, 5, 6}},
                        .id = {1, 2},
                        .type = {4, 1},
                        .component = {0, 0}};
  write_tipsy(file("t"), snapshot, example_provenance());
  EXPECT_EQ(content("t"), header(2, 3, 0, 1, 1) + record({1, 1, 2, 3, 4, 5, 6, 0.5F, 0}) +
                              record({3, 1, 2, 3, 4, 5, 6, 0, 0, 0.5F, 0}));
}

TEST_F(Tipsy, EverythingButStarsIsDark) {
  Snapshot snapshot = with_one_softening(6);
  snapshot.particles.type = {5, 4, 3, 2, 1, 0};
  write_tipsy(file("t"), snapshot, example_provenance());
  const Particles read = read_snapshot(file("t")).particles;
  EXPECT_EQ(read.type, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 4}));
  EXPECT_EQ(read.mass, (std::vector<float>{6, 5, 4, 3, 1, 2})) << "by type";
}

TEST_F(Tipsy, IsTheSameFromPieces) {
  const std::size_t count = 1000;
  Snapshot whole = ordered_snapshot(count);
  Particles& particles = whole.particles;
  for (std::size_t i = 0; i < count; ++i) particles.type[i] = static_cast<std::uint8_t>(i / 167);
  write_tipsy(file("whole"), whole, example_provenance());
  const TypeCounts counts = counts_of(particles.type);
  {
    TipsyWriter writer(file("pieces"), whole, counts, example_provenance());
    for (std::size_t first = 0; first < count; first += 50) {
      writer.add(part_of(particles, first, first + 50));
    }
    writer.commit();
  }
  EXPECT_EQ(content("pieces"), content("whole"));
  const std::size_t files = names();
  {
    TipsyWriter writer(file("few"), whole, counts, example_provenance());
    writer.add(part_of(particles, 0, count - 1));
    EXPECT_THROW(writer.commit(), std::logic_error);
    EXPECT_THROW(writer.add(part_of(particles, count - 2, count)), std::logic_error) << "too many";
  }
  EXPECT_EQ(names(), files);
}

TEST_F(Tipsy, EitherByteOrderIsRead) {
  const std::string big = good_file();
  std::string little = big;
  std::reverse(little.begin(), little.begin() + 8);
  for (auto word = little.begin() + 8; word != little.end(); word += 4) {
    std::reverse(word, word + 4);
  }
  for (const std::string& bytes : {big, little}) {
    put("t", bytes);
    const Snapshot snapshot = read_snapshot(file("t"));
    EXPECT_EQ(snapshot.units, Units{});
    EXPECT_EQ(snapshot.time, 0.25);
    EXPECT_EQ(snapshot.softening, 0.5);
    EXPECT_EQ(snapshot.particles.mass, (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(snapshot.particles.position[3], (Vec3{1, 2, 3}));
    EXPECT_EQ(snapshot.particles.velocity[3], (Vec3{4, 5, 6}));
    EXPECT_EQ(snapshot.particles.type, (std::vector<std::uint8_t>{1, 1, 4, 4}));
  }
}

TEST_F(Tipsy, OtherLengthsAreRefused) {
  for (std::size_t length : {0, 31, 32, 191, 193}) {
    std::string bytes = good_file();
    bytes.resize(length);
    put("t", bytes);
    expect_error(
        length < 32
            ? no_snapshot
            : "input: has " + std::to_string(length) +
                  " bytes, but 0 gas, 2 dark and 2 star particles in single precision take 192; "
                  "write or copy it again");
  }
}

TEST_F(Tipsy, HeaderIsChecked) {
  const std::string damaged = "the header is damaged, write or copy the file again";
  expect_error_with(0, big_endian(std::numeric_limits<double>::infinity()),
                    "time: is not finite; correct it");
  expect_error_with(8, big_endian(5),
                    "nbodies: is not the sum of nsph, ndark and nstar; " + damaged);
  expect_error_with(12, big_endian(2), "ndim: is 2; give a file of three dimensions");
  expect_error_with(12, big_endian(4), no_snapshot);
  expect_error_with(20, big_endian(-2), "ndark: is negative; " + damaged);
  put("t", header(5, 3, 1, 2, 2) + std::string(48, '\0') + good_file().substr(32));
  expect_error(
      "nsph: the file holds gas, 1 particles; remove them, or add --gas collisionless, which moves "
      "them by gravity alone");
  put("t", header(0, 3, 0, 0, 0));
  expect_error("nbodies: the file holds no particles; give at least one");
}

TEST_F(Tipsy, NumbersAreChecked) {
  const std::string nan = big_endian(std::numeric_limits<float>::quiet_NaN());
  const auto lost = [](const std::string& field, int particle) {
    return (particle < 3 ? "/PartType1/" : "/PartType4/") + field +
           ": a value of the particle with ID " + std::to_string(particle) +
           " is NaN, infinite or beyond single precision; correct or remove that particle";
  };
  const std::size_t second_star = 32 + 2 * 36 + 44;
  expect_error_with(32, nan, lost("Masses", 1));
  expect_error_with(32 + 36 + 12, nan, lost("Coordinates", 2));
  expect_error_with(second_star + 16, nan, lost("Velocities", 4));
  expect_error_with(second_star + 36, nan,
                    "eps: is negative or not finite for particle 4; correct it");
  expect_error_with(32 + 28, big_endian(-1.0F),
                    "eps: is negative or not finite for particle 1; correct it");
}

TEST_F(Tipsy, MissingFileAndNameOfTheUnitsAreTheUsersErrors) {
  expect_error("input: there is no such file; check the name");
  EXPECT_THROW(write_tipsy(file("t.param"), example_snapshot(1), example_provenance()), InputError);
  EXPECT_EQ(names(), 0U);
}

/// A light particle on a circular orbit about a heavy one: v^2 r = G M.
Snapshot circular_orbit() {
  Snapshot snapshot{.units = galactic, .softening = 0.01, .particles = {}};
  const auto speed = static_cast<float>(std::sqrt(galactic.gravitational_constant() * 20 / 8));
  snapshot.particles = {.mass = {20, 0},
                        .position = {{0, 0, 0}, {8, 0, 0}},
                        .velocity = {{0, 0, 0}, {0, speed, 0}},
                        .id = {1, 2},
                        .type = {1, 1},
                        .component = {0, 0}};
  return snapshot;
}

TEST_F(Tipsy, VelocitiesFollowFromTheUnitsAndG) {
  Snapshot snapshot = circular_orbit();
  const double period = 2 * M_PI * 8 / snapshot.particles.velocity[1][1];
  snapshot.time = period;
  write_tipsy(file("t"), snapshot, example_provenance());
  const std::string bytes = content("t");
  const std::size_t second = 32 + 36;
  const auto radius = number<float>(bytes, second + 4), speed = number<float>(bytes, second + 20);
  EXPECT_NEAR(speed * speed * radius / number<float>(bytes, 32), 1, 1e-6) << "G = 1";
  EXPECT_NEAR(number<double>(bytes, 0) * speed / (2 * M_PI * radius), 1, 1e-6);

  const Snapshot read = read_snapshot(file("t"));
  EXPECT_DOUBLE_EQ(read.units.length_in_cm, galactic.length_in_cm);
  EXPECT_DOUBLE_EQ(read.units.mass_in_g, galactic.mass_in_g);
  EXPECT_DOUBLE_EQ(read.units.velocity_in_cm_per_s, galactic.velocity_in_cm_per_s);
  EXPECT_FLOAT_EQ(read.particles.velocity[1][1], snapshot.particles.velocity[1][1]);
  EXPECT_NEAR(read.time, period, 1e-12 * period);
}

TEST_F(Tipsy, SofteningIsThatOfTheRecordsIfEqual) {
  Snapshot snapshot = example_snapshot(4);
  snapshot.softening = 0.05;
  snapshot.components = {{"halo", 1, 0.2}, {"disc", 4, 0}};
  snapshot.particles.component = {0, 1, 0, 1};
  write_tipsy(file("t"), snapshot, example_provenance());
  const Snapshot read = read_snapshot(file("t"));
  EXPECT_EQ(read.softening, 0) << "no common one";
  EXPECT_EQ(read.components, (std::vector<ComponentInfo>{{"dark", 1, 0.2}, {"star", 4, 0.05}}));
}

TEST_F(Tipsy, UnitsStandBesideTheFile) {
  write_tipsy(file("m31.tipsy"), example_snapshot(2), example_provenance());
  const std::string text = content("m31.param");
  EXPECT_NE(text.find("\ndKpcUnit = 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\ndMsolUnit = 1e+10\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n# program: test_files\n"), std::string::npos) << text;
  EXPECT_EQ(names(), 2U);
}

TEST_F(Tipsy, NewModelUnitsReplaceOldPhysicalOnes) {
  write_tipsy(file("t"), example_snapshot(2), example_provenance());
  Snapshot snapshot = example_snapshot(2);
  snapshot.units = {};
  write_tipsy(file("t"), snapshot, example_provenance());
  EXPECT_EQ(read_snapshot(file("t")).units, Units{});
}

TEST_F(Tipsy, UnitsOfOtherProgramsAreReadAndKept) {
  const std::string text = "# of ChaNGa\nnSteps = 10\ndKpcUnit=1.0 # kpc\n\tdMsolUnit = 1e10\n";
  put("t.param", text);
  write_tipsy(file("t"), example_snapshot(2), example_provenance());
  EXPECT_EQ(content("t.param"), text);
  EXPECT_DOUBLE_EQ(read_snapshot(file("t")).units.mass_in_g, galactic.mass_in_g);
}

TEST_F(Tipsy, UnitsOfOtherProgramsAreNotReplaced) {
  put("t.param", "dKpcUnit = 1000\ndMsolUnit = 1e10\n");
  EXPECT_EQ(refusal_of([&] { write_tipsy(file("t"), example_snapshot(2), example_provenance()); }),
            file("t.param").string() +
                ": units: the file belongs to another one and tells other units than t will have; "
                "choose another name for the output");
  EXPECT_EQ(names(), 1U);
}

TEST_F(Tipsy, TimesThatPhysicalUnitsMakeInfiniteAreRefused) {
  put("t.param", "dKpcUnit = 1\ndMsolUnit = 1\n");
  expect_error_with(0, big_endian(1e308), "time: is beyond range; correct it");
}

TEST_F(Tipsy, UnitsMayBeInTheOnlyParameterFile) {
  put("t", good_file());
  put("run.param", "dKpcUnit = 1\ndMsolUnit = 1e10\n");
  EXPECT_DOUBLE_EQ(read_snapshot(file("t")).units.mass_in_g, galactic.mass_in_g);
  put("other.param", "");
  expect_error("units: several files in its folder end in .param; call the right one t.param");
  put("t.param", "dKpcUnit = 1\ndMsolUnit = 1e12\n");
  EXPECT_DOUBLE_EQ(read_snapshot(file("t")).units.mass_in_g, 100 * galactic.mass_in_g);
}

TEST_F(Tipsy, UnclearUnitsAreRefused) {
  put("t", good_file());
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"dKpcUnit = 1\n", "dMsolUnit: is missing beside dKpcUnit; add it"},
           {"dMsolUnit = 1\n", "dKpcUnit: is missing beside dMsolUnit; add it"},
           {"dKpcUnit = -1\ndMsolUnit = 1\n", "dKpcUnit: -1 is not a positive number; correct it"},
           {"dKpcUnit = 1\ndMsolUnit = 1 Msun\n",
            "dMsolUnit: 1 Msun is not a positive number; correct it"},
           {"bComove = 1\n",
            "bComove: comoving coordinates of TIPSY are not known here; convert the file to "
            "physical ones"}}) {
    put("t.param", text);
    expect_error(message, "t.param");
  }
}

}  // namespace
}  // namespace gothic::files
