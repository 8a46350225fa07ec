#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/direct_sums.hpp"
#include "core/device/arrays.hpp"

namespace gothic::detail {

/// out[i] = {i, ...}: no memory is faster for it, as it might be for zeros.
template <DeviceType Device>
void fill_numbers(const Device& device, Vec4* out, std::size_t n) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) {
    const auto number = float(i);
    out[i] = {number, number + 0.5F, -number, 1 / (number + 1)};
  });
}

/// Positions in a ball of radius 1 and masses, whose sum is 1; always the same.
inline std::vector<Vec4> uniform_ball(std::uint32_t n) {
  std::mt19937 generator;
  const auto coordinate = [&] { return float(double(generator()) * 0x1p-31 - 1); };
  std::vector<Vec4> ball;
  while (ball.size() < n) {
    const Vec4 p{coordinate(), coordinate(), coordinate(), 1 / float(n)};
    if (p.x * p.x + p.y * p.y + p.z * p.z <= 1) ball.push_back(p);
  }
  return ball;
}

/// Bytes of a buffer that no cache holds a good part of, but that leaves the machine memory.
template <DeviceType Device>
std::uint64_t default_buffer_bytes(const Device& device) {
  constexpr std::uint64_t wanted = std::uint64_t(3) << 30;
  return std::min<std::uint64_t>(wanted, device.free_memory() / 4);
}

/// Rates of direct sums in every precision.
template <DeviceType Device>
void add_sum_rows(Device& device, const BenchTask& task, files::ReportTable& table) {
  constexpr double softening = 0x1p-6;
  const std::uint32_t n = task.sources > 0 ? task.sources : default_sources(device);
  typename Device::template Buffer<Vec4> position(n);
  position.upload(uniform_ball(n));
  for (const auto& [name, precision] : {std::pair("direct_newton", Precision::single_newton),
                                        {"direct_estimate", Precision::single_estimate},
                                        {"direct_double", Precision::double_precision}}) {
    DirectSums<Device> sums(device, position.data(), n, softening, precision);
    const files::Spread seconds = sums.time_long_sums(task.repeats);
    table.add(files::ReportRow()
                  .put("measurement", name)
                  .put("sources", sums.sources())
                  .put("targets", sums.targets())
                  .put("interactions", std::uint64_t(sums.interactions()))
                  .put("seconds", seconds)
                  .put("interactions/s", sums.interactions() / seconds.median));
  }
}

/// Peak rates: direct sums, and a copy in memory.
template <DeviceType Device>
BenchTables bench_peak(Device& device, const BenchTask& task) {
  BenchTables tables;
  add_sum_rows(device, task, tables.table);
  const std::size_t elements = std::max<std::uint64_t>(
      1, (task.buffer_bytes > 0 ? task.buffer_bytes : default_buffer_bytes(device)) / sizeof(Vec4));
  typename Device::template Buffer<Vec4> from(elements), to(elements);
  fill_numbers(device, from.data(), elements);
  const files::Spread seconds = files::spread_of(repeated(task.repeats, [&] {
    return seconds_of(device, [&] { copy(device, from.data(), elements, to.data()); });
  }));
  const std::uint64_t bytes = 2 * elements * sizeof(Vec4);  // read and written
  tables.table.add(files::ReportRow()
                       .put("measurement", "copy")
                       .put("bytes", bytes)
                       .put("seconds", seconds)
                       .put("bytes/s", double(bytes) / seconds.median));
  return tables;
}

}  // namespace gothic::detail
