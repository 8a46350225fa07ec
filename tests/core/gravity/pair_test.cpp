#include "core/gravity/pair.hpp"

#include <gtest/gtest.h>

#include "tests/core/device/warps.hpp"
#include "tests/core/gravity/forces.hpp"

namespace gothic {
namespace {

using namespace test;

/// Sums of n rounds of sources on K targets a lane.
template <Root root, int K, int sharing>
struct Interact {
  const Vec4* targets;
  const std::uint32_t* places;
  const Vec4* sources;
  std::uint32_t n;
  float softening2;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    Targets<Warp, K> own;
    Sums<Warp, K> sums;
    for (int k = 0; k < K; ++k) {
      const auto p = Warp::gather(targets, Warp::load(places + k * Warp::width, Warp::width));
      own.x[k] = p.x;
      own.y[k] = p.y;
      own.z[k] = p.z;
    }
    interact<root, sharing>(own, sources, n, softening2, sums);
    for (int k = 0; k < K; ++k) {
      Warp::scatter(out, Warp::load(places + k * Warp::width, Warp::width), Warp::width,
                    {sums.x[k], sums.y[k], sums.z[k], sums.potential[k]});
    }
  }
};

template <class Case>
class PairInteraction : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  template <Root root, int K, int sharing = 1>
  std::vector<Vec4> sums(const Particles& targets, const Particles& sources, float eps) {
    const auto target = to_device<Device>(targets), source = to_device<Device>(sources);
    const auto places = to_device<Device>(numbers(targets.size()));
    typename Device::template Buffer<Vec4> out(targets.size());
    on_one_warp(this->device, Interact<root, K, sharing>{
                                  target.data(), places.data(), source.data(),
                                  std::uint32_t(sources.size() / sharing), eps * eps, out.data()});
    return to_host(out);
  }

  /// Compares with sums in double precision; errors are relative to the sum of the parts' lengths.
  template <Root root, int K>
  void expect_sums(std::size_t n, float eps, double tolerance) {
    const Particles targets = uniform_cube(K * this->width, 10), sources = cuspy_sphere(n, 11);
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

TYPED_TEST(PairInteraction, OfTheNewtonRootHoldsToSinglePrecision) {
  for (const std::size_t n : {0, 1, 2, 7, 1000}) {
    for (const float eps : {1e-4F, softening, 1.0F}) {
      const double tolerance = n < 10 ? 1e-6 : 3e-6;
      this->template expect_sums<Root::newton, 1>(n, eps, tolerance);
      this->template expect_sums<Root::newton, 2>(n, eps, tolerance);
      this->template expect_sums<Root::newton, 4>(n, eps, tolerance);
    }
  }
}

TYPED_TEST(PairInteraction, OfTheEstimatedRootHoldsToThreeTimesItsError) {
  // The third power of the root, whose mean error is taken out.
  const double tolerance = std::max(1e-6 + 4 * TestFixture::Warp::root_error, 3e-6);
  for (const std::size_t n : {0, 1, 2, 7, 1000}) {
    for (const float eps : {1e-4F, softening, 1.0F}) {
      this->template expect_sums<Root::estimate, 1>(n, eps, tolerance);
      this->template expect_sums<Root::estimate, 2>(n, eps, tolerance);
    }
  }
}

TYPED_TEST(PairInteraction, OfAParticleWithItselfIsNoForceAndAPotentialOfMassOverSoftening) {
  Particles targets(this->width);
  for (Vec4& p : targets) p = {0.7F, -1234.5F, 3e-4F, 0.25F};
  for (const Vec4& sum : this->template sums<Root::newton, 1>(targets, {targets[0]}, softening)) {
    EXPECT_EQ(sum.x, 0);
    EXPECT_EQ(sum.y, 0);
    EXPECT_EQ(sum.z, 0);
    EXPECT_NEAR(sum.w, 0.25 / softening, 1e-6 * 0.25 / softening);
  }
}

TYPED_TEST(PairInteraction, TakesEveryNthSourceWhereLanesShare) {
  const Particles targets = uniform_cube(this->width), sources = uniform_cube(256, 13);
  const auto expect = [&]<int sharing>() {
    if constexpr (sharing <= TestFixture::Warp::most_sharing) {
      const auto found = this->template sums<Root::newton, 1, sharing>(targets, sources, softening);
      for (int lane = 0; lane < this->width; ++lane) {
        const std::size_t part = std::size_t(lane / (this->width / sharing));
        Particles own;
        for (std::size_t j = part; j < sources.size(); j += sharing) own.push_back(sources[j]);
        const auto expected =
            this->template sums<Root::newton, 1>(targets, own, softening)[std::size_t(lane)];
        const Vec4 sum = found[std::size_t(lane)];
        EXPECT_NEAR(sum.x, expected.x, 1e-5) << sharing << " share, lane " << lane;
        EXPECT_NEAR(sum.y, expected.y, 1e-5) << sharing << " share, lane " << lane;
        EXPECT_NEAR(sum.z, expected.z, 1e-5) << sharing << " share, lane " << lane;
        EXPECT_NEAR(sum.w, expected.w, 1e-5) << sharing << " share, lane " << lane;
      }
    }
  };
  expect.template operator()<2>();
  expect.template operator()<4>();
  expect.template operator()<8>();
  expect.template operator()<16>();
  expect.template operator()<32>();
}

TYPED_TEST(PairInteraction, AddsToWhatWasThere) {
  // Two calls with half of the sources each are as good as one.
  const Particles targets = uniform_cube(this->width), sources = uniform_cube(200, 12);
  const Particles first(sources.begin(), sources.begin() + 77);
  const Particles second(sources.begin() + 77, sources.end());
  const auto all = this->template sums<Root::newton, 1>(targets, sources, softening);
  const auto a = this->template sums<Root::newton, 1>(targets, first, softening);
  const auto b = this->template sums<Root::newton, 1>(targets, second, softening);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(a[i].x + b[i].x, all[i].x, 1e-5);
    EXPECT_NEAR(a[i].w + b[i].w, all[i].w, 1e-5);
  }
}

}  // namespace
}  // namespace gothic
