#include "run/step_columns.hpp"

#include <algorithm>
#include <string>

namespace gothic {

const std::vector<ColumnOf<StepRecord>>& step_columns() {
  using Step = const StepRecord&;
  static const std::vector<ColumnOf<StepRecord>> columns = [] {
    std::vector<ColumnOf<StepRecord>> result = {
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
    std::vector<ColumnOf<StepRecord>> by_order;
    for_each_order<Order::quadrupole, highest_order>([&]<Order order>() {
      const std::string name = order_names[int(order)];
      by_order.emplace_back(name + "_interactions", "",
                            "those of them whose source is a cell with its " + name,
                            [](Step s) { return s.force.counts.pairs[order]; });
    });
    const auto place = std::ranges::find(result, "cells_judged", &ColumnOf<StepRecord>::name);
    result.insert(place, by_order.begin(), by_order.end());
    return result;
  }();
  return columns;
}

}  // namespace gothic
