#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <new>

#include "tests/core/device/devices.hpp"

namespace gothic {
namespace {

using test::numbers;
using test::to_device;
using test::to_host;

template <class Case>
class Buffers : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(Buffers, test::Devices);

TYPED_TEST(Buffers, ReturnWhatWasUploaded) {
  using Device = typename TestFixture::Device;
  for (const std::size_t n : this->sizes()) {
    const auto host = numbers(n);
    const auto buffer = to_device<Device>(host);
    EXPECT_EQ(buffer.size(), n);
    EXPECT_TRUE(to_host(buffer) == host) << n << " elements";
  }
}

TYPED_TEST(Buffers, KeepWhatBothSizesHaveWhenResized) {
  using Device = typename TestFixture::Device;
  for (const std::size_t from : this->sizes()) {
    for (const std::size_t to : {std::size_t(0), from / 2, from, from + 1, 3 * from + 7}) {
      auto buffer = to_device<Device>(numbers(from));
      for (const std::size_t size : {to, from + 5000}) {
        buffer.resize(size);
        ASSERT_EQ(buffer.size(), size);
        auto host = to_host(buffer);
        host.resize(std::min(from, to));
        EXPECT_TRUE(host == numbers(host.size())) << from << " to " << to << ", then " << size;
      }
    }
  }
}

TYPED_TEST(Buffers, DownloadTheirFirstElements) {
  using Device = typename TestFixture::Device;
  const auto buffer = to_device<Device>(numbers(100));
  std::vector<std::uint32_t> host(40);
  buffer.download(host);
  EXPECT_EQ(host, numbers(40));
}

TYPED_TEST(Buffers, ExchangeSizesAndElementsWhenSwapped) {
  using Device = typename TestFixture::Device;
  for (const std::size_t n : this->sizes()) {
    auto a = to_device<Device>(numbers(n));
    auto b = to_device<Device>(std::vector<std::uint32_t>(2000, 7));
    a.swap(b);
    EXPECT_EQ(to_host(a), std::vector<std::uint32_t>(2000, 7));
    EXPECT_TRUE(to_host(b) == numbers(n));
    b.resize(n + 500);  // must not believe that it still has the other's memory
    b.resize(n);
    EXPECT_TRUE(to_host(b) == numbers(n));
  }
}

TYPED_TEST(Buffers, AreEmptyAtFirst) {
  typename TestFixture::Device::template Buffer<float> buffer;
  EXPECT_EQ(buffer.size(), 0U);
  buffer.upload({});
  EXPECT_TRUE(to_host(buffer).empty());
}

TYPED_TEST(Buffers, RefuseMoreThanTheMemory) {
  using Buffer = typename TestFixture::Device::template Buffer<Vec4>;
  Buffer buffer(10);
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(buffer.resize(std::size_t(1) << 55), std::bad_alloc);
  EXPECT_THROW(buffer.resize(most / sizeof(Vec4)), std::bad_alloc);
  EXPECT_THROW(buffer.resize(most / sizeof(Vec4) + 2), std::bad_alloc);
  EXPECT_EQ(buffer.size(), 10U);
}

}  // namespace
}  // namespace gothic
