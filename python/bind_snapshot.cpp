#include <fmt/format.h>
#include <fmt/ranges.h>
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
#include <utility>

#include "bindings.hpp"
#include "core/observers/lagrangian_radii.hpp"
#include "files/error.hpp"
#include "files/position_rounding.hpp"
#include "files/snapshot_reader.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// Name, type, softening, model and the model's digest of a component.
using Component = std::tuple<std::string, int, double, std::string, std::string>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void require(bool condition, const std::string& message) {
  if (!condition) throw InputError(message);
}

/// The name in Python of a dataset in files.
std::string array_name(const std::string& dataset) {
  const std::map<std::string, std::string> names = {{"Coordinates", "positions"},
                                                    {"Velocities", "velocities"},
                                                    {"Masses", "masses"},
                                                    {"ParticleIDs", "ids"},
                                                    {"Component", "components"}};
  return names.at(dataset);
}

/// Particles of type 1 with the IDs 1, 2, ...; everything else is zero.
void make_blank(HeldSnapshot* place, std::size_t count) {
  HeldSnapshot& held = *new (place) HeldSnapshot;
  files::Particles& particles = held.data.particles;
  particles.resize(count);
  std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{1});
  std::ranges::fill(particles.type, std::uint8_t{1});
  held.origin.program = "gothic.Snapshot";
}

/// Reads a file into a new snapshot; returns what was assumed or converted.
std::vector<std::string> read(HeldSnapshot& held, const std::filesystem::path& path,
                              bool gas_is_collisionless, bool ignores_box) {
  const nb::gil_scoped_release others_go_on;
  std::vector<std::string> notes;
  const files::Reading reading{.gas_is_collisionless = gas_is_collisionless,
                               .ignores_box = ignores_box,
                               .gas_choice = "gas='collisionless'",
                               .box_choice = "box='ignore'",
                               .tell = [&](const std::string& note) { notes.push_back(note); }};
  held.data = files::read_snapshot(path, files::Masses::may_vanish, reading);
  held.origin.program = "gothic.read";
  held.origin.options = {{"input", path.string()}};
  if (!notes.empty())
    held.origin.options["input.notes"] = fmt::format("{}", fmt::join(notes, "; "));
  held.name = path.string();
  return notes;
}

constexpr const char* write_help =
    R"(Write a GADGET HDF5 file, which the programs, yt and pynbody read.

Particles are in the order of their IDs. The file appears when it is complete, and then replaces a
file of that name, also the one that the snapshot was read from. A missing folder is made.

Parameters
----------
path
    Of the file.
compression
    0 for none, or the level of gzip, 1 to 9.

Raises
------
InputError
    If the arrays were changed to what no file may hold, there is no such level, or the folder
    cannot be written to.
OSError
    If the disk is full.)";

void write(const HeldSnapshot& held, const std::filesystem::path& path, int compression) {
  const nb::gil_scoped_release others_go_on;
  require_valid(held);
  require(compression >= 0 && compression <= 9,
          "compression: is " + std::to_string(compression) + "; give 0 to 9");
  files::Provenance provenance = files::current_provenance(held.origin.program);
  provenance.device = held.origin.device;
  provenance.machine = held.origin.machine;
  provenance.options = held.origin.options;
  if (!held.dated) provenance.date.clear();
  files::write_snapshot(path, held.data, provenance,
                        held.forces.potential.empty() ? nullptr : &held.forces, compression);
}

/// Makes room for forces, which NumPy then fills.
void add_forces(HeldSnapshot& held) {
  held.forces.acceleration.resize(held.data.particles.size());
  held.forces.potential.resize(held.data.particles.size());
}

/// Notes in the provenance that a snapshot was made from another one by a change.
void come_from(HeldSnapshot& held, const HeldSnapshot& other, const std::string& change) {
  held.origin = other.origin;
  held.dated = other.dated;
  held.name = other.name;
  std::string& changes = held.origin.options["changes"];
  changes += (changes.empty() ? "" : "; ") + change;
}

/// Notes in the provenance that a snapshot was joined from a and b. The names of their entries get
/// the prefixes `a` and `b`.
void come_from_both(HeldSnapshot& held, const HeldSnapshot& a, const HeldSnapshot& b) {
  const auto add = [&](const std::string& prefix, const files::Provenance& part) {
    std::map<std::string, std::string> entries = files::entries(part);
    entries.insert(part.options.begin(), part.options.end());
    for (const auto& [name, value] : entries) held.origin.options[prefix + name] = value;
  };
  add("a.", a.origin);
  add("b.", b.origin);
  held.dated = a.dated || b.dated;
}

