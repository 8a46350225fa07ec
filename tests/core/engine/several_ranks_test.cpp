#include "core/device/cpu/device.hpp"
#include "core/engine/simulation_on.hpp"
#include "tests/core/engine/simulations.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

/// One simulation on several ranks, which are threads here.
namespace gothic {
namespace {

using namespace test;

/// The part of some particles that a rank reads.
Particles part_of(const Particles& all, std::size_t rank, std::size_t ranks) {
  const std::size_t begin = all.size() * rank / ranks, end = all.size() * (rank + 1) / ranks;
  const auto cut = [=]<class T>(const std::vector<T>& values) {
    return std::vector<T>(values.begin() + std::ptrdiff_t(begin),
                          values.begin() + std::ptrdiff_t(end));
  };
  return {cut(all.mass), cut(all.position), cut(all.velocity),
          cut(all.id),   cut(all.type),     cut(all.component)};
}

/// A run on several ranks as one rank sees it, with the states of all particles in the order of the
/// input.
Outcome run_on(int count, const files::Snapshot& start, const ForceOptions& force,
               const StepOptions& steps, int step_count = 0) {
  Outcome outcome{.steps = {}, .sums = {}, .end = start, .forces = {}};
  outcome.end.particles.resize(0);
  std::vector<files::Snapshot> ends(std::size_t(count), start);
  std::vector<Forces> forces(static_cast<std::size_t>(count));
  on_ranks(count, [&](Communicator& ranks) {
    const auto own = std::size_t(ranks.rank());
    files::Snapshot& end = ends[own];
    end.particles = part_of(start.particles, own, std::size_t(count));
    SimulationOn<cpu::Device> simulation(cpu::Device({.threads = 1}), end.particles, start.time,
                                         force, steps, ranks);
    std::vector<Conserved> sums{simulation.energy().sums};
    std::vector<StepRecord> records;
    while (!simulation.finished() && (step_count == 0 || int(records.size()) < step_count)) {
      records.push_back(simulation.step());
      if (simulation.synchronised()) sums.push_back(simulation.energy().sums);
    }
    save(simulation, end, forces[own]);
    if (own != 0) return;
    outcome.sums = sums;
    outcome.steps = records;
    outcome.time = simulation.time();
    outcome.synchronised = simulation.synchronised();
  });
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const auto add = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(outcome.end.particles.position, ends[rank].particles.position);
    add(outcome.end.particles.velocity, ends[rank].particles.velocity);
    add(outcome.end.particles.mass, ends[rank].particles.mass);
    add(outcome.end.particles.id, ends[rank].particles.id);
    add(outcome.forces.acceleration, forces[rank].acceleration);
    add(outcome.forces.potential, forces[rank].potential);
  }
  return outcome;
}

ForceOptions force_of(const files::Snapshot& snapshot) {
  ForceOptions options;
  options.acceptance = {Mac::acceleration, 0x1p-7F, 1};
  options.softening = snapshot.softening;
  return options;
}

TEST(SeveralRanks, GiveForcesAsExactAsOne) {
  const files::Snapshot start = plummer(16000);
  StepOptions steps;
  steps.end_time = 1;
  const auto engine = make_engine({"cpu", 2});
  std::vector<std::uint32_t> all = spread_targets(start.particles, 0);
  std::ranges::sort(all);
  const auto exact = engine->direct_sum(start.particles, all, start.time, {1, start.softening});
  double one = 0;
  for (const int count : {1, 2, 3, 4, 8}) {
    SCOPED_TRACE(std::to_string(count) + " ranks");
    steps.end_time = 1e-9;
    const Outcome outcome = run_on(count, start, force_of(start), steps, 1);
    const auto errors = relative_errors(outcome.forces, exact.forces);
    const double found = errors[errors.size() * 99 / 100];
    if (count == 1) one = found;
    EXPECT_LT(found, 1.05 * one);
    EXPECT_GT(found, 0.5 * one);
    EXPECT_TRUE(std::isfinite(errors.back()));
  }
}

TEST(SeveralRanks, SampleOldTreesTogether) {
  const files::Snapshot start = plummer(1 << 18);
  StepOptions steps;
  steps.rule.mode = StepRule::Mode::fixed;
  steps.fixed_step = 0.5;
  steps.end_time = 2;
  const Outcome outcome = run_on(2, start, force_of(start), steps, 3);
  EXPECT_TRUE(std::ranges::all_of(outcome.steps, &StepRecord::rebuilt));
}

TEST(SeveralRanks, GiveOctupolesToEachOther) {
  const files::Snapshot start = plummer(4000);
  StepOptions steps;
  steps.end_time = 1e-9;
  const auto engine = make_engine({"cpu", 2});
  std::vector<std::uint32_t> all = spread_targets(start.particles, 0);
  std::ranges::sort(all);
  const auto exact = engine->direct_sum(start.particles, all, start.time, {1, start.softening});
  const auto median_error = [&](int count, Order order) {
    ForceOptions force = force_of(start);
    force.acceptance.order = order;
    return quantile(relative_errors(run_on(count, start, force, steps, 1).forces, exact.forces),
                    0.5);
  };
  EXPECT_LT(median_error(4, Order::octupole), 1.1 * median_error(1, Order::octupole));
  EXPECT_LT(median_error(4, Order::octupole), 0.5 * median_error(4, Order::quadrupole));
}

TEST(SeveralRanks, ShareSofteningLengthsOfParticles) {
  files::Snapshot start = plummer(4000);
  for (std::size_t i = 0; i < start.particles.size(); ++i) {
    start.particles.component[i] = start.particles.position[i][0] > 0 ? 0 : 1;
  }
  ForceOptions force = force_of(start);
  force.component_softening = {0.3, start.softening};
  StepOptions steps;
  steps.end_time = 0.25;
  std::vector<std::uint32_t> all = spread_targets(start.particles, 0);
  std::ranges::sort(all);
  double one = 0;
  for (const int count : {1, 2, 4}) {
    const Outcome outcome = run_on(count, start, force, steps);
    files::Snapshot end = outcome.end;
    end.particles.component = start.particles.component;
    const auto exact = make_engine({"cpu", 2})
                           ->direct_sum(end.particles, all, 0,
                                        {.softening = force.softening,
                                         .component_softening = force.component_softening});
    const double found = quantile(relative_errors(outcome.forces, exact.forces), 0.99);
    if (count == 1) one = found;
    EXPECT_LT(found, 1.25 * one) << count << " ranks";
    EXPECT_LT(outcome.energy_error(), 1e-3) << count << " ranks";
  }
}

TEST(SeveralRanks, RunAsOneDoes) {
  const files::Snapshot start = plummer(4000);
  StepOptions steps;
  steps.end_time = 2;
  const Outcome one = run_on(1, start, force_of(start), steps);
  for (const int count : {2, 3, 5}) {
    SCOPED_TRACE(std::to_string(count) + " ranks");
    const Outcome several = run_on(count, start, force_of(start), steps);
    EXPECT_EQ(several.time, one.time);
    EXPECT_NEAR(double(several.updates()) / double(one.updates()), 1, 0.02);
    EXPECT_LT(several.energy_error(), 2 * one.energy_error() + 1e-4);
    std::uint32_t alone = 0;
    int renewed = 0;
    for (const StepRecord& record : several.steps) {
      alone += record.force.walked_alone;
      renewed += record.force.renewed;
    }
    EXPECT_LT(double(alone), 0.02 * double(several.updates()));
    EXPECT_LT(renewed, int(several.steps.size()) / 20);
    double far = 0;
    for (std::size_t i = 0; i < 4000; ++i) {
      double d2 = 0;
      for (int axis = 0; axis < 3; ++axis) {
        d2 += std::pow(
            several.end.particles.position[i][axis] - one.end.particles.position[i][axis], 2);
      }
      far += d2 / 4000;
    }
    EXPECT_LT(std::sqrt(far), 0.05);
  }
}

TEST(SeveralRanks, MayHaveNoParticles) {
  const files::Snapshot start = plummer(5);
  StepOptions steps;
  steps.end_time = 0.5;
  const Outcome one = run_on(1, start, force_of(start), steps),
                many = run_on(8, start, force_of(start), steps);
  ASSERT_EQ(one.steps.size(), many.steps.size());
  for (std::size_t step = 0; step < one.steps.size(); ++step) {
    EXPECT_EQ(one.steps[step].level_min, many.steps[step].level_min);
    EXPECT_EQ(one.steps[step].level_max, many.steps[step].level_max);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(one.end.particles.position[i][axis], many.end.particles.position[i][axis], 1e-5);
    }
  }
}

TEST(SeveralRanks, TakeParticlesInOnePoint) {
  files::Snapshot start = particles_at_rest(300);
  StepOptions steps;
  steps.end_time = 0.5;
  const Outcome many = run_on(4, start, force_of(start), steps);
  EXPECT_EQ(many.time, 0.5);
  for (const Vec3& r : many.end.particles.position) EXPECT_EQ(r, (Vec3{0, 0, 0}));
}

}  // namespace
}  // namespace gothic
