#include "core/observers/lagrangian_radii.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "core/device/cpu/device.hpp"
#include "core/messages/one_rank.hpp"

namespace gothic {

const std::vector<ColumnOf<LagrangianRadii>>& lagrange_columns() {
  using Radii = const LagrangianRadii&;
  static const std::vector<ColumnOf<LagrangianRadii>> columns = [] {
    std::vector<ColumnOf<LagrangianRadii>> result = {
        {"step", "", "step after which the radii were found; 0 is the start",
         [](Radii r) { return r.step; }},
        {"time", "time", "time of the state", [](Radii r) { return r.time; }},
        {"component", "", "row of /Components of the snapshots",
         [](Radii r) { return r.component; }},
        {"mass", "mass", "of the component", [](Radii r) { return r.mass; }}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result.emplace_back(std::string("center_") + "xyz"[axis], "length",
                          "the densest point, from which radii count",
                          [=](Radii r) { return r.center[axis]; });
    }
    for (std::size_t k = 0; k < lagrange_fractions.size(); ++k) {
      const int percent = int(std::lround(100 * lagrange_fractions[k]));
      const std::string two_digits = std::to_string(100 + percent).substr(1);
      result.emplace_back("r_" + two_digits, "length",
                          "holds " + std::to_string(percent) + " % of the mass of the component",
                          [=](Radii r) { return r.radius[k]; });
    }
    return result;
  }();
  return columns;
}

Point densest_point(const Particles& particles) {
  const cpu::Device device;
  const std::size_t n = particles.size();
  std::vector<Vec4> position(n);
  std::vector<std::uint32_t> slot(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3& r = particles.position[i];
    position[i] = {r[0], r[1], r[2], particles.mass[i]};
    slot[i] = std::uint32_t(i);
  }
  return densest_point(device, one_rank(), n, position.data(), slot.data());
}

std::vector<double> enclosing_radii(std::span<const Shell> shells,
                                    std::span<const double> fractions) {
  const Shell* const shell = shells.data();
  return enclosing_radii(
             cpu::Device(), one_rank(), shells.size(), [=](std::size_t i) { return shell[i]; },
             fractions)
      .radius;
}

}  // namespace gothic
