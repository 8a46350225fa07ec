#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "files/input_file.hpp"
#include "files/quantity.hpp"
#include "files/snapshot.hpp"
#include "files/text.hpp"

namespace gothic::files {
namespace {

std::string group_of(int type) { return "/PartType" + std::to_string(type); }

/// The header's count of the particles of each type.
TypeCounts read_counts(const InputFile& file) {
  const std::string field = "/Header/NumPart_ThisFile";
  const std::vector<double> numbers = file.numbers("/Header", "NumPart_ThisFile", particle_types);
  TypeCounts counts{};
  for (int type = 0; type < particle_types; ++type) {
    if (numbers[type] < 0)
      file.fail(field, fmt::format("is negative for type {}; count the particles", type));
    const auto found = whole(numbers[type]);
    if (!found) file.fail(field, fmt::format("is no count for type {}; count the particles", type));
    counts[type] = static_cast<std::size_t>(*found);
  }
  if (file.has_attribute("/Header", "NumFilesPerSnapshot") &&
      file.number("/Header", "NumFilesPerSnapshot") > 1) {
    file.fail("/Header/NumFilesPerSnapshot",
              "the snapshot is spread over several files; join them into one");
  }
  if (counts == TypeCounts{}) file.fail(field, "the file holds no particles; give at least one");
  return counts;
}

/// Throws unless the particles that the header counts are there. The check comes before memory is
/// made for them.
void require_positions(const InputFile& file, const TypeCounts& counts) {
  for (int type = 0; type < particle_types; ++type) {
    if (counts[type] == 0) continue;
    if (!file.has(group_of(type))) {
      file.fail(
          group_of(type),
          "the group is missing though /Header/NumPart_ThisFile counts its particles; add it");
    }
    file.require<Vec3>(group_of(type) + "/Coordinates", counts[type]);
  }
}

bool has_ids(const InputFile& file, const TypeCounts& counts) {
  for (int type = 0; type < particle_types; ++type) {
    if (counts[type] > 0 && file.has(group_of(type) + "/ParticleIDs")) return true;
  }
  return false;
}

/// Particles of one type that follow one another in the file and in the arrays.
struct Block {
  int type;
  std::size_t count_in_file, first_in_file;
  std::size_t first, count;

