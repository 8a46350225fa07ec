#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <variant>

#include "arguments.hpp"
#include "bindings.hpp"
#include "core/engine/engine.hpp"
#include "run/timing.hpp"

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

/// What an engine with the chosen device finds, and that device.
template <class Found>
struct FoundOn {
  Found found;
  int threads;
  std::string device;

  FoundOn(const DeviceChoice& choice, auto find) {
    const auto engine = make_engine(choice);
    found = find(*engine);
    threads = engine->threads();
    device = engine->device_name();
  }
  auto told() { return python::told(std::move(found.forces), timing_of(found, threads), device); }
};

auto tree_forces(const HeldSnapshot& held, const Arguments& arguments) {
  std::optional<FoundOn<TreeForces>> result;
  {
    const nb::gil_scoped_release others_go_on;
    const ReadOptions read(&add_tree_force_options, arguments, held);
    result.emplace(read.values().device, [&](Engine& engine) {
      return engine.forces(held.data.particles, force_options(read.values(), held.data));
    });
  }
  return result->told();
}

auto tree_forces_at(const HeldSnapshot& held, const Arguments& arguments, const Points& points) {
  std::optional<FoundOn<TreeForces>> result;
  {
    const nb::gil_scoped_release others_go_on;
    const ReadOptions read(&add_tree_force_options, arguments, held);
    result.emplace(read.values().device, [&](Engine& engine) {
      return engine.forces_at(held.data.particles, span_of(points),
                              force_options(read.values(), held.data));
    });
  }
  return result->told();
}

/// \param targets empty: those of the options
auto direct_forces(const HeldSnapshot& held, const Arguments& arguments, const Indices& targets) {
  std::vector<std::uint32_t> chosen(targets.data(), targets.data() + targets.size());
  std::optional<FoundOn<DirectForces>> result;
  {
    const nb::gil_scoped_release others_go_on;
    const ReadOptions read(&add_direct_force_options, arguments, held);
    if (chosen.empty()) chosen = spread_targets(held.data.particles, read.values().targets);
    result.emplace(read.values().device, [&](Engine& engine) {
      return engine.direct_sum(held.data.particles, chosen,
                               direct_options(read.values(), held.data));
    });
  }
  const std::size_t count = chosen.size();
  return std::tuple(result->told(),
                    adopted<Scalars<std::uint32_t>>(std::move(chosen), {count}));
}

auto direct_forces_at(const HeldSnapshot& held, const Arguments& arguments, const Points& points) {
  std::optional<FoundOn<DirectForces>> result;
  {
    const nb::gil_scoped_release others_go_on;
    const ReadOptions read(&add_direct_force_options, arguments, held);
    result.emplace(read.values().device, [&](Engine& engine) {
      return engine.direct_sum_at(held.data.particles, span_of(points),
                                  direct_options(read.values(), held.data));
    });
  }
  return result->told();
}

}  // namespace

void define_forces(nb::module_& module) {
  module.def("tree_forces", &tree_forces, "snapshot"_a, "arguments"_a);
  module.def("tree_forces_at", &tree_forces_at, "snapshot"_a, "arguments"_a, "points"_a);
  module.def("direct_forces_at", &direct_forces_at, "snapshot"_a, "arguments"_a, "points"_a);
  module.def("direct_forces", &direct_forces, "snapshot"_a, "arguments"_a, "targets"_a);
  module.def("tree_force_options", [] { return option_names(&add_tree_force_options); });
  module.def("direct_force_options", [] { return option_names(&add_direct_force_options); });
}

}  // namespace gothic::python
