#include "core/engine/force_solver.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "tests/core/gravity/forces.hpp"

namespace gothic {
namespace {

using namespace test;

const MassPoints& sphere() { return summed_sphere().particles; }
const std::vector<Force>& reference() { return summed_sphere().forces; }

template <class Case>
class Solver : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  /// Why a device does not take options; empty if it does.
  std::string refusal(const ForceOptions& options) {
    try {
      const ForceSettings<Device> settings(this->device, options);
      return "";
    } catch (const SettingError& error) {
      return error.what();
    }
  }
};
TYPED_TEST_SUITE(Solver, Devices);

TYPED_TEST(Solver, ResultsDoNotDependOnTheNumberOfThreads) {
  using Device = typename TestFixture::Device;
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    const ForceOptions options = force_options(mac, mac == Mac::opening ? 0.5F : 0x1p-7F);
    SolverAndParticles<Device> tree(this->device, options, sphere());
    const auto forces = tree.with_old(reference()).evaluate();
    for (const int threads : {1, 2, 3}) {
      Device other = TypeParam::make(threads);
      SolverAndParticles<Device> again(other, options, sphere());
      EXPECT_TRUE(again.with_old(reference()).evaluate() == forces) << threads << " threads";
      EXPECT_EQ(again.cost.counts.interactions(), tree.cost.counts.interactions())
          << threads << " threads";
      EXPECT_EQ(again.cost.counts.cells_judged, tree.cost.counts.cells_judged)
          << threads << " threads";
      EXPECT_EQ(again.cost.group_count, tree.cost.group_count) << threads << " threads";
    }
  }
}

TYPED_TEST(Solver, SomeTargetsGetTheForceThatTheyGetAmongAll) {
  SolverAndParticles<typename TestFixture::Device> tree(
      this->device, force_options(Mac::acceleration, 0x1p-10F), sphere());
  const auto all = tree.with_old(reference()).evaluate();
  for (const std::uint32_t stride : {2, 7, 100, 5000}) {
    std::vector<bool> wanted(sphere().size(), false);
    for (std::size_t i = 1; i < sphere().size(); i += stride) wanted[i] = true;
    const auto some = tree.evaluate(wanted);
    for (std::size_t i = 0; i < sphere().size(); ++i) {
      if (wanted[i]) {
        const Force among_all{all[i].x, all[i].y, all[i].z, all[i].w};
        ASSERT_LT(error_of(some[i], among_all), 2e-2) << "particle " << i;
        ASSERT_LT(error_of(some[i], reference()[i]), 1e-2) << "particle " << i;
      } else {
        ASSERT_EQ(some[i], untouched);
      }
    }
  }
}

/// Cells that a border cuts are enlarged once for each time of the particles. If every force
/// enlarged them, other ranks would lack parts of them, and targets would walk alone.
TYPED_TEST(Solver, CellsOfADomainKeepTheirSizesHoweverManyForcesAreFoundAtOneTime) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-7F);
  SortedParticles<Device> sorted;
  sorted.resize(std::uint32_t(sphere().size()));
  auto& position = sorted.template add<Vec4>("Position", Storage::none);
  position.upload(sphere());
  Forest<Device> forest(this->device, Cuts{.low = true, .high = true});
  typename Device::Timer timer(this->device);
  ForceCost cost;
  forest.grow(sorted, {position}, 0, ForceSettings<Device>(this->device, options).options(), timer,
              cost);
  Instant<Device> now{.time = 0, .moved = false, .position = position, .old_acceleration = nullptr};
  const auto sizes = [&](Order order) {
    options.acceptance.order = order;
    forest.refresh(now, ForceSettings<Device>(this->device, options), timer, cost);
    now.seen = true;
    return to_host(forest.tree().size);
  };
  const auto first = sizes(Order::quadrupole);
  EXPECT_EQ(sizes(Order::quadrupole), first);
  EXPECT_EQ(sizes(Order::octupole), first);
  EXPECT_EQ(sizes(Order::octupole), first);
  timer.finish();
}

