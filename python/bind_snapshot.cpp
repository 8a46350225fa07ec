#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "files/error.hpp"
#include "run/lagrangian_radii.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// Name, type and softening of a component.
using Component = std::tuple<std::string, int, double>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Units of length, mass and velocity in cgs.
using CgsUnits = std::tuple<double, double, double>;

/// What a dataset of a file is called here.
std::string array_name(const std::string& dataset) {
  const std::map<std::string, std::string> names = {{"Coordinates", "positions"},
                                                    {"Velocities", "velocities"},
                                                    {"Masses", "masses"},
                                                    {"ParticleIDs", "ids"},
                                                    {"Component", "components"}};
  return names.at(dataset);
}

/// Particles of type 1 with the IDs 1, 2, ...; everything else is zero.
HeldSnapshot blank(std::size_t count) {
  HeldSnapshot held;
  files::Particles& particles = held.data.particles;
  particles.resize(count);
  std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{1});
  std::ranges::fill(particles.type, std::uint8_t{1});
  held.origin.program = "gothic.Snapshot";
  return held;
}

HeldSnapshot read(const std::filesystem::path& path) {
  const nb::gil_scoped_release others_go_on;
  HeldSnapshot held;
  held.data = files::read_snapshot(path, files::Masses::may_vanish);
  held.origin.program = "gothic.read";
  held.origin.options = {{"input", path.string()}};
  held.name = path.string();
  return held;
}

void write(const HeldSnapshot& held, const std::filesystem::path& path, int compression) {
  const nb::gil_scoped_release others_go_on;
  require_valid(held);
  if (compression < 0 || compression > 9) {
    throw InputError("compression: is " + std::to_string(compression) + "; give 0 to 9");
  }
  files::Provenance provenance = files::current_provenance(held.origin.program);
  provenance.device = held.origin.device;
  provenance.options = held.origin.options;
  if (!held.dated) provenance.date.clear();
  files::write_snapshot(path, held.data, provenance,
                        held.forces.potential.empty() ? nullptr : &held.forces, compression);
}

void require_positive(const char* name, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw InputError(std::string("units: ") + name +
                   " is not positive; give the unit's value in cgs");
}

void set_units(HeldSnapshot& held, const CgsUnits& units) {
  const auto& [length, mass, velocity] = units;
  require_positive("length_in_cm", length);
  require_positive("mass_in_g", mass);
  require_positive("velocity_in_cm_per_s", velocity);
  held.data.units = {length, mass, velocity};
}

void set_time(HeldSnapshot& held, double time) {
  if (!std::isfinite(time)) throw InputError("time: is not finite; correct it");
  held.data.time = time;
}

void set_softening(HeldSnapshot& held, double softening) {
  if (!(std::isfinite(softening) && softening >= 0)) {
    throw InputError("softening: is negative or not finite; correct it");
  }
  held.data.softening = softening;
}

void set_component_table(HeldSnapshot& held, const std::vector<Component>& table) {
  std::vector<files::ComponentInfo> components;
  for (const auto& [name, type, softening] : table) {
    if (type < 0 || type >= files::particle_types) {
      throw InputError("component_table: the type of " + name + " is " + std::to_string(type) +
                       "; give 0 to 5");
    }
    if (!(std::isfinite(softening) && softening >= 0)) {
      throw InputError("component_table: the softening of " + name +
                       " is negative or not finite; correct it");
    }
    components.push_back({name, static_cast<std::uint8_t>(type), softening});
  }
  held.data.components = std::move(components);
}

std::vector<Component> component_table(const HeldSnapshot& held) {
  std::vector<Component> table;
  for (const files::ComponentInfo& component : held.data.components) {
    table.emplace_back(component.name, component.type, component.softening);
  }
  return table;
}

/// NumPy's view of an array of the snapshot, which lives as long as the view.
template <class T>
Vectors<T> view(std::vector<std::array<T, 3>>& rows) {
  return Vectors<T>(rows.data(), {rows.size(), 3});
}
template <class T>
Scalars<T> view(std::vector<T>& values) {
  return Scalars<T>(values.data(), {values.size()});
}

