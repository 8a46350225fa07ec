#include "run/lagrange_log.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

namespace gothic {

const std::vector<ColumnOf<LagrangeRecord>>& lagrange_columns() {
  using Lagrange = const LagrangeRecord&;
  static const std::vector<ColumnOf<LagrangeRecord>> columns = [] {
    std::vector<ColumnOf<LagrangeRecord>> result = {
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

std::vector<LagrangeRecord> lagrange_records(const SavedState& state) {
  const files::Particles& particles = state.snapshot.particles;
  const std::array<double, 3> center = densest_point(particles, state.ranks);
  std::vector<LagrangeRecord> records;
  for (const LagrangianRadii& radii : lagrangian_radii(particles, center, state.ranks)) {
    records.push_back({state.step, state.snapshot.time, center, radii});
  }
  return records;
}

}  // namespace gothic
