#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/particles.hpp"
#include "files/hdf5.hpp"
#include "files/output_file.hpp"
#include "files/provenance.hpp"
#include "files/units.hpp"

/// Snapshots in the GADGET HDF5 format (Springel 2005; read by yt and pynbody as it is).
///
/// /Header holds the particle numbers per type, the time, the units and, of our own, the attribute
/// Softening; /PartTypeN holds Coordinates, Velocities [N,3], Masses, ParticleIDs and, of our own,
/// Component [N]; /Components, of our own too, names the components and their models.
namespace gothic::files {

class InputFile;

using gothic::BasicForces;
using gothic::Forces;
using gothic::Particles;
using gothic::ReferenceForces;
using gothic::Vec3;

/// Number of particle types of the format; type 1 is dark matter, type 4 stars.
inline constexpr int particle_types = 6;

/// Bytes of a particle in a file without compression: position, velocity, mass, ID, component; and
/// of the acceleration and potential that may stand beside them.
inline constexpr double bytes_of_particle = 12 + 12 + 4 + 8 + 4, bytes_of_force = 12 + 4;

/// Numbers of particles of each type.
using TypeCounts = std::array<std::size_t, particle_types>;

/// Facts about one component of a model, e.g. its halo. Its index in a list is the number that its
/// particles carry.
struct ComponentInfo {
  std::string name;               ///< UTF-8
  std::uint8_t type = 1;          ///< type of its particles, 0 ... 5
  double softening = 0;           ///< Plummer softening of its particles; 0 for the snapshot's
  std::string model = {};         ///< name of the model that it was drawn from; empty if not known
  std::string model_digest = {};  ///< digest() of that model's text; empty if not known

  bool operator==(const ComponentInfo&) const = default;
};

struct Snapshot {
  Units units;
  double time = 0;
  double softening = 0;  ///< Plummer softening that the model asks for; 0 for none
  /// Components by their number; empty if their names are not known.
  std::vector<ComponentInfo> components = {};
  Particles particles;
};

/// Whether a snapshot needs a particle that has a mass.
enum class Masses { needed, may_vanish };

/// Throws the error about a dataset of the particles of `type`, and what is wrong with it.
using Complain =
    std::function<void(int type, const std::string& dataset, const std::string& problem)>;

/// Complains about the datasets of a file: throws InputError "FILE: /PartTypeN/DATASET: ...".
Complain complaints_about(const std::filesystem::path& path);

/// Complains of a particle with a number that is not finite, a negative mass, or a component that
/// the snapshot does not name.
void validate_each(const Snapshot& snapshot, const Complain& complain);

/// The sum of all masses.
double total_mass(const Particles& particles);

/// Complains if a mass is needed and all particles have none.
/// \param total mass of all particles
/// \param type type of the first particle
void validate_total_mass(double total, Masses masses, int type, const Complain& complain);

/// The lowest ID that occurs twice; nothing if no ID does.
std::optional<std::uint64_t> repeated_id(std::vector<std::uint64_t> ids);

/// Complains of an ID that occurs twice.
/// \param type type of the first particle that has it
void refuse_repeated_id(std::uint64_t id, int type, const Complain& complain);

/// Complains of anything that is wrong with the particles: see the functions above.
void validate(const Snapshot& snapshot, Masses masses, const Complain& complain);

/// Calls f(order) for pieces of the indices of particles in the order in which files have them: by
/// type, and within a type by ID.
void for_ordered_pieces(const Particles& particles,
                        const std::function<void(std::span<const std::size_t> order)>& f);

/// Particles order[0], order[1], ...
Particles picked(const Particles& from, std::span<const std::size_t> order);

/// Throws std::invalid_argument for a type beyond 5.
TypeCounts counts_of(std::span<const std::uint8_t> types);

/// Calls f(type, first, count) for the particles of equal type that follow one another.
template <class F>
void for_runs(std::span<const std::uint8_t> types, F&& f) {
  for (std::size_t first = 0, end = 0; first < types.size(); first = end) {
    while (end < types.size() && types[end] == types[first]) ++end;
    f(types[first], first, end - first);
  }
}

/// Writes a snapshot piece by piece, so that nobody needs to hold all particles at once. The
/// particles of a type must come in the order of their IDs. The file appears when it is complete.
///
/// All functions throw WriteError if the disk is full, and std::logic_error if particles are out of
/// order or their numbers differ from `counts`.
class SnapshotWriter {
 public:
  /// Begins a file. Throws InputError if the folder cannot be written to.
  /// \param about the snapshot; its particles do not count
  /// \param counts numbers of the particles that will be added
  /// \param compression 0 for none, or the level of gzip, 1 to 9
  SnapshotWriter(const std::filesystem::path& path, const Snapshot& about, const TypeCounts& counts,
                 const Provenance& provenance, int compression = 0);
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  /// Adds particles, in every call with the forces on them or in every call without.
  void add(const Particles& particles, const Forces* forces = nullptr);

  /// Adds forces on particles, of which id and type are used, to a file without other particles.
  /// \tparam T float or double
  template <class T>
  void add_forces(const Particles& particles, const BasicForces<T>& forces);

  /// Adds attributes of /Timing.
  void add_timing(const Attributes& timing);

  /// Completes the file and gives it its name.
  void commit();

 private:
  struct Column {
    hdf5::Handle dataset;
    std::size_t rows = 0;  ///< rows written so far
  };

  template <class Action>
  void guard(Action&& action);
  template <class Row>
  void append(int type, const std::string& name, std::span<const Row> rows);
  void append_ids(const Particles& particles);
  template <class T>
  void append_forces(std::span<const std::uint8_t> types, const BasicForces<T>& forces);

  TypeCounts counts_;
  int compression_;
  std::array<std::uint64_t, particle_types> last_id_{};
  std::optional<OutputFile> file_;                         // closed while the library is locked
  std::map<std::pair<int, std::string>, Column> columns_;  // key: type and name
};

/// Writes a snapshot, within each type in the order of the IDs, optionally with the forces on the
/// particles. The file appears when it is complete. Throws InputError if the folder cannot be
/// written to, WriteError if the disk is full.
/// \param compression 0 for none, or the level of gzip, 1 to 9
void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot,
                    const Provenance& provenance, const Forces* forces = nullptr,
                    int compression = 0);

/// Writes accelerations and potentials of `particles` (of which id and type are used) as
/// /PartTypeN/{ParticleIDs, Acceleration, Potential} in the order of the IDs, and `timing` as
/// attributes of /Timing. Throws as write_snapshot does.
/// \tparam T float or double
template <class T>
void write_forces(const std::filesystem::path& path, const Particles& particles,
                  const BasicForces<T>& forces, const Units& units, const Attributes& timing,
                  const Provenance& provenance);

/// The three units as attributes of a file.
Attributes attributes_of(const Units& units);

/// Writes the three units, and the unit of time that follows from them, to the group /Units of an
/// open file. Throws hdf5::Failure.
void write_units(hid_t file, const Units& units);

/// Writes the group /Components of an open file: the datasets Name (strings of fixed length), Type
/// (32-bit integers) and Softening (64-bit reals), one row per component; where a model is known,
/// the strings Model and ModelDigest, too. Without components there is no group. Throws
/// hdf5::Failure.
void write_components(hid_t file, std::span<const ComponentInfo> components);

/// Reads the group /Components; empty if the file has none. Throws InputError if a dataset is
/// missing or has another length than Name, for a type outside 0 ... 5 and for a softening that is
/// negative or not finite.
std::vector<ComponentInfo> read_components(const InputFile& file);

}  // namespace gothic::files
