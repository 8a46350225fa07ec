#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "paper/group_balls.hpp"
#include "paper/group_variant.hpp"

namespace gothic::detail {

/// One kind of ball around all groups.
struct BallTimes {
  std::vector<double> seconds;    ///< to make the balls
  std::vector<ForceCost> forces;  ///< on all particles, judged with them
  std::vector<double> radius;     ///< of each group
};

/// radius / smallest; 1 where all particles are in one point.
inline double radius_ratio(double radius, double smallest) {
  return smallest > 0 ? radius / smallest : 1;
}

/// Mean and percentiles of the radii over the smallest.
inline void put_ratios(files::ReportRow& row, const std::vector<double>& radius,
                       const std::vector<double>& smallest) {
  std::vector<double> ratio(radius.size());
  std::ranges::transform(radius, smallest, ratio.begin(), radius_ratio);
  std::ranges::sort(ratio);
  double sum = 0;
  for (const double one : ratio) sum += one;
  const auto at = [&](double fraction) {
    return ratio[std::size_t(fraction * double(ratio.size() - 1))];
  };
  row.put("radius_over_smallest_mean", sum / double(ratio.size()))
      .put("radius_over_smallest_median", at(0.5))
      .put("radius_over_smallest_p95", at(0.95))
      .put("radius_over_smallest_p99", at(0.99))
      .put("radius_over_smallest_max", ratio.back());
}

/// Numbers of groups by the logarithm of the smallest radius and by the ratio of the radius to it.
/// Groups in one point are left out.
inline void count_ratios(files::ReportTable& table, const char* ball,
                         const std::vector<double>& radius, const std::vector<double>& smallest) {
  constexpr int per_decade = 10, per_unit = 100;
  std::map<std::pair<int, int>, std::uint32_t> groups;
  for (std::size_t i = 0; i < radius.size(); ++i) {
    if (!(smallest[i] > 0)) continue;
    const double above = radius_ratio(radius[i], smallest[i]) - 1;
    ++groups[{int(std::floor(per_decade * std::log10(smallest[i]))),
              std::min(int(per_unit * above), per_unit)}];
  }
  for (const auto& [bin, count] : groups) {
    const auto& [decade, ratio] = bin;
    files::ReportRow row;
    row.put("ball", std::string(ball))
        .put("radius_low", std::pow(10.0, double(decade) / per_decade))
        .put("radius_high", std::pow(10.0, double(decade + 1) / per_decade))
        .put("ratio_low", 1 + double(ratio) / per_unit);
    if (ratio < per_unit) {
      row.put("ratio_high", 1 + double(ratio + 1) / per_unit);
    } else {
      row.put_nothing("ratio_high");
    }
    table.add(row.put("groups", count));
  }
}

/// Times every kind of ball, in the order of `ball_words`; within each repeat all take their turn.
template <DeviceType Device>
std::vector<BallTimes> time_balls(Device& device, BenchSystem<Device>& system, int repeats) {
  ForceSolver<Device>& solver = system.solver();
  ForceOptions options = solver.options();
  std::vector<BallTimes> times(std::size(ball_words));
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    for (std::size_t k = 0; k < times.size(); ++k) {
      const Ball ball = ball_words[k].ball;
      options.grouping = grouping({.ball = ball});
      solver.set_options(options);
      const ForceCost force = system.force_on_all();
      typename Device::template Buffer<Vec4> made(force.group_count);
      const double seconds =
          seconds_of(device, [&] { make_balls(device, ball, solver.last_groups(), made.data()); });
      if (repeat == 0) {  // does not count
        std::vector<Vec4> balls(force.group_count);
        made.download(balls);
        for (const Vec4& one : balls) times[k].radius.push_back(one.w);
      } else {
        times[k].forces.push_back(force);
        times[k].seconds.push_back(seconds);
      }
    }
  }
  return times;
}

/// Every kind of enclosing ball around the groups of all particles: radii, cost, and the walk with
/// it.
template <DeviceType Device>
BenchTables bench_balls(Device& device, const BenchTask& task) {
  BenchSystem<Device> system(device, task.snapshot.particles, task.force);
  const std::vector<BallTimes> times = time_balls(device, system, task.repeats);
  const auto seb = std::ranges::find(ball_words, Ball::seb, &BallWord::ball);
  const std::vector<double>& smallest = times[std::size_t(seb - ball_words)].radius;
  BenchTables tables;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const ForceCost& cost = times[k].forces.back();
    files::ReportRow row;
    row.put("ball", std::string(ball_words[k].name))
        .put("group_size", system.solver().chosen_group_size(system.size()))
        .put("groups", cost.group_count);
    put_ratios(row, times[k].radius, smallest);
    tables.table.add(row.put("seconds", files::spread_of(times[k].seconds))
                         .put("walk_seconds", spread_of(times[k].forces, &ForceCost::walk))
                         .put("interactions", cost.interactions)
                         .put("cells_judged", cost.cells_judged));
    count_ratios(tables.histogram, ball_words[k].name, times[k].radius, smallest);
  }
  return tables;
}

}  // namespace gothic::detail