TYPED_TEST(Solver, NoTargetsCostNothing) {
  SolverAndParticles<typename TestFixture::Device> tree(
      this->device, force_options(Mac::opening, 0.5F), sphere());
  for (const Vec4& force : tree.evaluate(std::vector<bool>(sphere().size(), false))) {
    ASSERT_EQ(force, untouched);
  }
  EXPECT_EQ(tree.cost.counts.interactions(), 0U);
  EXPECT_EQ(tree.cost.counts.cells_judged, 0U);
  EXPECT_EQ(tree.cost.group_count, 0U);
}

TYPED_TEST(Solver, CostsAddUpFromForceToForce) {
  SolverAndParticles<typename TestFixture::Device> tree(
      this->device, force_options(Mac::opening, 0.5F), sphere());
  tree.evaluate();
  const ForceCost once = tree.cost;
  tree.evaluate();
  EXPECT_GT(once.counts.interactions(), sphere().size());
  EXPECT_EQ(tree.cost.counts.interactions(), 2 * once.counts.interactions());
  EXPECT_EQ(tree.cost.counts.cells_judged, 2 * once.counts.cells_judged);
  EXPECT_EQ(tree.cost.group_count, 2 * once.group_count);
  EXPECT_GT(tree.cost.walk, once.walk);
  for (const double seconds : {once.keys, once.sort, once.build, once.groups, once.moments}) {
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, 60);
  }
}

TYPED_TEST(Solver, ForcesAreProportionalToTheGravitationalConstant) {
  using Device = typename TestFixture::Device;
  constexpr float g = 43007.1F;
  std::vector<Force> old = reference();
  for (Force& a : old) a = {g * a.x, g * a.y, g * a.z, g * a.potential};
  SolverAndParticles<Device> unit(this->device, force_options(Mac::acceleration, 0x1p-9F),
                                  sphere());
  SolverAndParticles<Device> physical(this->device, force_options(Mac::acceleration, 0x1p-9F, g),
                                      sphere());
  const auto in_units = unit.with_old(reference()).evaluate();
  const auto found = physical.with_old(old).evaluate();
  for (std::size_t i = 0; i < sphere().size(); ++i) {
    const Force expected{g * in_units[i].x, g * in_units[i].y, g * in_units[i].z, 0};
    ASSERT_LT(error_of(found[i], expected), 1e-3) << i;
    ASSERT_NEAR(found[i].w, g * in_units[i].w, 1e-4 * std::abs(g * in_units[i].w)) << i;
  }
  EXPECT_NEAR(double(physical.cost.counts.interactions()) / double(unit.cost.counts.interactions()),
              1, 1e-3);
}

TYPED_TEST(Solver, ForcesStayExactWhenParticlesMoveInAnOldTree) {
  SolverAndParticles<typename TestFixture::Device> tree(
      this->device, force_options(Mac::acceleration, 0x1p-10F), sphere());
  tree.with_old(reference()).evaluate();
  MassPoints later = sphere();
  Random random(31);
  for (Vec4& p : later) {
    p.x = 1.5F * p.x + float(random.uniform(-0.2, 0.2));
    p.y += float(random.uniform(-0.2, 0.2)) + 3;
    p.z += float(random.uniform(-0.2, 0.2));
  }
  tree.move_to(later);
  const auto expected = summed(later);
  const auto errors = errors_of(tree.with_old(expected).evaluate(), expected);
  EXPECT_LT(percentile(errors, 0.99), 5 * 0x1p-10) << "as for a new tree";
}

TYPED_TEST(Solver, SortsAnewWithAnotherNumberOfParticles) {
  SolverAndParticles<typename TestFixture::Device> tree(this->device, open_everything(), sphere());
  for (const std::size_t n : {1000, 3, 400}) {
    const MassPoints particles = plummer_sphere(n, 32);
    tree.take(particles);
    tree.cost = {};
    EXPECT_LT(percentile(errors_of(tree.evaluate(), summed(particles)), 1), 1e-5);
    EXPECT_EQ(tree.cost.counts.interactions(), n * n);
  }
}

