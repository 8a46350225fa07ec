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
#include <variant>

#include "arguments.hpp"
#include "bindings.hpp"
#include "core/engine/direct.hpp"
#include "core/engine/points.hpp"
#include "core/engine/simulation.hpp"
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

/// A snapshot of so many particles of which only that is there which save() writes.
files::Snapshot scratch(std::size_t count) {
  files::Snapshot scratch;
  scratch.particles.position.resize(count);
  scratch.particles.velocity.resize(count);
  return scratch;
}

/// Accelerations, potentials, timing and the device's name.
template <class T>
auto told(files::BasicForces<T> forces, const files::Attributes& timing,
          const std::string& device) {
  auto [acceleration, potential] = arrays(std::move(forces));
  return std::tuple(acceleration, potential, numbers(timing), device);
}

auto tree_forces(const HeldSnapshot& held, const Arguments& arguments) {
  files::Forces forces;
  files::Attributes timing;
  std::string device;
  {
    const nb::gil_scoped_release others_go_on;
    const ReadOptions read(&add_tree_force_options, arguments, held);
    const auto simulation = make_simulation(read.values().device, held.data,
                                            force_options(read.values(), held.data), StepOptions{});
    files::Snapshot state = scratch(held.data.particles.size());
    simulation->save(state, forces);
    timing = timing_of(simulation->first_force(), simulation->bootstrap_seconds(),
                       simulation->threads());
    device = simulation->device_name();
  }
  return told(std::move(forces), timing, device);
}

auto tree_forces_at(const HeldSnapshot& held, const Arguments& arguments, const Points& points) {
  PointForces found;
  {
    const nb::gil_scoped_release others_go_on;
    const ReadOptions read(&add_tree_force_options, arguments, held);
    found = forces_at(read.values().device, held.data.particles, span_of(points),
                      force_options(read.values(), held.data));
  }
  return told(std::move(found.forces),
              timing_of(found.cost, found.bootstrap_seconds, found.threads), found.device_name);
}

/// Sums forces by `sum`, direct_sum or direct_sum_at, on the targets that `choose` tells.
template <class Choose, class Sum>
DirectResult summed(const HeldSnapshot& held, const Arguments& arguments, Sum sum, Choose choose) {
  const nb::gil_scoped_release others_go_on;
  const ReadOptions read(&add_direct_force_options, arguments, held);
  const Options& options = read.values();
  return sum(options.device, held.data.particles, choose(options),
             held.data.units.gravitational_constant(), chosen_softening(options, held.data),
             direct_precision(options), chosen_field(options, held.data));
}

/// \param targets empty: those of the options
auto direct_forces(const HeldSnapshot& held, const Arguments& arguments, const Indices& targets) {
  std::vector<std::uint32_t> chosen(targets.data(), targets.data() + targets.size());
  DirectResult result = summed(held, arguments, &direct_sum, [&](const Options& options) {
    if (chosen.empty()) chosen = spread_targets(held.data.particles, options.targets);
    return std::span<const std::uint32_t>(chosen);
  });
  const std::size_t count = chosen.size();
  return std::tuple(told(std::move(result.forces), timing_of(result), result.device_name),
                    adopted<Scalars<std::uint32_t>>(std::move(chosen), {count}));
}

auto direct_forces_at(const HeldSnapshot& held, const Arguments& arguments, const Points& points) {
  DirectResult result =
      summed(held, arguments, &direct_sum_at, [&](const Options&) { return span_of(points); });
  return told(std::move(result.forces), timing_of(result), result.device_name);
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
