#include "core/gravity/pair.hpp"

#include <gtest/gtest.h>

#include "tests/core/device/warps.hpp"
#include "tests/core/gravity/forces.hpp"

namespace gothic {
namespace {

using namespace test;

/// Sums of n rounds of sources, whose records lie n apart, on K targets a lane.
template <Root root, int K, int sharing = 1, Order order = Order::point>
struct Interact {
  const Vec4* targets;
  Vec4* sources;
  std::uint32_t n;
  float softening2;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    Targets<Warp, K> own;
    Sums<Warp, K> sums;
    for (int k = 0; k < K; ++k) {
      const auto p = Warp::gather(targets, Warp::sequence(std::uint32_t(k * Warp::width)));
      own.x[k] = p.x;
      own.y[k] = p.y;
      own.z[k] = p.z;
    }
    const PairSoftening<Warp, K, Lengths::equal> equal{softening2};
    interact<root, order, sharing>(own, {sources, n, nullptr}, n, equal, sums);
    for (int k = 0; k < K; ++k) {
      Warp::scatter(out, Warp::sequence(std::uint32_t(k * Warp::width)), Warp::width,
                    {sums.x[k], sums.y[k], sums.z[k], sums.potential[k]});
    }
  }
};

template <class Case>
class PairInteraction : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  template <Root root, int K, int sharing = 1>
  std::vector<Vec4> sums(const MassPoints& targets, const MassPoints& sources, float eps) {
    auto target = to_device<Device>(targets), source = to_device<Device>(sources);
    const auto rounds = std::uint32_t(sources.size() / sharing);
    return written(this->device, targets.size(), Vec4{},
                   Interact<root, K, sharing>{target.data(), source.data(), rounds, eps * eps});
  }

  /// Compares with sums in double precision; errors are relative to the sum of the parts' lengths.
  template <Root root, int K>
  void expect_sums(std::size_t n, float eps, double tolerance) {
    const MassPoints targets = uniform_cube(K * this->width, 10), sources = cuspy_sphere(n, 11);
    const auto found = sums<root, K>(targets, sources, eps);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      double x = 0, y = 0, z = 0, potential = 0, lengths = 0;
      for (const Vec4& source : sources) {
        const double s = std::hypot(distance(source, targets[i]), double(eps));
        const double weight = source.w / (s * s * s);
        x += weight * (double(source.x) - targets[i].x);
        y += weight * (double(source.y) - targets[i].y);
        z += weight * (double(source.z) - targets[i].z);
        potential += source.w / s;
        lengths += weight * distance(source, targets[i]);
      }
      ASSERT_NEAR(found[i].x, x, tolerance * lengths) << n << " sources";
      ASSERT_NEAR(found[i].y, y, tolerance * lengths) << n << " sources";
      ASSERT_NEAR(found[i].z, z, tolerance * lengths) << n << " sources";
      ASSERT_NEAR(found[i].w, potential, tolerance * potential) << n << " sources";
    }
  }
};
TYPED_TEST_SUITE(PairInteraction, Devices);

TYPED_TEST(PairInteraction, HoldsToSinglePrecisionOrTheErrorOfTheEstimatedRoot) {
  // The error of the estimate's third power, without its mean.
  const double estimate = std::max(1e-6 + 4 * TestFixture::Warp::root_error, 3e-6);
  for (const std::size_t n : {0, 1, 2, 7, 1000}) {
    for (const float eps : {1e-4F, softening, 1.0F}) {
      const double newton = n < 10 ? 1e-6 : 3e-6;
      this->template expect_sums<Root::newton, 1>(n, eps, newton);
      this->template expect_sums<Root::newton, 2>(n, eps, newton);
      this->template expect_sums<Root::newton, 4>(n, eps, newton);
      this->template expect_sums<Root::estimate, 1>(n, eps, estimate);
      this->template expect_sums<Root::estimate, 2>(n, eps, estimate);
    }
  }
}

TYPED_TEST(PairInteraction, OfAParticleWithItselfIsNoForceAndAPotentialOfMassOverSoftening) {
  MassPoints targets(this->width);
  for (Vec4& p : targets) p = {0.7F, -1234.5F, 3e-4F, 0.25F};
  for (const Vec4& sum : this->template sums<Root::newton, 1>(targets, {targets[0]}, softening)) {
    EXPECT_EQ(sum, (Vec4{0, 0, 0, sum.w}));
    EXPECT_NEAR(sum.w, 0.25 / softening, 1e-6 * 0.25 / softening);
  }
}

