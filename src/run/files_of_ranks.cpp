#include "run/files_of_ranks.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/messages/exchange.hpp"
#include "core/messages/slices.hpp"
#include "files/error.hpp"
#include "files/points_file.hpp"
#include "run/distributed_input.hpp"
#include "run/turns.hpp"

namespace gothic {
namespace {

/// Particles and the forces on them.
template <class T>
struct ParticlesAndForces {
  files::Particles particles;
  files::BasicForces<T> forces;
};

/// The same of this rank, which are not copied.
template <class T>
struct OwnParticlesAndForces {
  files::Particles& particles;
  files::BasicForces<T>& forces;
};

template <class Part, class F>
void for_each_array(Part& part, F f) {
  f(part.particles.mass);
  f(part.particles.position);
  f(part.particles.velocity);
  f(part.particles.id);
  f(part.particles.type);
  f(part.particles.component);
  f(part.forces.acceleration);
  f(part.forces.potential);
}

/// Numbers that are added up over the ranks.
std::vector<std::uint64_t> summed(Communicator& ranks, const std::vector<std::uint64_t>& own) {
  if (ranks.size() == 1) return own;
  const auto all = gathered(ranks, std::span<const std::uint64_t>(own));
  std::vector<std::uint64_t> sums(own.size());
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % own.size()] += all[i];
  return sums;
}

files::TypeCounts counts_of(Communicator& ranks, const files::Particles& particles) {
  std::vector<std::uint64_t> own(files::particle_types);
  for (const std::uint8_t type : particles.type) ++own[type];
  files::TypeCounts counts{};
  std::ranges::copy(summed(ranks, own), counts.begin());
  return counts;
}

}  // namespace

void write_snapshot_of_ranks(Communicator& ranks, const std::filesystem::path& path,
                             files::Snapshot& snapshot, const files::Provenance& provenance,
                             files::Forces& forces, int compression) {
  const files::TypeCounts counts = counts_of(ranks, snapshot.particles);
  std::optional<files::SnapshotWriter> writer;
  OwnParticlesAndForces<float> own{snapshot.particles, forces};
  take_turns<ParticlesAndForces<float>>(
      ranks, own, [](auto& part, auto f) { for_each_array(part, f); },
      [&](const auto& part) {
        if (!writer) writer.emplace(path, snapshot, counts, provenance, compression);
        writer->add(part.particles, &part.forces);
      });
  if (writer) writer->commit();
}

template <class T>
void write_forces_of_ranks(Communicator& ranks, const std::filesystem::path& path,
                           const files::Snapshot& snapshot, const std::vector<files::Vec3>& points,
                           const files::BasicForces<T>& forces, const files::Attributes& timing,
                           const files::Provenance& provenance) {
  if (slices_of(ranks, points.size()).all > 0) {
    const auto whole = [&](const auto& own) { return joined(ranks, own); };
    const std::vector<files::Vec3> all = whole(points);
    const files::BasicForces<T> found{whole(forces.acceleration), whole(forces.potential)};
    if (leads(ranks)) {
      files::write_point_forces(path, all, found, snapshot.units, timing, provenance);
    }
    return;
  }
  if (ranks.size() == 1) {
    return files::write_forces(path, snapshot.particles, forces, snapshot.units, timing,
                               provenance);
  }
  const files::TypeCounts counts = counts_of(ranks, snapshot.particles);
  std::optional<files::SnapshotWriter> writer;
  ParticlesAndForces<T> own{{.mass = {},
                             .position = {},
                             .velocity = {},
                             .id = snapshot.particles.id,
                             .type = snapshot.particles.type,
                             .component = {}},
                            forces};
  take_turns<ParticlesAndForces<T>>(
      ranks, own, [](auto& part, auto f) { for_each_array(part, f); },
      [&](const ParticlesAndForces<T>& part) {
        if (!writer)
          writer.emplace(path, files::Snapshot{.units = snapshot.units, .particles = {}}, counts,
                         provenance);
        writer->add_forces(part.particles, part.forces);
      });
  if (!writer) return;
  writer->add_timing(timing);
  writer->commit();
}
template void write_forces_of_ranks(Communicator&, const std::filesystem::path&,
                                    const files::Snapshot&, const std::vector<files::Vec3>&,
                                    const files::Forces&, const files::Attributes&,
                                    const files::Provenance&);