  template <class T>
  std::span<T> of(std::vector<T>& values) const {
    return std::span(values).subspan(first, count);
  }
  std::string dataset(const std::string& name) const { return group_of(type) + "/" + name; }
  template <class T>
  void read(const InputFile& file, const std::string& name, std::vector<T>& values) const {
    file.read(dataset(name), count_in_file, first_in_file, of(values));
  }
};

/// The blocks that make up the particles [first, first + count).
std::vector<Block> blocks_of(const TypeCounts& counts, std::size_t first, std::size_t count) {
  std::vector<Block> blocks;
  std::size_t before = 0;
  for (int type = 0; type < particle_types; ++type) {
    const std::size_t begin = std::max(first, before),
                      end = std::min(first + count, before + counts[type]);
    if (begin < end) {
      blocks.push_back({type, counts[type], begin - before, begin - first, end - begin});
    }
    before += counts[type];
  }
  return blocks;
}

double read_unit(const InputFile& file, const std::string& name) {
  const std::string group =
      !file.has_attribute("/Header", name) && file.has_attribute("/Units", name) ? "/Units"
                                                                                 : "/Header";
  if (!file.has_attribute(group, name)) {
    file.fail(group + "/" + name,
              "the attribute is missing; add it (1 in model units, where G = 1)");
  }
  const double unit = file.number(group, name);
  if (!(std::isfinite(unit) && unit > 0))
    file.fail(group + "/" + name, "is not positive; give the unit's value in cgs");
  return unit;
}

Units read_units(const InputFile& file) {
  const Units units{.length_in_cm = read_unit(file, "UnitLength_in_cm"),
                    .mass_in_g = read_unit(file, "UnitMass_in_g"),
                    .velocity_in_cm_per_s = read_unit(file, "UnitVelocity_in_cm_per_s")};
  const double gravity = units.gravitational_constant();
  using Single = std::numeric_limits<float>;
  if (!(gravity >= double{Single::min()} && gravity <= double{Single::max()})) {
    file.fail("/Header/UnitMass_in_g", "the units make the gravitational constant " +
                                           shortest(gravity) +
                                           ", beyond single precision; correct them");
  }
  return units;
}

/// Throws InputError for snapshots of cosmological simulations, whose numbers have factors of the
/// expansion and of h, and for periodic boxes.
void refuse_cosmology(const InputFile& file) {
  const auto value = [&](const char* name, double otherwise) {
    return file.has_attribute("/Header", name) ? file.number("/Header", name) : otherwise;
  };
  const std::string remedy =
      "; convert positions, velocities and masses to physical ones and set it to ";
  if (const double redshift = value("Redshift", 0); redshift != 0) {
    file.fail("/Header/Redshift",
              "is " + shortest(redshift) + ", but nothing is comoving here" + remedy + "0");
  }
  if (const double h = value("HubbleParam", 1); h != 0 && h != 1) {
    file.fail("/Header/HubbleParam",
              "is " + shortest(h) + ", but no unit here has a factor of h" + remedy + "1");
  }
  if (const double box = value("BoxSize", 0); box != 0) {
    file.fail("/Header/BoxSize", "is " + shortest(box) +
                                     ", but space is not periodic here; cut "
                                     "out the system, and set it to 0");
  }
}

double read_time(const InputFile& file) {
  const double time = file.number("/Header", "Time");
  if (!std::isfinite(time)) file.fail("/Header/Time", "is not finite; correct it");
  return time;
}

double read_softening(const InputFile& file) {
  if (!file.has_attribute("/Header", "Softening")) return 0;
  const double softening = file.number("/Header", "Softening");
  if (!(std::isfinite(softening) && softening >= 0)) {
    file.fail("/Header/Softening", "is negative or not finite; correct it");
  }
  return softening;
}

void read_masses(const InputFile& file, const Block& block, std::vector<float>& mass) {
  if (file.has(block.dataset("Masses"))) {
    block.read(file, "Masses", mass);
    return;
  }
  const bool has_table = file.has_attribute("/Header", "MassTable");
  const double common =
      has_table ? file.numbers("/Header", "MassTable", particle_types)[block.type] : 0;
  if (common == 0) {
    file.fail(block.dataset("Masses"),
              fmt::format("the dataset is missing and /Header/MassTable gives no mass for "
                          "type {}; add either",
                          block.type));
  }
  std::ranges::fill(block.of(mass), static_cast<float>(common));
}

void read_block(const InputFile& file, const Block& block, Particles& particles) {
  block.read(file, "Coordinates", particles.position);
  block.read(file, "Velocities", particles.velocity);
  read_masses(file, block, particles.mass);
  std::ranges::fill(block.of(particles.type), static_cast<std::uint8_t>(block.type));
  if (file.has(block.dataset("Component"))) {
    block.read(file, "Component", particles.component);
  } else {
    std::ranges::fill(block.of(particles.component), block.type);
  }
}

std::string whose(const Particles& particles, std::size_t index) {
  return "of the particle with ID " + std::to_string(particles.id[index]);
}

/// Refuses NaN and infinity in `values`, which holds `columns` numbers per particle. The message
/// names the first such particle.
void require_finite(const Complain& complain, const Particles& particles, const std::string& name,
                    std::span<const float> values, std::size_t columns) {
  bool finite = true;
  for (const float value : values) {  // the compiler vectorises this form
    finite &= std::abs(value) <= std::numeric_limits<float>::max();
  }
  if (finite) return;
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  const std::size_t particle = static_cast<std::size_t>(bad - values.begin()) / columns;
  complain(particles.type[particle], name,
           "a value " + whose(particles, particle) +
               " is NaN, infinite or beyond single precision; correct or remove that particle");
}

void require_no_negative_mass(const Complain& complain, const Particles& particles) {
  const auto bad = std::ranges::find_if(particles.mass, [](float mass) { return mass < 0; });
  if (bad == particles.mass.end()) return;
  const auto particle = static_cast<std::size_t>(bad - particles.mass.begin());
  complain(
      particles.type[particle], "Masses",
      "the mass " + whose(particles, particle) + " is negative; masses must be zero or positive");
}

/// Complains if there is a group /Components that does not name the component of every particle.
void require_named_components(const Complain& complain, const Snapshot& snapshot) {
  if (snapshot.components.empty()) return;
  const Particles& particles = snapshot.particles;
  const auto count = static_cast<std::int32_t>(snapshot.components.size());
  const auto bad = std::ranges::find_if(particles.component,
                                        [&](std::int32_t k) { return k < 0 || k >= count; });
  if (bad == particles.component.end()) return;
  const auto particle = static_cast<std::size_t>(bad - particles.component.begin());
  complain(particles.type[particle], "Component",
           fmt::format("is {} for the particle with ID {}, but there are {} components; correct it "
                       "or leave out their table",
                       *bad, particles.id[particle], count));
}

/// Reads a dataset of /Components, which has one number for each component.
template <class T>
std::vector<T> read_column(const InputFile& file, const std::string& field, std::size_t count) {
  std::vector<T> values = file.all<T>(field);
  if (values.size() == count) return values;
  file.fail(field,
            fmt::format("has {} rows, but /Components/Name {}; give one row for each component",
                        values.size(), count));
}

}  // namespace

std::vector<ComponentInfo> read_components(const InputFile& file) {
  if (!file.has("/Components")) return {};
  const std::vector<std::string> names = file.texts("/Components/Name");
  const auto types = read_column<std::int32_t>(file, "/Components/Type", names.size());
  const auto softenings = read_column<double>(file, "/Components/Softening", names.size());
  std::vector<ComponentInfo> components;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (types[k] < 0 || types[k] > 5) {
      file.fail("/Components/Type",
                fmt::format("is {} for component {}; give a type from 0 to 5", types[k], k));
    }
    if (!(std::isfinite(softenings[k]) && softenings[k] >= 0)) {
      file.fail("/Components/Softening",
                fmt::format("is negative or not finite for component {}; correct it", k));
    }
    components.push_back({names[k], static_cast<std::uint8_t>(types[k]), softenings[k]});
  }
  return components;
}

