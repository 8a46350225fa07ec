#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/particles.hpp"
#include "files/hdf5.hpp"
#include "files/provenance.hpp"
#include "files/units.hpp"

/// Snapshots in the GADGET HDF5 format (Springel 2005; read by yt and pynbody as it is).
///
/// /Header holds the particle numbers per type, the time, the units and, of our own, the attribute
/// Softening; /PartTypeN holds Coordinates, Velocities [N,3], Masses, ParticleIDs and, of our own,
/// Component [N]; /Components, of our own too, names the components.
namespace gothic::files {

class InputFile;

using gothic::BasicForces;
using gothic::Forces;
using gothic::Particles;
using gothic::ReferenceForces;
using gothic::Vec3;

/// Number of particle types of the format; type 1 is dark matter, type 4 stars.
inline constexpr int particle_types = 6;

/// What is known of one component of a model, e.g. its halo. Its place in a list is the number that
/// its particles carry.
struct ComponentInfo {
  std::string name;       ///< UTF-8
  std::uint8_t type = 1;  ///< of its particles, 0 ... 5
  double softening = 0;   ///< Plummer softening recommended for it; 0 where there is none

  bool operator==(const ComponentInfo&) const = default;
};

struct Snapshot {
  Units units;
  double time = 0;
  double softening = 0;  ///< Plummer softening that the model asks for; 0 where it asks for none
  /// Components by their number; empty where their names are not known.
  std::vector<ComponentInfo> components = {};
  Particles particles;
};

/// Whether a snapshot needs a particle that has a mass.
enum class Masses { needed, may_vanish };

/// Throws the error about particles of `type`: of which of their datasets, and what is wrong with
/// it.
using Complain =
    std::function<void(int type, const std::string& dataset, const std::string& problem)>;

/// Complains of a number that is not finite, a negative mass, no mass at all where that is needed,
/// an ID twice and a component that the snapshot does not name.
void validate(const Snapshot& snapshot, Masses masses, const Complain& complain);

/// Reads and validates a snapshot. The particles come by type and within a type as in the file.
///
/// Datasets may be of any floating-point or, for IDs, integer width; masses may come from the
/// header's MassTable. Where ParticleIDs are missing in all types they become 1, 2, ...; where
/// Component is missing it becomes the type. Throws InputError if the file is missing, damaged or
/// incomplete, has no particles, or holds a number that is not finite, a negative mass, no mass at
/// all where that is needed, an ID twice or a component that /Components does not name.
Snapshot read_snapshot(const std::filesystem::path& path, Masses masses = Masses::needed);

/// Indices of the particles of one type, in the order of their IDs.
std::vector<std::size_t> order_by_id(std::span<const std::uint8_t> type,
                                     std::span<const std::uint64_t> id, std::uint8_t wanted);

/// Writes a snapshot, within each type in the order of the IDs, optionally with the forces on the
/// particles. The file appears when it is complete. Throws InputError if the folder cannot be
/// written to, WriteError if the disk is full.
/// \param compression 0 for none, or the level of gzip, 1 to 9
void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot,
                    const Provenance& provenance, const Forces* forces = nullptr,
                    int compression = 0);

/// Writes accelerations and potentials of `particles` (of which id and type are used) as
/// /PartTypeN/{ParticleIDs, Acceleration, Potential} in the order of the IDs, and `timing` as
/// attributes of /Timing. Errors as for write_snapshot.
/// \tparam T float or double
template <class T>
void write_forces(const std::filesystem::path& path, const Particles& particles,
                  const BasicForces<T>& forces, const Units& units, const Attributes& timing,
                  const Provenance& provenance);

/// The three units as attributes of a file.
Attributes attributes_of(const Units& units);

/// Writes them, and the unit of time that follows from them, to the group /Units of an open file.
/// Throws hdf5::Failure.
void write_units(hid_t file, const Units& units);

/// Writes the group /Components of an open file: the datasets Name (strings of fixed length), Type
/// (32-bit integers) and Softening (64-bit reals), one row per component. Without components there
/// is no group. Throws hdf5::Failure.
void write_components(hid_t file, std::span<const ComponentInfo> components);

/// Reads that group; empty where the file has none. Throws InputError if a dataset is missing or
/// has another length than Name, for a type outside 0 ... 5 and for a softening that is negative or
/// not finite.
std::vector<ComponentInfo> read_components(const InputFile& file);

}  // namespace gothic::files
