#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "paper/force_variant.hpp"
#include "paper/group_balls.hpp"

namespace gothic::detail {

/// Radii of the balls around all groups.
using Radii = std::vector<double>;

/// radius / smallest; 1 where all particles are in one point.
inline double radius_ratio(double radius, double smallest) {
  return smallest > 0 ? radius / smallest : 1;
}

/// Mean and percentiles of the radii over the smallest.
inline void put_ratios(files::ReportRow& row, const Radii& radii, const Radii& smallest) {
  std::vector<double> ratio(radii.size());
  std::ranges::transform(radii, smallest, ratio.begin(), radius_ratio);
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
      .put("radius_over_smallest_max", at(1));
}

/// Numbers of groups by the logarithm of the smallest radius and by the ratio of the radius to it.
/// Groups in one point are left out.
inline void count_ratios(files::ReportTable& table, const char* ball, const Radii& radii,
                         const Radii& smallest) {
  constexpr int per_decade = 10, per_unit = 100;
  std::map<std::pair<int, int>, std::uint32_t> groups;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (!(smallest[i] > 0)) continue;
    const double above = radius_ratio(radii[i], smallest[i]) - 1;
    ++groups[{int(std::floor(per_decade * std::log10(smallest[i]))),
              std::min(int(per_unit * above), per_unit)}];
  }
  for (const auto& [bin, count] : groups) {
    const auto& [decade, ratio] = bin;
    files::ReportRow row;
    row.put("ball", ball)
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

/// Every kind of enclosing ball around the groups of all particles: radii, cost, and the walk with
/// it.
template <DeviceType Device>
BenchTables bench_balls(Device& device, const BenchTask& task) {
  BenchSystem<Device> system(device, *task.input);
  ForceSolver<Device>& solver = system.solver();
  ForceOptions options = system.settings().options();
  struct Cost {
    double balls;  ///< seconds to make them
    ForceCost force;
  };
  std::map<Ball, Radii> radii;
  const auto costs = in_turn(task.repeats, ball_words, [&](const BallWord& word) {
    ForceVariant variant = system.variant();
    variant.ball = word.ball;
    options.variation = variation(variant);
    solver.set(options);
    system.force();  // takes the memory that the variant needs
    const ForceCost force = system.force();
    typename Device::template Buffer<Vec4> made(force.group_count);
    const double seconds = seconds_of(
        device, [&] { make_balls(device, word.ball, solver.last_groups(), made.data()); });
    std::vector<Vec4> balls(force.group_count);
    made.download(balls);
    radii[word.ball].resize(balls.size());
    std::ranges::transform(balls, radii[word.ball].begin(), &Vec4::w);
    return Cost{seconds, force};
  });
  BenchTables tables;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    const auto& [name, ball] = ball_words[k];
    const ForceCost& force = costs[k].back().force;
    files::ReportRow row;
    row.put("ball", name)
        .put("group_size", system.settings().group_size(system.size()))
        .put("groups", force.group_count);
    put_ratios(row, radii[ball], radii[Ball::seb]);
    row.put("seconds", spread_of(costs[k], &Cost::balls))
        .put("walk_seconds", spread_of(costs[k], [](const Cost& cost) { return cost.force.walk; }))
        .put("interactions", force.counts.interactions())
        .put("cells_judged", force.counts.cells_judged);
    tables.table.add(row);
    count_ratios(tables.histogram, name, radii[ball], radii[Ball::seb]);
  }
  return tables;
}

}  // namespace gothic::detail
