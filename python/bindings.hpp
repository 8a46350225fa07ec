#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "settings/settings.hpp"

/// The extension module gothic._gothic, which the package in python/gothic wraps.
namespace gothic::python {

namespace nb = nanobind;

/// A snapshot as Python holds it. Once it is filled its arrays keep their lengths, since NumPy
/// looks into them.
struct HeldSnapshot {
  files::Snapshot data;
  files::Forces forces;         ///< forces on the particles; empty if not known
  files::Provenance origin;     ///< what made it
  bool dated = true;            ///< whether its file tells when it was written
  std::string name = "arrays";  ///< name in messages
};

/// Units of length, mass and velocity in cgs, as Python has them.
using CgsUnits = std::tuple<double, double, double>;
inline CgsUnits in_cgs(const files::Units& units) {
  return {units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s};
}
inline files::Units from_cgs(const CgsUnits& units) {
  const auto& [length, mass, velocity] = units;
  return {length, mass, velocity};
}

/// Throws InputError, which names the array, unless a file could hold the snapshot.
void require_valid(const HeldSnapshot& snapshot, files::Masses masses = files::Masses::may_vanish);

/// Options as on a command line: names without dashes, and values.
using Arguments = std::vector<std::pair<std::string, std::string>>;

/// Options of a command, as far as functions of Python have them.
/// \throws InputError for another option and for a value that an option does not take
Options options_of(const std::string& command, const Arguments& arguments);

/// The settings that these options make for a snapshot.
/// \throws InputError as options_of does, and if the particles do not suit the options
Settings settings_of(const std::string& command, const Arguments& arguments,
                     const HeldSnapshot& snapshot);

/// Turns `values` into a NumPy array of this shape that owns them.
template <class Array, class Row>
Array adopted(std::vector<Row> values, std::initializer_list<std::size_t> shape) {
  auto* const kept = new std::vector<Row>(std::move(values));
  const nb::capsule owner(kept,
                          [](void* rows) noexcept { delete static_cast<std::vector<Row>*>(rows); });
  return Array(kept->data(), shape, owner);
}

template <class T>
using Vectors = nb::ndarray<nb::numpy, T, nb::shape<-1, 3>>;
template <class T>
using Scalars = nb::ndarray<nb::numpy, T, nb::shape<-1>>;

/// Accelerations and potentials as NumPy arrays of shape [n, 3] and [n].
template <class T>
std::pair<Vectors<T>, Scalars<T>> arrays(files::BasicForces<T> forces) {
  const std::size_t n = forces.potential.size();
  return {adopted<Vectors<T>>(std::move(forces.acceleration), {n, 3}),
          adopted<Scalars<T>>(std::move(forces.potential), {n})};
}

void define_snapshot(nb::module_& module);
void define_models(nb::module_& module);
void define_forces(nb::module_& module);
void define_simulation(nb::module_& module);
void define_options(nb::module_& module);

}  // namespace gothic::python