TYPED_TEST(PairInteraction, TakesEveryNthSourceWhereLanesShare) {
  const MassPoints targets = uniform_cube(this->width), sources = uniform_cube(256, 13);
  for_each_sharing<typename TestFixture::Warp>([&]<int sharing>() {
    const auto found = this->template sums<Root::newton, 1, sharing>(targets, sources, softening);
    for (std::size_t lane = 0; lane < found.size(); ++lane) {
      MassPoints own;
      for (std::size_t j = lane * sharing / found.size(); j < sources.size(); j += sharing) {
        own.push_back(sources[j]);
      }
      const Vec4 expected = this->template sums<Root::newton, 1>(targets, own, softening)[lane];
      EXPECT_LT(distance(found[lane], expected), 1e-5) << sharing << " share, lane " << lane;
      EXPECT_NEAR(found[lane].w, expected.w, 1e-5) << sharing << " share, lane " << lane;
    }
  });
}

template <class Case>
class CellPull : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  /// Largest error of the pull of a cloud that acts as a whole, relative to the longest pull, and
  /// of its potential. The cloud is flat and off the axes, lopsided, and has a radius of `extent`
  /// about its centre.
  template <Root root, int K, Order order>
  std::pair<double, double> errors(double extent, float eps) {
    MassPoints cloud = uniform_cube(64, 50);
    const MassPoints targets = around_a_sphere(K * std::size_t(this->width));
    double mass = 0, center[3] = {};
    for (Vec4& p : cloud) {
      p = {float(extent) * p.x, float(extent) * (0.5F * p.y + 0.3F * p.x),
           float(extent) * (0.1F * p.z - 0.2F * p.y), p.w * (1 + p.x)};
      mass += p.w;
      center[0] += p.w * p.x;
      center[1] += p.w * p.y;
      center[2] += p.w * p.z;
    }
    const Vec4 own{float(center[0] / mass), float(center[1] / mass), float(center[2] / mass),
                   float(mass)};
    Multipole<order> multipole;
    for (const Vec4& p : cloud) {
      multipole.add_particle(p.w, p.x - own.x, p.y - own.y, p.z - own.z);
    }
    MassPoints listed{own};
    for (int record = 1; record < Multipole<order>::records; ++record) {
      listed.push_back(multipole.record(record, eps * eps));
    }
    auto records = to_device<Device>(listed);
    const auto target = to_device<Device>(targets);
    const auto found =
        written(this->device, targets.size(), Vec4{},
                Interact<root, K, 1, order>{target.data(), records.data(), 1, eps * eps});
    MassPoints all = targets;
    for (Vec4& p : all) p.w = 0;
    all.insert(all.end(), cloud.begin(), cloud.end());
    const auto exact = summed(all, numbers(std::uint32_t(targets.size())), 1, eps);
    double worst = 0, longest = 0, of_potential = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Force& e = exact[i];
      longest = std::max(longest, length(e));
      worst = std::max(worst, std::hypot(found[i].x - e.x, found[i].y - e.y, found[i].z - e.z));
      of_potential = std::max(of_potential, std::abs(found[i].w / -e.potential - 1));
    }
    return {worst / longest, of_potential};
  }

 private:
  /// Places at distance 1 from the origin.
  static MassPoints around_a_sphere(std::size_t n) {
    MassPoints places = uniform_cube(n, 51);
    for (Vec4& p : places) {
      const float r = std::hypot(p.x, p.y, p.z);
      p = {p.x / r, p.y / r, p.z / r, 0};
    }
    return places;
  }
};
TYPED_TEST_SUITE(CellPull, Devices);

TYPED_TEST(CellPull, ErrsByAPowerOfTheExtentWhateverTheSoftening) {
  const auto check = [&]<Order order>(double bound, double fall) {
    for (const float eps : {1e-3F, 0.3F, 1.0F, 8.0F}) {
      SCOPED_TRACE("order " + std::to_string(int(order)) + ", softening " + std::to_string(eps));
      const auto [wide, wide_potential] = this->template errors<Root::newton, 2, order>(0.2, eps);
      const auto [half, half_potential] = this->template errors<Root::newton, 2, order>(0.1, eps);
      EXPECT_LT(wide, bound);
      EXPECT_LT(half, wide / fall + 1e-6);
      EXPECT_LT(half_potential, wide_potential / fall + 1e-6);
      const double estimate = std::max(4 * TestFixture::Warp::root_error, 1e-6);
      EXPECT_NEAR((this->template errors<Root::estimate, 2, order>(0.1, eps).first), half,
                  estimate);
    }
  };
  check.template operator()<Order::quadrupole>(0.02, 6);
  check.template operator()<Order::octupole>(0.004, 12);
}

}  // namespace
}  // namespace gothic
