#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/observers/densest_point.hpp"
#include "core/observers/enclosing_radii.hpp"
#include "core/observers/observer.hpp"
#include "core/observers/particles_view.hpp"
#include "core/particles.hpp"

namespace gothic {

/// Fractions of the mass within the Lagrangian radii.
inline constexpr std::array lagrange_fractions = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99};

/// Radii about the centre of the system that hold given fractions of the mass of one component, in
/// the units of the particles.
struct LagrangianRadii {
  std::int64_t step = 0;
  double time = 0;
  Point center{};  ///< the densest point
  std::int32_t component = 0;
  double mass = 0;
  std::array<double, lagrange_fractions.size()> radius{};
};

/// The columns of LagrangianRadii.
const std::vector<ColumnOf<LagrangianRadii>>& lagrange_columns();

/// Radii of every component, in ascending order of the components. Particles of a component without
/// mass count alike.
template <class Device>
std::vector<LagrangianRadii> lagrangian_radii(const StateView<Device>& state) {
  const Point center =
      densest_point(state.device, state.ranks, state.size, state.position, state.slot);
  const detail::Ball about{.center = center};
  const Vec4* const position = state.position;
  const std::uint32_t* const component = state.component;
  std::vector<LagrangianRadii> result;
  for (const std::int32_t wanted : state.components) {
    const EnclosingRadii found = enclosing_radii(
        state.device, state.ranks, state.size,
        [=] GOTHIC_DEVICE(std::size_t i) {
          if (component[i] != std::uint32_t(wanted)) return Shell{0, 0, false};
          const Vec4 r = position[i];
          return Shell{float(about.from_center2(r)), r.w};
        },
        lagrange_fractions);
    LagrangianRadii& radii = result.emplace_back(
        LagrangianRadii{state.step, state.time, center, wanted, found.mass, {}});
    std::ranges::copy(found.radius, radii.radius.begin());
  }
  return result;
}

// For particles of the host, on the CPU.

/// See densest_point.
Point densest_point(const Particles& particles);
/// See enclosing_radii.
std::vector<double> enclosing_radii(std::span<const Shell> shells,
                                    std::span<const double> fractions);

}  // namespace gothic