/// See enclosing_radii.
std::vector<double> radii_enclosing(const Numbers& radii, const Numbers& masses,
                                    const std::vector<double>& fractions) {
  std::vector<Shell> shells(radii.shape(0));
  for (std::size_t i = 0; i < shells.size(); ++i) {
    shells[i] = {float(radii(i) * radii(i)), float(masses(i))};
  }
  return enclosing_radii(shells, fractions);
}

void define_arrays(nb::class_<HeldSnapshot>& snapshot) {
  constexpr auto inside = nb::rv_policy::reference_internal;
  snapshot
      .def_prop_ro(
          "positions", [](HeldSnapshot& s) { return view(s.data.particles.position); }, inside)
      .def_prop_ro(
          "velocities", [](HeldSnapshot& s) { return view(s.data.particles.velocity); }, inside)
      .def_prop_ro(
          "masses", [](HeldSnapshot& s) { return view(s.data.particles.mass); }, inside)
      .def_prop_ro(
          "ids", [](HeldSnapshot& s) { return view(s.data.particles.id); }, inside)
      .def_prop_ro(
          "types", [](HeldSnapshot& s) { return view(s.data.particles.type); }, inside)
      .def_prop_ro(
          "components", [](HeldSnapshot& s) { return view(s.data.particles.component); }, inside)
      .def_prop_ro(
          "accelerations", [](HeldSnapshot& s) { return view(s.forces.acceleration); }, inside)
      .def_prop_ro(
          "potentials", [](HeldSnapshot& s) { return view(s.forces.potential); }, inside);
}

}  // namespace

void require_valid(const HeldSnapshot& snapshot, files::Masses masses) {
  const files::Particles& particles = snapshot.data.particles;
  if (particles.size() == 0) {
    throw InputError(snapshot.name + ": positions: there are no particles; give at least one");
  }
  for (const std::uint8_t type : particles.type) {
    if (type < files::particle_types) continue;
    throw InputError(snapshot.name + ": types: one is " + std::to_string(type) +
                     "; give 0 to 5, 1 for dark matter, 4 for stars");
  }
  files::validate(snapshot.data, masses,
                  [&](int, const std::string& dataset, const std::string& problem) {
                    throw InputError(snapshot.name + ": " + array_name(dataset) + ": " + problem);
                  });
}

void define_snapshot(nb::module_& module) {
  nb::class_<HeldSnapshot> snapshot(module, "Snapshot");
  snapshot.def_static("blank", &blank, "count"_a)
      .def_static("read", &read, "path"_a)
      .def("__len__", [](const HeldSnapshot& s) { return s.data.particles.size(); })
      .def("write", &write, "path"_a, "compression"_a)
      .def("validate", [](const HeldSnapshot& s) { require_valid(s); })
      .def_prop_rw(
          "time", [](const HeldSnapshot& s) { return s.data.time; }, &set_time)
      .def_prop_rw(
          "softening", [](const HeldSnapshot& s) { return s.data.softening; }, &set_softening)
      .def_prop_rw(
          "units",
          [](const HeldSnapshot& s) {
            const files::Units& units = s.data.units;
            return CgsUnits{units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s};
          },
          &set_units)
      .def_prop_rw("component_table", &component_table, &set_component_table);
  define_arrays(snapshot);
  module.def(
      "gravitational_constant",
      [](double length, double mass, double velocity) {
        return files::Units{length, mass, velocity}.gravitational_constant();
      },
      "length_in_cm"_a, "mass_in_g"_a, "velocity_in_cm_per_s"_a);
  module.def(
      "densest_point", [](const HeldSnapshot& s) { return densest_point(s.data.particles); },
      "snapshot"_a);
  module.def("enclosing_radii", &radii_enclosing, "radii"_a, "masses"_a, "fractions"_a);
}

}  // namespace gothic::python