Complain complaints_about(const std::filesystem::path& path) {
  return [=](int type, const std::string& dataset, const std::string& problem) {
    throw InputError(path.string() + ": " + group_of(type) + "/" + dataset + ": " + problem);
  };
}

void validate_each(const Snapshot& snapshot, const Complain& complain) {
  const Particles& particles = snapshot.particles;
  const auto flat = [](const std::vector<Vec3>& vectors) {
    return std::span(vectors.front().data(), 3 * vectors.size());
  };
  if (particles.size() == 0) return;
  require_finite(complain, particles, "Coordinates", flat(particles.position), 3);
  require_finite(complain, particles, "Velocities", flat(particles.velocity), 3);
  require_finite(complain, particles, "Masses", particles.mass, 1);
  require_no_negative_mass(complain, particles);
  require_named_components(complain, snapshot);
}

double total_mass(const Particles& particles) {
  double total = 0;
  for (const float mass : particles.mass) total += double{mass};
  return total;
}

void validate_total_mass(double total, Masses masses, int type, const Complain& complain) {
  if (total > 0 || masses == Masses::may_vanish) return;
  complain(type, "Masses",
           "all masses are zero; give at least one particle a positive mass, or an external "
           "potential in which they move");
}

std::optional<std::uint64_t> repeated_id(std::vector<std::uint64_t> ids) {
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  return twice == ids.end() ? std::optional<std::uint64_t>() : *twice;
}

void refuse_repeated_id(std::uint64_t id, int type, const Complain& complain) {
  complain(type, "ParticleIDs",
           fmt::format("the ID {} occurs more than once; give every particle its own, or leave out "
                       "all IDs",
                       id));
}

void validate(const Snapshot& snapshot, Masses masses, const Complain& complain) {
  const Particles& particles = snapshot.particles;
  validate_each(snapshot, complain);
  validate_total_mass(total_mass(particles), masses, particles.type.front(), complain);
  const std::vector<std::uint64_t>& ids = particles.id;
  if (std::ranges::adjacent_find(ids, std::greater_equal<>()) == ids.end()) return;
  if (const auto twice = repeated_id(ids)) {
    const auto owner = std::ranges::find(ids, *twice) - ids.begin();
    refuse_repeated_id(*twice, particles.type[std::size_t(owner)], complain);
  }
}

SnapshotReader::SnapshotReader(std::filesystem::path path) : path_(std::move(path)) {
  const InputFile file(path_);
  counts_ = read_counts(file);
  refuse_cosmology(file);
  about_ = {.units = read_units(file),
            .time = read_time(file),
            .softening = read_softening(file),
            .components = read_components(file),
            .particles = {}};
  require_positions(file, counts_);
}

std::size_t SnapshotReader::size() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
}

Particles SnapshotReader::read(std::size_t first, std::size_t count) const {
  const InputFile file(path_);  // opened for each slice, since an open file stays guarded
  const std::vector<Block> blocks = blocks_of(counts_, first, count);
  Particles particles;
  particles.resize(count);
  for (const Block& block : blocks) read_block(file, block, particles);
  if (has_ids(file, counts_)) {
    for (const Block& block : blocks) block.read(file, "ParticleIDs", particles.id);
  } else {
    std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{first} + 1);
  }
  return particles;
}

Snapshot read_snapshot(const SnapshotReader& reader, Masses masses) {
  Snapshot snapshot = reader.about();
  snapshot.particles = reader.read(0, reader.size());
  validate(snapshot, masses, complaints_about(reader.path()));
  return snapshot;
}

Snapshot read_snapshot(const std::filesystem::path& path, Masses masses) {
  return read_snapshot(SnapshotReader(path), masses);
}

}  // namespace gothic::files
