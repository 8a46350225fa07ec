#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
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

/// What `once(choice)` returns for each choice, `repeats` times, after one time that does not
/// count. The choices take turns, so that what disturbs the machine disturbs all of them.
template <class Choices, class F>
auto in_turn(int repeats, const Choices& choices, F once) {
  using Result = decltype(once(*std::begin(choices)));
  std::vector<std::vector<Result>> results(std::size(choices));
  for (int turn = 0; turn <= repeats; ++turn) {
    auto own = results.begin();
    for (const auto& choice : choices) {
      Result result = once(choice);
      if (turn > 0) own->push_back(std::move(result));
      ++own;
    }
  }
  return results;
}

/// The same where there is nothing to choose.
template <class F>
auto repeated(int repeats, F once) {
  return in_turn(repeats, std::vector<int>(1), [&](int) { return once(); }).front();
}

/// Spread of one member, or what else `of` names, of all results.
template <class T, class Of>
files::Spread spread_of(const std::vector<T>& results, Of of) {
  std::vector<double> values;
  for (const T& result : results) values.push_back(std::invoke(of, result));
  return files::spread_of(std::move(values));
}

}  // namespace gothic::detail
