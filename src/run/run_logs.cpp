#include "run/run_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gothic {

const std::vector<LogColumn<StepRecord>>& step_columns() {
  using Step = const StepRecord&;
  static const std::vector<LogColumn<StepRecord>> columns = [] {
    std::vector<LogColumn<StepRecord>> result = {
        {"step", "", "number of the step, from 1", [](Step s) { return s.step; }},
        {"time", "time", "time of the system after the step", [](Step s) { return s.time; }},
        {"dt", "time", "by which it advanced", [](Step s) { return s.dt; }},
        {"active", "", "particles that got new forces", [](Step s) { return s.active; }},
        {"groups", "", "groups that they were packed into",
         [](Step s) { return s.force.group_count; }},
        {"interactions", "", "pairs that were summed",
         [](Step s) { return s.force.counts.interactions(); }},
        {"cells_judged", "", "cells that were judged",
         [](Step s) { return s.force.counts.cells_judged; }},
        {"rebuilt", "", "1 where the tree was built anew", [](Step s) { return s.rebuilt; }},
        {"level_min", "", "base-2 logarithm of the shortest next step of the active particles",
         [](Step s) { return s.level_min; }},
        {"level_max", "", "the same of the longest", [](Step s) { return s.level_max; }},
        {"predict", "s", "prediction of all particles", [](Step s) { return s.predict; }},
        {"keys", "s", "keys, where the tree was built", [](Step s) { return s.force.keys; }},
        {"sort", "s", "sort, where the tree was built", [](Step s) { return s.force.sort; }},
        {"build", "s", "construction, where the tree was built",
         [](Step s) { return s.force.build; }},
        {"groups_time", "s", "groups and their enclosing balls",
         [](Step s) { return s.force.groups; }},
        {"moments", "s", "moments of the cells", [](Step s) { return s.force.moments; }},
        {"walk", "s", "walk of the tree, static potentials included",
         [](Step s) { return s.force.walk; }},
        {"correct", "s", "correction, and choice of the next steps",
         [](Step s) { return s.correct; }},
        {"total", "s", "the whole step", [](Step s) { return s.total; }},
        {"sharing", "", "lanes of a warp that shared a particle",
         [](Step s) { return s.force.sharing; }},
        {"group_extent", "length", "r_crit above which groups were cut; 0 is no limit",
         [](Step s) { return s.force.group_extent; }},
        {"exchange", "s", "parts of trees and particles that go from rank to rank",
         [](Step s) { return s.force.exchange; }},
        {"waiting", "s",
         "messages and waiting for other ranks, mean of the ranks; in other times, too",
         [](Step s) { return s.force.waiting; }},
        {"imbalance", "", "walk of the slowest rank, over the mean of the ranks",
         [](Step s) { return s.force.walk_mean > 0 ? s.force.walk / s.force.walk_mean : 1; }},
        {"remote_cells", "", "cells of other ranks in the trees of all ranks",
         [](Step s) { return s.force.remote_cells; }},
        {"remote_particles", "", "particles of other ranks in the trees of all ranks",
         [](Step s) { return s.force.remote_particles; }},
        {"walked_alone", "", "particles that walked again since cells of other ranks were missing",
         [](Step s) { return s.force.walked_alone; }},
        {"renewed", "", "1 where the ranks shared their trees anew since that did not help",
         [](Step s) { return s.force.renewed; }}};
    std::vector<LogColumn<StepRecord>> by_order;
    for_each_order<Order::quadrupole, highest_order>([&]<Order order>() {
      const std::string name = order_names[int(order)];
      by_order.emplace_back(name + "_interactions", "",
                            "those of them whose source is a cell with its " + name,
                            [](Step s) { return s.force.counts.pairs[order]; });
    });
    const auto place = std::ranges::find(result, "cells_judged", &LogColumn<StepRecord>::name);
    result.insert(place, by_order.begin(), by_order.end());
    return result;
  }();
  return columns;
}

