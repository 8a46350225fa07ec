#include "run/observers.hpp"

#include <algorithm>

#include "core/observers/force_errors.hpp"
#include "core/observers/particle_observers.hpp"
#include "run/step_columns.hpp"

namespace gothic {

const std::vector<ObserverOf<StepRecord>>& step_observers() {
  static const std::vector<ObserverOf<StepRecord>> all = {observer<StepRecord>(
      "steps", "a row for each step", step_columns(), [](const StepRecord& step) { return step; })};
  return all;
}

const std::vector<Observer>& observers() {
  static const std::vector<Observer> all = [] {
    std::vector<Observer> joined(step_observers().begin(), step_observers().end());
    joined.insert(joined.end(), particle_observers().begin(), particle_observers().end());
    joined.insert(joined.end(), sample_observers().begin(), sample_observers().end());
    std::ranges::stable_sort(joined, {}, &Observer::schedule);
    return joined;
  }();
  return all;
}

}  // namespace gothic