TYPED_TEST(Solver, RefusesTheEstimatedRootWhereTheAccuracyIsTooHigh) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    ForceOptions options = force_options(mac, mac == Mac::opening ? 1e-3F : 0x1p-22F);
    options.root = RootChoice::estimate;
    const bool allowed = estimate_allowed(options.acceptance, TestFixture::Warp::root_error);
    const std::string message = this->refusal(options);
    EXPECT_EQ(message.empty(), allowed);
    EXPECT_EQ(message.find("accuracy") == std::string::npos, allowed) << message;
    for (const RootChoice root : {RootChoice::automatic, RootChoice::newton}) {
      options.root = root;
      EXPECT_EQ(this->refusal(options), "");
    }
    options.root = RootChoice::estimate;
    options.acceptance.accuracy = 0.5F;
    EXPECT_EQ(this->refusal(options), "");
  }
}

/// Wrong options, each with the first words of its message.
TYPED_TEST(Solver, TakesOctupolesForFineAccuraciesUnlessTold) {
  using Device = typename TestFixture::Device;
  const auto order = [&](Mac mac, float accuracy, Order asked) {
    ForceOptions options = force_options(mac, accuracy);
    options.acceptance.order = asked;
    return ForceSettings<Device>(this->device, options).acceptance().order;
  };
  const float fine = Device::Defaults::octupole_accuracy;
  EXPECT_EQ(order(Mac::acceleration, fine, Order::automatic), Order::octupole);
  EXPECT_EQ(order(Mac::acceleration, fine * 1.01F, Order::automatic), Order::quadrupole);
  EXPECT_EQ(order(Mac::multipole, fine, Order::automatic), Order::quadrupole);
  EXPECT_EQ(order(Mac::opening, 0.2F, Order::automatic), Order::quadrupole);
  for (const Order asked : {Order::point, Order::quadrupole, Order::octupole}) {
    EXPECT_EQ(order(Mac::acceleration, 0x1p-7F, asked), asked);
    EXPECT_EQ(order(Mac::acceleration, fine, asked), asked);
  }
}

TYPED_TEST(Solver, RefusesSizesThatItCannotHave) {
  const auto with = [](float angle, std::uint32_t group_size, std::uint32_t list_capacity) {
    ForceOptions options = force_options(Mac::opening, angle);
    options.group_size = group_size;
    options.list_capacity = list_capacity;
    return options;
  };
  const auto width = std::uint32_t(this->width);
  EXPECT_EQ(this->refusal(with(1, 1, width)), "");
  EXPECT_TRUE(this->refusal(with(1.5F, 0, 0)).starts_with("accuracy: an opening"));
  EXPECT_TRUE(this->refusal(with(0.5F, 1U << 20, 0)).starts_with("group_size"));
  EXPECT_TRUE(this->refusal(with(0.5F, 0, width - 1)).starts_with("list_capacity"));
}

TYPED_TEST(Solver, TakesAGroupSizeOrTheLanesThatShareAParticle) {
  ForceOptions options = force_options(Mac::opening, 0.5F);
  for (int sharing = 1; sharing <= TestFixture::Warp::most_sharing; sharing *= 2) {
    options.group_size = 0;
    options.sharing = sharing;
    const ForceSettings<typename TestFixture::Device> settings(this->device, options);
    const std::uint32_t size = settings.group_size(1U << 20);
    EXPECT_EQ(settings.sharing(1), sharing);
    EXPECT_EQ(settings.group_size(1), size) << "for any number of particles";
    options.group_size = size;
    EXPECT_EQ(this->refusal(options), "") << "both, and they agree";
    options.sharing = sharing == 1 ? 2 : 1;
    EXPECT_TRUE(this->refusal(options).starts_with("sharing")) << size;
  }
  options.group_size = 0;
  options.sharing = 2 * TestFixture::Warp::most_sharing;
  EXPECT_TRUE(this->refusal(options).starts_with("sharing"));
}

#ifdef __CUDACC__
TYPED_TEST(Solver, RefusesAListOfSourcesThatDoesNotFitIntoSharedMemory) {
  ForceOptions options = force_options(Mac::opening, 0.5F);
  options.list_capacity = 1 << 16;
  EXPECT_NE(this->refusal(options).find("list_capacity"), std::string::npos);
  options.list_capacity = 1 << 10;
  EXPECT_EQ(this->refusal(options), "");
  this->device = TypeParam::make(1, {.warp_threads = 1024});
  EXPECT_NE(this->refusal(options).find("warp_threads"), std::string::npos);
}
#endif

