#include "run/observers.hpp"

#include "core/observers/force_errors.hpp"
#include "core/observers/particle_observers.hpp"
#include "run/lagrange_log.hpp"
#include "run/step_columns.hpp"

namespace gothic {

const std::vector<ObserverOf<StepRecord>>& step_observers() {
  static const std::vector<ObserverOf<StepRecord>> all = {observer<StepRecord>(
      "steps", "a row for each step", step_columns(), [](const StepRecord& step) { return step; })};
  return all;
}

const std::vector<ObserverOf<SavedState>>& state_observers() {
  static const std::vector<ObserverOf<SavedState>> all = {observer<SavedState>(
      "lagrange", "a row for each component at the start, with every snapshot and at the end",
      lagrange_columns(), lagrange_records)};
  return all;
}

const std::vector<Observer>& observers() {
  static const std::vector<Observer> all = [] {
    std::vector<Observer> joined(step_observers().begin(), step_observers().end());
    joined.insert(joined.end(), particle_observers().begin(), particle_observers().end());
    joined.insert(joined.end(), sample_observers().begin(), sample_observers().end());
    joined.insert(joined.end(), state_observers().begin(), state_observers().end());
    return joined;
  }();
  return all;
}

}  // namespace gothic