void require_softening(const std::string& name, double softening) {
  require(std::isfinite(softening) && softening >= 0,
          name + " is negative or not finite; correct it");
}

/// Sets everything but the arrays. Throws InputError for values that no file may hold.
void describe(HeldSnapshot& held, const CgsUnits& units, double time, double softening,
              const std::vector<Component>& table) {
  const auto require_positive = [](const char* name, double value) {
    require(std::isfinite(value) && value > 0,
            std::string("units: ") + name + " is not positive; give the unit's value in cgs");
  };
  const auto& [length, mass, velocity] = units;
  require_positive("length_in_cm", length);
  require_positive("mass_in_g", mass);
  require_positive("velocity_in_cm_per_s", velocity);
  require(std::isfinite(time), "time: is not finite; correct it");
  require_softening("softening:", softening);
  for (const auto& [name, type, own_softening, model, digest] : table) {
    require(
        type >= 0 && type < files::particle_types,
        "component_table: the type of " + name + " is " + std::to_string(type) + "; give 0 to 5");
    require_softening("component_table: the softening of " + name, own_softening);
    held.data.components.push_back(
        {name, static_cast<std::uint8_t>(type), own_softening, model, digest});
  }
  held.data.units = from_cgs(units);
  held.data.time = time;
  held.data.softening = softening;
}

std::vector<Component> component_table(const HeldSnapshot& held) {
  std::vector<Component> table;
  for (const files::ComponentInfo& component : held.data.components) {
    table.emplace_back(component.name, component.type, component.softening, component.model,
                       component.model_digest);
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

/// Throws InputError if single precision cannot hold positions of shape (N, 3).
void require_held(
    const nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>& positions) {
  files::PositionRounding rounding;
  const auto* rows = reinterpret_cast<const std::array<double, 3>*>(positions.data());
  rounding.add({rows, positions.shape(0)});
  if (const auto problem = rounding.problem()) throw InputError("arrays: positions: " + *problem);
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
  const auto define = [&](const char* name, auto array, const char* meaning) {
    snapshot.def_prop_ro(
        name, [array](HeldSnapshot& s) { return view(s.data.particles.*array); }, inside, meaning);
  };
  using files::Particles;
  define("positions", &Particles::position, "Positions, shape (N, 3).");
  define("velocities", &Particles::velocity, "Velocities, shape (N, 3).");
  define("masses", &Particles::mass, "Masses, shape (N,).");
  define("ids", &Particles::id, "IDs, shape (N,).");
  define("types", &Particles::type, "GADGET types, shape (N,).");
  define("components", &Particles::component,
         "Numbers of the components that the particles belong to, shape (N,).");
  const auto define_force = [&](const char* name, auto array, const char* meaning) {
    const auto get = [array](HeldSnapshot& s) {
      using View = decltype(view(s.forces.*array));
      return (s.forces.*array).empty() ? std::optional<View>() : view(s.forces.*array);
    };
    snapshot.def_prop_ro(name, get, inside, meaning);
  };
  define_force("accelerations", &files::Forces::acceleration,
               "Accelerations that the simulation had, shape (N, 3); None for others' snapshots.");
  define_force("potentials", &files::Forces::potential,
               "Potentials that the simulation had, shape (N,); None for others' snapshots.");
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
  snapshot.def("__init__", &make_blank, "count"_a)
      .def("_read", &read, "path"_a, "gas_is_collisionless"_a, "ignores_box"_a)
      .def("_describe", &describe, "units"_a, "time"_a, "softening"_a, "component_table"_a)
      .def("_add_forces", &add_forces)
      .def("_come_from", &come_from, "other"_a, "change"_a)
      .def("_come_from_both", &come_from_both, "a"_a, "b"_a)
      .def("_check", [](const HeldSnapshot& s) { require_valid(s); })
      .def_prop_ro("_units", [](const HeldSnapshot& held) { return in_cgs(held.data.units); })
      .def_prop_ro("_component_table", &component_table)
      .def("__len__", [](const HeldSnapshot& s) { return s.data.particles.size(); })
      .def("write", &write, "path"_a, nb::kw_only(), "compression"_a = 0, write_help)
      .def_prop_ro(
          "time", [](const HeldSnapshot& s) { return s.data.time; }, "Time of the state.")
      .def_prop_ro(
          "softening", [](const HeldSnapshot& s) { return s.data.softening; },
          "Plummer softening length that is used where no other is asked for; 0 where unknown.");
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
  module.def("require_held", &require_held, "positions"_a);
  module.def("enclosing_radii", &radii_enclosing, "radii"_a, "masses"_a, "fractions"_a);
}

}  // namespace gothic::python
