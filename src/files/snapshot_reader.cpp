#include "files/snapshot_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "files/error.hpp"
#include "files/particle_file.hpp"
#include "files/snapshot_files.hpp"
#include "files/text.hpp"

namespace gothic::files {
namespace {

using Files = std::vector<std::unique_ptr<ParticleFile>>;

/// Type of particles here whose type in a file is `type`.
std::uint8_t known_type(std::size_t type) {
  return static_cast<std::uint8_t>(type < std::size_t(particle_types) ? type : 1);
}

/// Throws for what a user must decide about.
void refuse_strangers(const Files& files, const std::string& path, const Reading& reading) {
  for (const auto& file : files) {
    const Stranger& gas = file->facts().gas;
    if (gas.size > 0 && !reading.gas_is_collisionless) {
      throw InputError(fmt::format(
          "{}: {}: the file holds gas, {:.0f} particles; remove them, or add {}, which moves them "
          "by gravity alone",
          path, gas.field, gas.size, reading.gas_choice));
    }
    const Stranger& box = file->facts().box;
    if (box.size != 0 && !reading.ignores_box) {
      throw InputError(fmt::format(
          "{}: {}: is {}, but space is not periodic here; cut out the system and set it to 0, or "
          "add {} if the particles do not fill the box",
          path, box.field, shortest(box.size), reading.box_choice));
    }
  }
}

void refuse_units_without_gravity(const Units& units, const std::string& path) {
  const double gravity = units.gravitational_constant();
  using Single = std::numeric_limits<float>;
  if (gravity >= double{Single::min()} && gravity <= double{Single::max()}) return;
  throw InputError(path + ": units: make the gravitational constant " + shortest(gravity) +
                   ", beyond single precision; correct them");
}

}  // namespace

SnapshotReader::SnapshotReader(std::filesystem::path path, const Reading& reading)
    : path_(std::move(path)), files_(open_snapshot_files(path_)) {
  refuse_strangers(files_, path_.string(), reading);
  const FileFacts& facts = files_.front()->facts();
  refuse_units_without_gravity(facts.units, path_.string());
  about_ = {.units = facts.units,
            .time = facts.time,
            .softening = facts.softening,
            .components = facts.components,
            .particles = {}};
  for (std::size_t type = 0; type < facts.counts.size(); ++type) {
    for (const auto& file : files_) {
      const std::vector<std::size_t>& counts = file->facts().counts;
      const std::size_t count = type < counts.size() ? counts[type] : 0;
      if (count > 0) parts_.push_back({file.get(), type, count});
    }
  }
  if (size() == 0) {
    throw InputError(path_.string() + ": " + facts.counts_field +
                     ": the file holds no particles; give at least one");
  }
  has_ids_ = std::ranges::any_of(files_, [](const auto& file) { return file->facts().has_ids; });
  if (!reading.tell) return;
  const auto tell = [&](const std::string& note) { reading.tell(path_.string() + ": " + note); };
  std::ranges::for_each(facts.notes, tell);
  if (parts_.back().type >= std::size_t(particle_types)) {
    tell("particles of types above 5 became type 1; their component is the type in the file");
  }
}

SnapshotReader::~SnapshotReader() = default;
SnapshotReader::SnapshotReader(SnapshotReader&&) noexcept = default;
SnapshotReader& SnapshotReader::operator=(SnapshotReader&&) noexcept = default;

std::size_t SnapshotReader::size() const {
  return std::accumulate(parts_.begin(), parts_.end(), std::size_t{0},
                         [](std::size_t sum, const Part& part) { return sum + part.count; });
}

Particles SnapshotReader::read(std::size_t first, std::size_t count) {
  Particles particles;
  particles.resize(count);
  std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{first} + 1);
  std::size_t before = 0;
  for (const Part& part : parts_) {
    const std::size_t begin = std::max(first, before),
                      end = std::min(first + count, before + part.count);
    if (begin < end) {
      const Block block{part.type, begin - before, begin - first, end - begin};
      part.file->read(block, particles, rounding_, has_ids_);
      std::ranges::fill(block.of(particles.type), known_type(part.type));
    }
    before += part.count;
  }
  if (first + count == size()) {
    if (const auto problem = rounding_.problem()) {
      throw InputError(path_.string() + ": Coordinates: " + *problem);
    }
  }
  return particles;
}

Snapshot read_snapshot(SnapshotReader&& reader, Masses masses) {
  Snapshot snapshot = reader.about();
  snapshot.particles = reader.read(0, reader.size());
  validate(snapshot, masses, complaints_about(reader.path()));
  return snapshot;
}

Snapshot read_snapshot(const std::filesystem::path& path, Masses masses, const Reading& reading) {
  return read_snapshot(SnapshotReader(path, reading), masses);
}

}  // namespace gothic::files
