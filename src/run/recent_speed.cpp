#include "run/recent_speed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gothic {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
/// What sums of steps may lack of a period by rounding.
constexpr double rounding = 1e-9;

double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : unknown;
}

}  // namespace

double work_period(const StepLevels& levels) {
  constexpr double share = 0.9;
  double all = 0;
  for (const StepLevel& level : levels) all += level.particles / level.step;
  double sum = 0;
  for (const StepLevel& level : levels) {
    sum += level.particles / level.step;
    if (sum >= share * all) return level.step;
  }
  return 0;
}

double Advance::steps_per_second() const { return ratio(double(step), wall); }
double Advance::interactions_per_second() const { return ratio(double(interactions), wall); }
double Advance::time_per_step() const { return ratio(time, double(step)); }

void RecentSpeed::add(const Advance& now, double period) {
  const double spacing =
      std::max(least_spacing, (now.wall - marks_.front().wall) / most_per_window);
  const bool is_long_step = now.wall - latest_.wall >= spacing;
  if (is_long_step && latest_.step > marks_.back().step) marks_.push_back(latest_);
  if (now.wall - marks_.back().wall >= spacing) marks_.push_back(now);
  latest_ = now;
  period_ = period;
  const auto is_long_ago = [&](const Advance& mark) {
    return now.wall - mark.wall >= least_window && now.time - mark.time >= (1 - rounding) * period_;
  };
  while (marks_.size() > 1 && is_long_ago(marks_[1])) marks_.pop_front();
}

bool RecentSpeed::holds_period() const {
  return latest_.time - marks_.front().time >= (1 - rounding) * period_;
}

const Advance& RecentSpeed::window_start() const {
  if (!(period_ > 0) || !holds_period()) return marks_.front();
  const double periods = std::floor((latest_.time - marks_.front().time) / period_ + rounding);
  const double wanted = latest_.time - periods * period_;
  const auto later = std::ranges::lower_bound(marks_, wanted, {}, &Advance::time);
  if (later == marks_.begin()) return *later;
  const auto before = later - 1;
  const bool is_nearer = later == marks_.end() || wanted - before->time < later->time - wanted;
  return is_nearer ? *before : *later;
}

Advance RecentSpeed::window() const {
  const Advance& start = window_start();
  return {latest_.wall - start.wall, latest_.time - start.time, latest_.step - start.step,
          latest_.interactions - start.interactions};
}

double RecentSpeed::seconds_to_time(double end) const {
  if (!holds_period()) return unknown;
  const Advance recent = window();
  return std::max(0.0, end - latest_.time) * ratio(recent.wall, recent.time);
}

double RecentSpeed::seconds_to_step(std::int64_t last) const {
  if (!holds_period()) return unknown;
  return double(std::max<std::int64_t>(0, last - latest_.step)) / window().steps_per_second();
}

}  // namespace gothic