template void write_forces_of_ranks(Communicator&, const std::filesystem::path&,
                                    const files::Snapshot&, const std::vector<files::Vec3>&,
                                    const files::ReferenceForces&, const files::Attributes&,
                                    const files::Provenance&);

files::Checkpoint new_checkpoint(Simulation& simulation, const files::Snapshot& snapshot,
                                 double start) {
  files::Checkpoint checkpoint{.snapshot = {.units = snapshot.units,
                                            .time = start,
                                            .softening = snapshot.softening,
                                            .components = snapshot.components,
                                            .particles = {}},
                               .state = simulation.state(),
                               .progress = {},
                               .options = {}};
  checkpoint.snapshot.particles.id = snapshot.particles.id;
  checkpoint.snapshot.particles.mass = snapshot.particles.mass;
  checkpoint.snapshot.particles.type = snapshot.particles.type;
  checkpoint.snapshot.particles.component = snapshot.particles.component;
  return checkpoint;
}

void use_parts(Communicator& ranks, files::Checkpoint& own,
               const std::function<void(const files::Checkpoint& part)>& use) {
  const auto for_each = [](auto& part, auto f) {
    files::for_each_array(
        part, [&](const std::string&, files::Distribution, auto& values) { f(values); });
  };
  files::Checkpoint empty;
  for (const StoredField& field : own.state.fields) {
    std::visit(
        [&]<class T>(const std::vector<T>&) {
          empty.state.fields.push_back({field.name, std::vector<T>()});
        },
        field.values);
  }
  take_turns<files::Checkpoint>(ranks, own, for_each, use, empty);
}

void write_checkpoint_of_ranks(Communicator& ranks, const std::filesystem::path& folder,
                               files::Checkpoint& own, const files::Provenance& provenance,
                               std::span<files::TableWriter* const> tables, files::Newest newest) {
  const std::vector<std::uint64_t> lengths = summed(ranks, files::array_lengths(own));
  std::optional<files::CheckpointWriter> writer;
  std::exception_ptr failure;
  try {
    use_parts(ranks, own, [&](const files::Checkpoint& part) {
      if (!writer) writer.emplace(folder, own, lengths, provenance);
      writer->add(part);
    });
    if (writer) writer->commit(tables, newest);
  } catch (const std::runtime_error&) {  // of the disk, or the folder
    failure = std::current_exception();
  }
  const bool failed =
      combined(ranks, int(failure != nullptr), [](int a, int b) { return a | b; }) != 0;
  if (failure) std::rethrow_exception(failure);
  if (failed) throw std::runtime_error("the first rank cannot write the checkpoint");
}

std::optional<files::FoundCheckpoint> find_checkpoint_of_ranks(
    Communicator& ranks, const std::filesystem::path& folder) {
  if (ranks.size() == 1) return files::find_checkpoint(folder);
  enum Which { none, newest, previous };
  const files::Rank own{std::size_t(ranks.rank()), std::size_t(ranks.size())};
  std::optional<files::FoundCheckpoint> found;
  if (leads(ranks)) {
    found = files::find_checkpoint(folder, [&](const std::filesystem::path& path) {
      return files::read_checkpoint(path, own);
    });
  }
  const Which own_which = !found ? none : found->problem.empty() ? newest : previous;
  const Which which = gathered(ranks, own_which).front();
  if (which == none) return found;
  const std::filesystem::path path =
      which == newest ? files::checkpoint_path(folder) : files::previous_checkpoint_path(folder);
  if (!leads(ranks)) {
    found = files::FoundCheckpoint{files::read_part_of_checkpoint(path, own), path, {}};
  }
  if (!in_order(ranks, found->checkpoint.snapshot.particles)) {
    throw InputError(path.string() +
                     ": is of a run on one rank whose input has IDs that do not ascend; continue "
                     "it on one rank");
  }
  return found;
}

}  // namespace gothic
