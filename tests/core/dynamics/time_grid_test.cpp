#include "core/dynamics/time_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace gothic {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Ticks of a step.
std::int64_t ticks_of(int level) { return std::int64_t(1) << level; }

TEST(TimeGrid, AdaptiveTicksDivideTheLongestStep) {
  for (const double longest : {1.0, 1.5, 1.999, 2.0, 3e-5, 7e12, 1e30}) {
    const TimeGrid grid = TimeGrid::adaptive(longest);
    const double step = grid.time(ticks_of(grid.top));
    EXPECT_LE(step, longest);
    EXPECT_GT(2 * step, longest);
    EXPECT_EQ(std::ldexp(1.0, std::ilogb(step)), step);
    EXPECT_LT(grid.top, Population::levels);
  }
}

TEST(TimeGrid, OfNoStepAtAllHasATickAllTheSame) {
  const TimeGrid grid = TimeGrid::adaptive(0);
  EXPECT_GT(grid.tick, 0);
  EXPECT_EQ(grid.fit(0, 0), 0);
}

TEST(TimeGrid, StepIsTheLongestThatMayBe) {
  const TimeGrid grid = TimeGrid::adaptive(0.3);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-3, TimeGrid::levels + 3.0);
  for (int i = 0; i < 100000; ++i) {  // wanted steps and present times of all magnitudes
    const double step = grid.tick * std::exp2(exponent(random));
    const auto now = (std::int64_t(random() >> (2 + random() % 60)) << (random() % 40)) &
                     ((std::int64_t(1) << 61) - 1);
    SCOPED_TRACE(std::to_string(step) + " at " + std::to_string(now));
    const auto is_allowed = [&](int level) {
      return grid.time(ticks_of(level)) <= step && now % ticks_of(level) == 0;
    };
    const int level = grid.fit(step, now);
    ASSERT_GE(level, 0);
    ASSERT_LE(level, grid.top);
    ASSERT_TRUE(level == 0 || is_allowed(level));
    ASSERT_TRUE(level == grid.top || !is_allowed(level + 1));
  }
}

TEST(TimeGrid, StepIsNeverBelowTheTickAndNeverBeyondTheTop) {
  const TimeGrid grid = TimeGrid::adaptive(4);
  for (const double step : {0.0, 1e-300, grid.tick / 2, grid.tick}) EXPECT_EQ(grid.fit(step, 0), 0);
  for (const double step : {4.0, 5.0, 1e300, infinity}) EXPECT_EQ(grid.fit(step, 0), grid.top);
}

TEST(TimeGrid, PowersOfTwoAreTakenAsTheyAre) {
  const TimeGrid grid = TimeGrid::adaptive(8);
  for (int level = 0; level <= grid.top; ++level) {
    const double step = grid.time(ticks_of(level));
    EXPECT_EQ(grid.fit(step, 0), level);
    EXPECT_EQ(grid.fit(1.99 * step, 0), level);
    EXPECT_EQ(grid.fit(std::nextafter(step, 0), 0), std::max(0, level - 1));
  }
}

/// Particles that keep their own clocks, each by itself.
class ClockedParticles {
 public:
  ClockedParticles(const TimeGrid& grid, std::size_t n, std::uint32_t seed)
      : grid_(grid), random_(seed), particles_(n) {}

  /// Particles that are due at `now` choose new steps. Returns how many chose each level.
  Population::Counts choose(std::int64_t now) {
    Population::Counts counts{};
    for (Particle& particle : particles_) {
      if (particle.due != now) continue;
      int level = int(random_() % unsigned(grid_.top + 1));
      while (now % ticks_of(level) != 0) --level;
      particle = {level, now, std::min(now + ticks_of(level), grid_.end)};
      ++counts[std::size_t(level)];
    }
    return counts;
  }

  /// Compares what the population says is due next with the clocks.
  void expect(const Population::Due& due, std::int64_t now) const {
    std::int64_t next = grid_.end;
    for (const Particle& particle : particles_) next = std::min(next, particle.due);
    ASSERT_EQ(due.time, next) << "after " << now;
    std::uint32_t count = 0;
    for (const Particle& particle : particles_) {
      const bool is_due = particle.due == next;
      count += is_due;
      ASSERT_EQ(due.levels >> particle.level & 1, is_due)
          << "level " << particle.level << " at " << next;
      ASSERT_EQ(TimeGrid::last(particle.level, now), particle.last)
          << "level " << particle.level << " at " << now;
      ASSERT_EQ(grid_.due(particle.level, now), particle.due)
          << "level " << particle.level << " at " << now;
    }
    ASSERT_EQ(due.particles, count) << "at " << next;
  }

 private:
  struct Particle {
    int level = 0;
    std::int64_t last = 0, due = 0;
  };
  TimeGrid grid_;
  std::mt19937 random_;
  std::vector<Particle> particles_;
};

/// Advances to the end, or by so many steps; returns the time that was reached.
std::int64_t advance(const TimeGrid& grid, std::size_t particles, int steps) {
  ClockedParticles clocked(grid, particles, std::uint32_t(particles));
  Population population;
  population.move(0, clocked.choose(0));
  std::int64_t now = 0;
  for (int step = 0; step < steps && now < grid.end; ++step) {
    const Population::Due due = population.next(grid, now);
    clocked.expect(due, now);
    if (::testing::Test::HasFatalFailure()) return now;
    now = due.time;
    population.move(due.levels, clocked.choose(now));
  }
  return now;
}

TEST(Population, KnowsWhoIsDueAsIfEveryParticleHadAClock) {
  for (const std::size_t particles : {1, 2, 5, 100, 1000}) {
    for (const int top : {0, 1, 4, 7, TimeGrid::levels}) {
      EXPECT_GT(advance({1, top}, particles, 1000), 0) << particles << ", top " << top;
    }
  }
}

TEST(Population, BringsAllParticlesToTheEnd) {
  for (const std::int64_t end : {1, 2, 127, 128, 1000, 1001, 4096}) {
    for (const int top : {0, 3, 7, 12}) {
      // expect() is also asked before the end, when all particles are due.
      EXPECT_EQ(advance({1, top, end}, 50, 10000), end) << "top " << top;
    }
  }
}

TEST(TimeStep, FollowsSofteningAndAcceleration) {
  for (const double a : {1e-6, 0.3, 1.0, 20.0, 1e7}) {
    for (const double eta : {0.125, 0.5}) {
      for (const double softening : {1e-3, 0.5}) {
        const double wanted = eta * std::sqrt(softening / a);
        EXPECT_NEAR(time_step(float(a * a), eta, softening), wanted, 1e-6 * wanted);
      }
    }
  }
  EXPECT_EQ(time_step(0, 0.5, 0.01), infinity);
}

}  // namespace
}  // namespace gothic
