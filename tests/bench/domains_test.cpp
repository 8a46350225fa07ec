#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bench/domain_bench.hpp"
#include "core/engine/simulation_on.hpp"
#include "tests/bench/inputs.hpp"
#include "tests/core/device/devices.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

/// Domains on one device beside ranks, which are threads here.
namespace gothic {
namespace {

using namespace test;
using namespace detail;

constexpr double lasting = 0.01;  // time for which trees serve

/// Particles as several ranks would have them.
BenchInput ranks_input(const files::Snapshot& snapshot) {
  BenchInput input = input_of(snapshot);
  input.force.placement = Placement::centered;
  return input;
}

/// The values of some particles.
template <class T>
std::vector<T> part_of(const std::vector<T>& all, Range own) {
  return {all.begin() + own.first, all.begin() + own.first + own.count};
}

/// Particles with their costs.
template <class Device>
struct Costed {
  Costed(Device& device, const BenchInput& input) : system(device, input), cost(system.costs()) {}

  BenchSystem<Device> system;
  typename Device::template Buffer<float> cost;
};

/// Forces on several ranks, where each rank has the particles of one domain.
template <class Case>
std::vector<ForceCost> on_real_ranks(const BenchInput& input,
                                     BenchSystem<typename Case::Device>& system,
                                     const std::vector<std::uint32_t>& begins) {
  using Device = typename Case::Device;
  const auto& bodies = system.bodies();
  const std::vector<Vec4> position = bodies.predicted.downloaded(),
                          velocity = bodies.velocity.downloaded(),
                          acceleration = bodies.acceleration.downloaded();
  const std::vector<tree::Key> keys = system.forest().keys().downloaded();
  std::vector<ForceCost> costs(begins.size() - 1);
  on_ranks(int(costs.size()), [&](Communicator& ranks) {
    const auto rank = std::size_t(ranks.rank());
    const Range own{begins[rank], begins[rank + 1] - begins[rank]};
    Device device = Case::make();
    auto positions = to_device<Device>(part_of(position, own));
    const auto velocities = to_device<Device>(part_of(velocity, own)),
               old = to_device<Device>(part_of(acceleration, own));
    std::vector<std::uint32_t> all(own.count);
    std::iota(all.begin(), all.end(), 0U);
    const auto targets = to_device<Device>(all);
    typename Device::template Buffer<Vec4> forces(own.count);
    ForceSolver<Device> solver(device, input.force);
    Forest<Device> forest(device, ranks);
    typename Device::Timer timer(device);
    ForceCost& cost = costs[rank];
    forest.restore(part_of(keys, own), {positions}, solver.settings().options(), timer, cost);
    forest.exchanged()->expect(lasting);
    solver.find(forest, {0, false, positions, old.data(), velocities.data()},
                {targets.data(), own.count}, forces.data(), timer, cost);
    cost.counts = solver.counted().get();
    timer.finish();
  });
  return costs;
}

template <class Case>
class DividedSystems : public OnDevice<Case> {};
TYPED_TEST_SUITE(DividedSystems, Devices);

TYPED_TEST(DividedSystems, TakeWhatRanksGet) {
  using Device = typename TestFixture::Device;
  for (const auto& [mac, accuracy] :
       {std::pair{Mac::acceleration, 0x1p-7F}, std::pair{Mac::acceleration, 0x1p-10F},
        std::pair{Mac::opening, 0.6F}}) {
    BenchInput input = ranks_input(plummer(20000));
    input.force.acceptance.mac = mac;
    input.force.acceptance.accuracy = accuracy;
    Costed<Device> all(this->device, input);
    for (const int domains : {2, 4, 7}) {
      SCOPED_TRACE(std::to_string(domains) + " domains");
      const auto begins =
          equal_domains(this->device, all.system.forest().keys(), all.cost.data(), domains);
      DividedSystem<Device> divided(this->device, all.system, input.force, begins, lasting);
      const auto ranks = on_real_ranks<TypeParam>(input, all.system, begins);
      for (std::size_t d = 0; d < ranks.size(); ++d) {
        PassingTimes times;
        const EssentialParts taken = divided.take(d, times);
        EXPECT_EQ(taken.cells, ranks[d].remote_cells);
        EXPECT_EQ(taken.particles, ranks[d].remote_particles);
        EXPECT_GT(taken.particles, 0U);
        const ForceCost force = divided.force(d);
        EXPECT_EQ(force.walked_alone, ranks[d].walked_alone);
        EXPECT_EQ(force.counts.interactions(), ranks[d].counts.interactions());
      }
    }
  }
}

TYPED_TEST(DividedSystems, TakeWhatRanksOfASimulationGet) {
  using Device = typename TestFixture::Device;
  const BenchInput input = ranks_input(plummer(20000));
  StepOptions steps;
  steps.rule.mode = StepRule::Mode::fixed;
  steps.fixed_step = lasting;
  steps.rebuild_interval = 1;
  Costed<Device> all(this->device, input);
  for (const int domains : {2, 4}) {
    StepRecord record;
    on_ranks(domains, [&](Communicator& ranks) {
      const Particles& particles = input.snapshot.particles;
      const auto rank = std::uint32_t(ranks.rank()), n = std::uint32_t(particles.size());
      const std::uint32_t begin = n * rank / std::uint32_t(domains),
                          end = n * (rank + 1) / std::uint32_t(domains);
      const Range own{begin, end - begin};
      SimulationOn<Device> simulation(
          TypeParam::make(),
          {part_of(particles.mass, own), part_of(particles.position, own),
           part_of(particles.velocity, own), part_of(particles.id, own),
           part_of(particles.type, own), part_of(particles.component, own)},
          0, input.force, steps, ranks);
      const StepRecord first = simulation.step();
      if (ranks.rank() == 0) record = first;
    });
    const auto begins =
        equal_domains(this->device, all.system.forest().keys(), all.cost.data(), domains);
    DividedSystem<Device> divided(this->device, all.system, input.force, begins, lasting);
    EssentialParts taken;
    PassingTimes times;
    for (std::size_t d = 0; d < divided.size(); ++d) taken += divided.take(d, times);
    EXPECT_NEAR(double(taken.cells) / double(record.force.remote_cells), 1, 0.03);
    EXPECT_NEAR(double(taken.particles) / double(record.force.remote_particles), 1, 0.03);
  }
}

TYPED_TEST(DividedSystems, GiveWhatTheyTake) {
  using Device = typename TestFixture::Device;
  const BenchInput input = ranks_input(plummer(8000));
  Costed<Device> all(this->device, input);
  const auto begins = equal_domains(this->device, all.system.forest().keys(), all.cost.data(), 12);
  DividedSystem<Device> divided(this->device, all.system, input.force, begins, lasting);
  EssentialParts given, taken;
  PassingTimes times;
  for (std::size_t d = 0; d < divided.size(); ++d) {
    given += divided.give(d, times);
    taken += divided.take(d, times);
    divided.force(d);
  }
  EXPECT_EQ(given.cells, taken.cells);
  EXPECT_EQ(given.particles, taken.particles);
  EXPECT_EQ(given.value_bytes, taken.value_bytes);
  EXPECT_EQ(given.topology_bytes, taken.topology_bytes);
  EXPECT_EQ(given.opened, taken.opened);
}

TYPED_TEST(DividedSystems, HaveParticlesThatMoveOn) {
  using Device = typename TestFixture::Device;
  Costed<Device> all(this->device, ranks_input(plummer(8000)));
  const auto begins = equal_domains(this->device, all.system.forest().keys(), all.cost.data(), 16);
  const auto after = [&](double time) {
    return movers(this->device, all.system, all.cost.data(), begins, time);
  };
  EXPECT_EQ(after(0), 0U);
  EXPECT_GT(after(0.01), 0U);
  EXPECT_GT(after(0.1), after(0.01));
  EXPECT_LT(after(0.1), 8000U);
}

TYPED_TEST(DividedSystems, MayHaveDomainsWithoutParticles) {
  using Device = typename TestFixture::Device;
  const BenchInput input = ranks_input(particles_at_rest(300));
  Costed<Device> all(this->device, input);
  const DivisionMeasures found =
      measure_division(this->device, all.system, input.force, all.cost.data(), 4, 0, 1);
  EXPECT_EQ(found.particles_largest, 300U);
  for (const DomainMeasures& domain : found.timed) {
    EXPECT_LE(domain.taken.cells, 1U);
    EXPECT_TRUE(std::isfinite(domain.force));
  }
}

}  // namespace
}  // namespace gothic
