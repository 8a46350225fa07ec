#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "bindings.hpp"
#include "core/engine/engine.hpp"
#include "run/run_logs.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// Points of shape [m, 3], as they are in memory.
using Points = nb::ndarray<const float, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

std::span<const files::Vec3> span_of(const Points& points) {
  return {reinterpret_cast<const files::Vec3*>(points.data()), points.shape(0)};
}

/// Indices of particles.
using Indices = nb::ndarray<const std::uint32_t, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

/// Seconds and counters by their names.
using Timing = std::map<std::string, std::variant<std::int64_t, double>>;

Timing numbers(const files::Attributes& attributes) {
  Timing timing;
  for (const auto& [name, value] : attributes) {
    if (const auto* count = std::get_if<std::int64_t>(&value)) {
      timing[name] = *count;
    } else {
      timing[name] = std::get<double>(value);
    }
  }
  return timing;
}

/// Accelerations, potentials, timing and the device's name.
template <class T>
auto told(files::BasicForces<T> forces, const files::Attributes& timing,
          const std::string& device) {
  auto [acceleration, potential] = arrays(std::move(forces));
  return std::tuple(acceleration, potential, numbers(timing), device);
}

/// Tells what `find` finds with an engine and the options of a command. Other threads of Python go
/// on meanwhile.
template <class Find>
auto tell(const std::string& command, const HeldSnapshot& held, const Arguments& arguments,
          Find find) {
  const auto compute = [&] {
    const nb::gil_scoped_release others_go_on;
    const Settings settings = settings_of(command, arguments, held);
    const auto engine = make_engine(settings.device());
    auto found = find(*engine, settings);
    return std::tuple(std::move(found.forces), timing_of(found, engine->threads()),
                      engine->device_name());
  };
  auto [forces, timing, device] = compute();
  return told(std::move(forces), timing, device);
}

auto tree_forces(const HeldSnapshot& held, const Arguments& arguments) {
  return tell("gothic force", held, arguments, [&](Engine& engine, const Settings& settings) {
    return engine.forces(held.data.particles, settings.force(held.data));
  });
}

auto tree_forces_at(const HeldSnapshot& held, const Arguments& arguments, const Points& points) {
  return tell("gothic force", held, arguments, [&](Engine& engine, const Settings& settings) {
    return engine.forces_at(held.data.particles, span_of(points), settings.force(held.data));
  });
}

/// \param targets empty: `count` of them, evenly spread over the IDs; 0 for all
auto direct_forces(const HeldSnapshot& held, const Arguments& arguments, const Indices& targets,
                   std::uint32_t count) {
  std::vector<std::uint32_t> chosen(targets.data(), targets.data() + targets.size());
  if (chosen.empty()) chosen = spread_targets(held.data.particles, count);
  const std::size_t size = chosen.size();
  auto forces =
      tell("gothic direct", held, arguments, [&](Engine& engine, const Settings& settings) {
        return engine.direct_sum(held.data.particles, chosen, settings.direct(held.data));
      });
  return std::tuple(forces, adopted<Scalars<std::uint32_t>>(std::move(chosen), {size}));
}

auto direct_forces_at(const HeldSnapshot& held, const Arguments& arguments, const Points& points) {
  return tell("gothic direct", held, arguments, [&](Engine& engine, const Settings& settings) {
    return engine.direct_sum_at(held.data.particles, span_of(points), settings.direct(held.data));
  });
}

}  // namespace

void define_forces(nb::module_& module) {
  module.def("tree_forces", &tree_forces, "snapshot"_a, "arguments"_a);
  module.def("tree_forces_at", &tree_forces_at, "snapshot"_a, "arguments"_a, "points"_a);
  module.def("direct_forces_at", &direct_forces_at, "snapshot"_a, "arguments"_a, "points"_a);
  module.def("direct_forces", &direct_forces, "snapshot"_a, "arguments"_a, "targets"_a, "count"_a);
}

}  // namespace gothic::python
