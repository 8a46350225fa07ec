#include "bench/sharing.hpp"

#include <vector>

#include "tests/bench/inputs.hpp"
#include "tests/core/device/devices.hpp"

namespace gothic {
namespace {

using namespace test;
using namespace detail;

template <class Case>
class SharingChoices : public OnDevice<Case> {};
TYPED_TEST_SUITE(SharingChoices, Devices);

TYPED_TEST(SharingChoices, AreEverySizeThatTheDeviceTakes) {
  using Device = typename TestFixture::Device;
  ForceOptions force = input_of(particles_at_rest(1)).force;
  const auto choices = sharing_choices<Device>(force);
  ASSERT_EQ(choices.size() % 2, 1U);
  const std::size_t sizes = choices.size() / 2;
  EXPECT_EQ(choices.back().name, "auto");
  for (std::size_t k = 0; k < sizes; ++k) {
    EXPECT_EQ(choices[k].name, "given");
    EXPECT_EQ(choices[k].group_size, 1U << (sizes - 1 - k));
    EXPECT_EQ(choices[k].exact_group_size, 0U);
    EXPECT_EQ(choices[sizes + k].name, "equal");
    EXPECT_EQ(choices[sizes + k].group_size, 0U);
    EXPECT_EQ(choices[sizes + k].exact_group_size, choices[k].group_size);
  }
  const auto takes = [&](std::uint32_t size) {
    force.group_size = size;
    try {
      return ForceSettings<Device>(this->device, force).group_size(1000) == size;
    } catch (const SettingError&) {
      return false;
    }
  };
  const std::uint32_t largest = choices.front().group_size;
  for (std::uint32_t size = largest; size > 0; size /= 2) EXPECT_TRUE(takes(size));
  EXPECT_TRUE(largest == 64 || !takes(2 * largest));
}

TYPED_TEST(SharingChoices, AreOneSizeThatIsAskedFor) {
  using Device = typename TestFixture::Device;
  ForceOptions force;
  force.group_size = 8;
  const auto choices = sharing_choices<Device>(force);
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[0].group_size, 8U);
  EXPECT_EQ(choices[1].exact_group_size, 8U);
  EXPECT_EQ(choices[2].name, "auto");
}

}  // namespace
}  // namespace gothic
