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

TYPED_TEST(Buffers, HoldRecordsAsWellAsNumbers) {
  using Device = typename TestFixture::Device;
  const std::vector<Vec4> host{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  const auto back = to_host(to_device<Device>(host));
  ASSERT_EQ(back.size(), host.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    EXPECT_EQ(back[i].x, host[i].x);
    EXPECT_EQ(back[i].y, host[i].y);
    EXPECT_EQ(back[i].z, host[i].z);
    EXPECT_EQ(back[i].w, host[i].w);
  }
}

TYPED_TEST(Buffers, KeepWhatBothSizesHaveWhenResized) {
  using Device = typename TestFixture::Device;
  for (const std::size_t from : this->sizes()) {
    for (const std::size_t to : {std::size_t(0), from / 2, from, from + 1, 3 * from + 7}) {
      auto buffer = to_device<Device>(numbers(from));
      buffer.resize(to);
      ASSERT_EQ(buffer.size(), to);
      const auto host = to_host(buffer);
      const auto common = std::ptrdiff_t(std::min(from, to));
      EXPECT_TRUE(std::equal(host.begin(), host.begin() + common, numbers(from).begin()))
          << from << " to " << to;
    }
  }
}

TYPED_TEST(Buffers, KeepTheirElementsWhenTheyShrinkAndGrowBack) {
  using Device = typename TestFixture::Device;
  auto buffer = to_device<Device>(numbers(1000));
  buffer.resize(10);
  buffer.resize(5000);
  const auto host = to_host(buffer);
  EXPECT_TRUE(std::equal(host.begin(), host.begin() + 10, numbers(10).begin()));
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
  auto a = to_device<Device>(numbers(3));
  auto b = to_device<Device>(std::vector<std::uint32_t>(2000, 7));
  a.swap(b);
  EXPECT_EQ(to_host(a), std::vector<std::uint32_t>(2000, 7));
  EXPECT_EQ(to_host(b), numbers(3));
  b.resize(500);  // must not believe that it still has the other's memory
  EXPECT_EQ(b.size(), 500U);
  const auto host = to_host(b);
  EXPECT_TRUE(std::equal(host.begin(), host.begin() + 3, numbers(3).begin()));
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
