#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "core/engine/engine.hpp"
#include "run/force_timing.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// Points of shape [m, 3], not copied.
using Points = nb::ndarray<const float, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

std::span<const files::Vec3> span_of(const Points& points) {
  return {reinterpret_cast<const files::Vec3*>(points.data()), points.shape(0)};
}

/// Indices of particles.
using Indices = nb::ndarray<const std::uint32_t, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

/// Calls `find` with an engine and the options of a command. Returns accelerations, potentials,
/// timing and the device's name. Other threads of Python go on meanwhile.
template <class Find>
auto forces(const std::string& command, const HeldSnapshot& held, const Arguments& arguments,
            Find find) {
  const auto compute = [&] {
    const nb::gil_scoped_release others_go_on;
    const Settings settings = settings_of(command, arguments, held);
    const auto engine = make_engine(settings.device());
    auto found = find(*engine, settings);
    return std::tuple(std::move(found.forces), timing_of(found, engine->threads()),
                      engine->device().name);
  };
  auto [both, timing, device] = compute();
  auto [acceleration, potential] = arrays(std::move(both));
  return std::tuple(acceleration, potential, timing, device);
}

auto tree_forces(const HeldSnapshot& held, const Arguments& arguments,
                 const std::optional<Points>& points) {
  return forces("gothic force", held, arguments, [&](Engine& engine, const Settings& settings) {
    const ForceOptions force = settings.force(held.data);
    return points ? engine.forces_at(held.data.particles, span_of(*points), held.data.time, force)
                  : engine.forces(held.data.particles, held.data.time, force);
  });
}

/// \param targets particles that get forces if there are no points
auto direct_forces(const HeldSnapshot& held, const Arguments& arguments,
                   const std::optional<Points>& points, const Indices& targets) {
  return forces("gothic direct", held, arguments, [&](Engine& engine, const Settings& settings) {
    const DirectOptions direct = settings.direct(held.data);
    return points
               ? engine.direct_sum_at(held.data.particles, span_of(*points), held.data.time, direct)
               : engine.direct_sum(held.data.particles, {targets.data(), targets.size()},
                                   held.data.time, direct);
  });
}

auto spread(const HeldSnapshot& held, std::uint32_t count) {
  std::vector<std::uint32_t> targets = spread_targets(held.data.particles, count);
  const std::size_t size = targets.size();
  return adopted<Scalars<std::uint32_t>>(std::move(targets), {size});
}

}  // namespace

void define_forces(nb::module_& module) {
  module.def("tree_forces", &tree_forces, "snapshot"_a, "arguments"_a, "points"_a.none());
  module.def("direct_forces", &direct_forces, "snapshot"_a, "arguments"_a, "points"_a.none(),
             "targets"_a);
  module.def("spread_targets", &spread, "snapshot"_a, "count"_a);
}

}  // namespace gothic::python
