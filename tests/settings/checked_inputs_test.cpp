#include "settings/checked_inputs.hpp"

#include "tests/core/messages/threads_as_ranks.hpp"
#include "tests/files/fixtures.hpp"

namespace gothic::test {
namespace {

/// The message on the first rank about particles that ranks have together.
std::string refusal(const std::vector<files::Snapshot>& parts) {
  std::vector<std::string> found(parts.size());
  on_ranks(int(parts.size()), [&](Communicator& ranks) {
    const auto rank = std::size_t(ranks.rank());
    found[rank] = files::refusal_of([&] { require_in_range(parts[rank], 1, "s.h5", ranks); });
  });
  for (const std::string& one : found) EXPECT_EQ(one, found.front()) << "all ranks throw alike";
  return found.front();
}

TEST(Range, IsThatOfTheParticlesOfAllRanks) {
  std::vector<files::Snapshot> parts(3, files::example_snapshot(4));
  parts.push_back(files::example_snapshot(0));
  EXPECT_EQ(refusal(parts), "accepted");
  auto far = parts, fast = parts, heavy = parts;
  far[1].particles.position[2][1] = -2e9F;
  EXPECT_EQ(refusal(far),
            "s.h5: Coordinates: one is 2e+09, and at most 1e+09 works, out of the "
            "range of single precision; choose other units or remove outliers");
  fast[2].particles.velocity[0][0] = 1e20F;
  EXPECT_NE(refusal(fast).find("Velocities"), std::string::npos);
  // The masses are too much together, but not on one rank.
  for (files::Snapshot& part : heavy) {
    part.units = {};
    std::ranges::fill(part.particles.position, Vec3{1, 0, 0});
    std::ranges::fill(part.particles.mass, 1e36F);
  }
  EXPECT_EQ(refusal({heavy.front()}), "accepted");
  EXPECT_NE(refusal(heavy).find("Masses"), std::string::npos);
}

}  // namespace
}  // namespace gothic::test