TYPED_TEST(Solver, StepsWithSmallerGroupsAreAsExactAsThoseWithUsualOnes) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-6F);
  const auto errors_with = [&](std::uint32_t size, std::uint32_t step_size) {
    options.group_size = size;
    options.exact_group_size = step_size;
    SolverAndParticles<Device> tree(this->device, options, sphere());
    return percentile(errors_of(tree.with_old(reference()).evaluate(), reference()), 0.9);
  };
  const double usual = errors_with(Device::Defaults::group_size, 0);
  const double small = errors_with(4, 0);
  const double equal = errors_with(Device::Defaults::group_size, 4);
  EXPECT_GT(small, 1.2 * usual);
  EXPECT_NEAR(equal, usual, 0.25 * usual);  // parts of split groups are less exact
}

TYPED_TEST(Solver, InfiniteAccelerationsOfNeighboursDoNotCount) {
  using Device = typename TestFixture::Device;
  std::vector<bool> wanted(sphere().size(), false);
  std::vector<Force> old(sphere().size(), {std::numeric_limits<double>::infinity(), 0, 0, 0});
  for (std::size_t i = 0; i < sphere().size(); i += 50) {
    wanted[i] = true;
    old[i] = reference()[i];
  }
  const auto with = [&](const std::vector<Force>& accelerations) {
    ForceOptions options = force_options(Mac::acceleration, 0x1p-7F);
    options.exact_group_size = 1;
    SolverAndParticles<Device> tree(this->device, options, sphere());
    const auto found = tree.with_old(accelerations).evaluate(wanted);
    std::vector<double> errors;
    for (std::size_t i = 0; i < sphere().size(); i += 50) {
      errors.push_back(error_of(found[i], reference()[i]));
    }
    return std::pair(percentile(errors, 0.9), tree.cost.counts.interactions());
  };
  const auto [usual_error, usual_cost] = with(reference());
  const auto [error, cost] = with(old);
  EXPECT_LT(error, 1.5 * usual_error);
  EXPECT_LE(cost, usual_cost) << "without them, the smallest accelerations are larger";
  EXPECT_GT(cost, usual_cost / 2);
}

TYPED_TEST(Solver, MakesGroupsSmallerWhereFewParticlesAreActive) {
  using Device = typename TestFixture::Device;
  using Defaults = typename Device::Defaults;
  const ForceSettings<Device> settings(this->device, force_options(Mac::opening, 0.5F));
  std::uint32_t last = 1;
  for (std::uint32_t count = 0; count < 1U << 24; count += 1 + count / 3) {
    const std::uint32_t size = settings.group_size(count);
    EXPECT_TRUE(std::has_single_bit(size)) << count;
    EXPECT_GE(size, last) << count;
    EXPECT_LE(size, Defaults::group_size) << count;
    if (double(count) < 0.5 * double(this->device.warps())) {
      EXPECT_EQ(size, Defaults::group_steps[0].size) << count;
    }
    last = size;
  }
  EXPECT_EQ(last, Defaults::group_size);
}

/// Where lanes share particles, every size of groups is another way to sum.
TYPED_TEST(Solver, ForcesAreExactForEverySizeOfGroups) {
  using Device = typename TestFixture::Device;
  const auto most = std::uint32_t(Device::Defaults::most_per_lane * this->width);
  for (std::uint32_t size = std::min(64U, most); size >= 1; size /= 2) {
    ForceOptions options = force_options(Mac::opening, 1e-6F);
    options.root = RootChoice::newton;
    options.group_size = size;
    SolverAndParticles<Device> tree(this->device, options, sphere());
    const auto errors = errors_of(tree.evaluate(), reference());
    EXPECT_LT(percentile(errors, 0.5), 1e-6) << "groups of " << size;
    EXPECT_LT(percentile(errors, 1), 2e-5) << "groups of " << size;
    EXPECT_EQ(tree.cost.counts.interactions(), sphere().size() * sphere().size())
        << "groups of " << size;
    EXPECT_EQ(tree.cost.group_count, (sphere().size() + size - 1) / size);
  }
}

}  // namespace
}  // namespace gothic
