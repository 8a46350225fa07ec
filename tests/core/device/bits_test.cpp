#include "core/device/bits.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "tests/core/device/devices.hpp"

namespace gothic {
namespace {

using test::to_device;
using test::to_host;

template <class Case>
class Bits : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(Bits, test::Devices);

/// 0, every power of two and its neighbours, and numbers of all lengths.
std::vector<std::uint64_t> samples() {
  std::vector<std::uint64_t> result{0, ~std::uint64_t(0)};
  std::mt19937_64 generator(8);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t(1) << bit;
    result.insert(result.end(), {power - 1, power, power + 1, ~power});
    result.push_back(generator() >> bit);
    result.push_back(generator() << bit);
  }
  return result;
}

struct Counts {
  int width, zeros;
};

template <class Device>
std::vector<Counts> counts_of(const Device& device, const std::vector<std::uint64_t>& values) {
  const auto in = to_device<Device>(values);
  typename Device::template Buffer<Counts> out(values.size());
  const std::uint64_t* const from = in.data();
  Counts* const to = out.data();
  device.for_each(values.size(), [=] GOTHIC_DEVICE(std::size_t i) {
    to[i] = {bit_width(from[i]), countr_zero(from[i])};
  });
  device.synchronize();
  return to_host(out);
}

TYPED_TEST(Bits, AreCountedAsTheStandardLibraryDoesOnTheHost) {
  const auto values = samples();
  const auto found = counts_of(this->device, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(found[i].width, std::bit_width(values[i])) << values[i];
    EXPECT_EQ(found[i].zeros, std::countr_zero(values[i])) << values[i];
  }
}

}  // namespace
}  // namespace gothic
