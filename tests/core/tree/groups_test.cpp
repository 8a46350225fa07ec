#include "core/tree/groups.hpp"

#include <gtest/gtest.h>

#include "tests/core/device/devices.hpp"

namespace gothic {
namespace {

using namespace test;

template <class Case>
class ParticleGroups : public OnDevice<Case> {};
TYPED_TEST_SUITE(ParticleGroups, Devices);

TYPED_TEST(ParticleGroups, CoverAllTargetsOnceInOrderAndAreFullButTheLast) {
  using Device = typename TestFixture::Device;
  Groups<Device> groups;
  for (const std::size_t n : this->sizes()) {
    for (const std::uint32_t size : {1, 8, 64}) {
      make_groups(this->device, groups, std::uint32_t(n), size);
      this->device.synchronize();
      std::uint32_t next = 0;
      ASSERT_EQ(groups.count, (n + size - 1) / size);
      for (const Range& group : to_host(groups.ranges)) {
        ASSERT_EQ(group.first, next);
        ASSERT_EQ(group.count, std::min<std::size_t>(size, n - next));
        next += group.count;
      }
      EXPECT_EQ(next, n);
    }
  }
}

}  // namespace
}  // namespace gothic