const std::vector<LogColumn<EnergyRecord>>& energy_columns() {
  using Energy = const EnergyRecord&;
  static const std::vector<LogColumn<EnergyRecord>> columns = [] {
    const std::string energy = "mass velocity^2",
                      of_potential =
                          "potential energy, half of sum m phi; of static potentials the whole sum";
    std::vector<LogColumn<EnergyRecord>> result = {
        {"step", "", "step after which all particles were at one time; 0 is the start",
         [](Energy e) { return e.step; }},
        {"time", "time", "that time", [](Energy e) { return e.time; }},
        {"kinetic", energy, "kinetic energy", [](Energy e) { return e.sums.kinetic; }},
        {"potential", energy, of_potential, [](Energy e) { return e.sums.potential; }},
        {"total", energy, "their sum", [](Energy e) { return e.sums.total(); }},
        {"virial_ratio", "", "-2 K / sum m r.a: 1 in equilibrium, whatever the softening",
         [](Energy e) { return e.sums.virial_ratio(); }}};
    const auto add_vector = [&](const std::string& name, const std::string& unit,
                                const std::string& meaning, auto vector) {
      for (int axis = 0; axis < 3; ++axis) {
        result.emplace_back(name + "_" + "xyz"[axis], unit, meaning,
                            [=](Energy e) { return (e.sums.*vector)[axis]; });
      }
    };
    add_vector("momentum", "mass velocity", "momentum", &Conserved::momentum);
    add_vector("angular_momentum", "mass length velocity", "angular momentum about the origin",
               &Conserved::angular_momentum);
    add_vector("center", "length", "centre of mass", &Conserved::center);
    const std::string of_particles =
        " change of a particle's energy since the start, over the sum of its kinetic and absolute "
        "potential energy; NaN unless all particles are without mass";
    result.emplace_back("tracer_error", "", "root mean square of the" + of_particles,
                        [](Energy e) { return e.tracers.rms; });
    result.emplace_back("tracer_error_max", "", "largest" + of_particles,
                        [](Energy e) { return e.tracers.largest; });
    return result;
  }();
  return columns;
}

const std::vector<LogColumn<LagrangeRecord>>& lagrange_columns() {
  using Lagrange = const LagrangeRecord&;
  static const std::vector<LogColumn<LagrangeRecord>> columns = [] {
    std::vector<LogColumn<LagrangeRecord>> result = {
        {"step", "", "step after which the radii were found; 0 is the start",
         [](Lagrange l) { return l.step; }},
        {"time", "time", "time of the state", [](Lagrange l) { return l.time; }},
        {"component", "", "row of /Components of the snapshots",
         [](Lagrange l) { return l.radii.component; }},
        {"mass", "mass", "of the component", [](Lagrange l) { return l.radii.mass; }}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result.emplace_back(std::string("center_") + "xyz"[axis], "length",
                          "the densest point, from which radii count",
                          [=](Lagrange l) { return l.center[axis]; });
    }
    for (std::size_t k = 0; k < lagrange_fractions.size(); ++k) {
      const int percent = int(std::lround(100 * lagrange_fractions[k]));
      result.emplace_back(fmt::format("r_{:02}", percent), "length",
                          fmt::format("holds {} % of the mass of the component", percent),
                          [=](Lagrange l) { return l.radii.radius[k]; });
    }
    return result;
  }();
  return columns;
}

std::vector<LagrangeRecord> lagrange_records(std::int64_t step, const files::Snapshot& snapshot,
                                             Communicator& ranks) {
  const std::array<double, 3> center = densest_point(snapshot.particles, ranks);
  std::vector<LagrangeRecord> records;
  for (const LagrangianRadii& radii : lagrangian_radii(snapshot.particles, center, ranks)) {
    records.push_back({step, snapshot.time, center, radii});
  }
  return records;
}

files::Attributes timing_of(const TreeForces& found, int threads) {
  const ForceCost& cost = found.cost;
  files::Attributes timing = {{"keys", cost.keys},
                              {"sort", cost.sort},
                              {"build", cost.build},
                              {"groups", cost.groups},
                              {"moments", cost.moments},
                              {"walk", cost.walk},
                              {"bootstrap", found.bootstrap_seconds},
                              {"interactions", std::int64_t(cost.counts.interactions())},
                              {"cells_judged", std::int64_t(cost.counts.cells_judged)},
                              {"groups_count", std::int64_t(cost.group_count)},
                              {"threads", std::int64_t(threads)}};
  for_each_order<Order::quadrupole, highest_order>([&]<Order order>() {
    timing[std::string(order_names[int(order)]) + "_interactions"] =
        std::int64_t(cost.counts.pairs[order]);
  });
  return timing;
}

files::Attributes timing_of(const DirectForces& found, int threads) {
  return {{"direct", found.seconds},
          {"interactions", std::int64_t(found.interactions)},
          {"threads", std::int64_t(threads)}};
}

}  // namespace gothic
