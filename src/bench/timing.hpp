#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/device/device.hpp"
#include "files/report_table.hpp"

namespace gothic::detail {

template <DeviceType Device, class F>
double seconds_of(Device& device, F work) {
  typename Device::Timer timer(device);
  work();
  return timer.finish();
}

/// What `once` returns, `repeats` times, after one time that does not count.
template <class F>
auto repeated(int repeats, F once) {
  once();
  std::vector<decltype(once())> results;
  for (int i = 0; i < repeats; ++i) results.push_back(once());
  return results;
}

/// Spread of one member, or what else `of` names, of all results.
template <class T, class Of>
files::Spread spread_of(const std::vector<T>& results, Of of) {
  std::vector<double> values;
  for (const T& result : results) values.push_back(std::invoke(of, result));
  return files::spread_of(std::move(values));
}

}  // namespace gothic::detail
