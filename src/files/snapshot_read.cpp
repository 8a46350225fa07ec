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

/// The particles of one type, which follow one another in the arrays.
struct Block {
  int type;
  std::string group;  ///< of the file
  std::size_t first, count;

  template <class T>
  std::span<T> of(std::vector<T>& values) const {
    return std::span(values).subspan(first, count);
  }
};

std::string group_of(int type) { return "/PartType" + std::to_string(type); }

/// The types that have particles, as the header counts them.
std::vector<Block> read_blocks(const InputFile& file) {
  const std::string field = "/Header/NumPart_ThisFile";
  const std::vector<double> numbers = file.numbers("/Header", "NumPart_ThisFile", particle_types);
  std::vector<Block> blocks;
  std::size_t first = 0;
  for (int type = 0; type < particle_types; ++type) {
    if (numbers[type] < 0)
      file.fail(field, fmt::format("is negative for type {}; count the particles", type));
    const auto found = whole(numbers[type]);
    if (!found) file.fail(field, fmt::format("is no count for type {}; count the particles", type));
    const auto count = static_cast<std::size_t>(*found);
    if (count > 0) blocks.push_back({type, group_of(type), first, count});
    first += count;
  }
  if (file.has_attribute("/Header", "NumFilesPerSnapshot") &&
      file.number("/Header", "NumFilesPerSnapshot") > 1) {
    file.fail("/Header/NumFilesPerSnapshot",
              "the snapshot is spread over several files; join them into one");
  }
  if (blocks.empty()) file.fail(field, "the file holds no particles; give at least one");
  return blocks;
}

/// Throws unless the particles that the header counts are there: before memory is made for them.
void require_positions(const InputFile& file, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (!file.has(block.group)) {
      file.fail(
          block.group,
          "the group is missing though /Header/NumPart_ThisFile counts its particles; add it");
    }
    file.require<Vec3>(block.group + "/Coordinates", block.count);
  }
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

void read_ids(const InputFile& file, const std::vector<Block>& blocks, Particles& particles) {
  const auto dataset = [](const Block& block) { return block.group + "/ParticleIDs"; };
  if (std::ranges::none_of(blocks, [&](const Block& b) { return file.has(dataset(b)); })) {
    std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{1});
    return;
  }
  for (const Block& block : blocks) file.read(dataset(block), block.of(particles.id));
}

void read_masses(const InputFile& file, const Block& block, std::span<float> mass) {
  const std::string field = block.group + "/Masses";
  if (file.has(field)) {
    file.read(field, mass);
    return;
  }
  const bool has_table = file.has_attribute("/Header", "MassTable");
  const double common =
      has_table ? file.numbers("/Header", "MassTable", particle_types)[block.type] : 0;
  if (common == 0) {
    file.fail(field, fmt::format("the dataset is missing and /Header/MassTable gives no mass for "
                                 "type {}; add either",
                                 block.type));
  }
  std::ranges::fill(mass, static_cast<float>(common));
}

void read_block(const InputFile& file, const Block& block, Particles& particles) {
  file.read(block.group + "/Coordinates", block.of(particles.position));
  file.read(block.group + "/Velocities", block.of(particles.velocity));
  read_masses(file, block, block.of(particles.mass));
  std::ranges::fill(block.of(particles.type), static_cast<std::uint8_t>(block.type));
  if (file.has(block.group + "/Component")) {
    file.read(block.group + "/Component", block.of(particles.component));
  } else {
    std::ranges::fill(block.of(particles.component), block.type);
  }
}

std::string whose(const Particles& particles, std::size_t index) {
  return "of the particle with ID " + std::to_string(particles.id[index]);
}

/// Refuses NaN and infinity in `values`, which holds `columns` numbers per particle, naming the
/// first such particle.
void require_finite(const Complain& complain, const Particles& particles, const std::string& name,
                    std::span<const float> values, std::size_t columns) {
  bool finite = true;
  for (const float value : values) {  // in a form that the compiler vectorises
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

void require_good_masses(const Complain& complain, const Particles& particles, Masses masses) {
  double total = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.mass[i] < 0) {
      complain(particles.type[i], "Masses",
               "the mass " + whose(particles, i) + " is negative; masses must be zero or positive");
    }
    total += particles.mass[i];
  }
  if (total == 0 && masses == Masses::needed) {
    complain(particles.type.front(), "Masses",
             "all masses are zero; give at least one particle a positive mass, or an external "
             "potential in which they move");
  }
}

void require_unique_ids(const Complain& complain, const Particles& particles) {
  const std::vector<std::uint64_t>& ids = particles.id;
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end()) return;
  std::vector<std::uint64_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  const auto owner = std::find(ids.begin(), ids.end(), *twice) - ids.begin();
  complain(particles.type[owner], "ParticleIDs",
           fmt::format("the ID {} occurs more than once; give every particle its own, or leave out "
                       "all IDs",
                       *twice));
}

/// Complains unless /Components, where it is there, names the component of every particle.
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

/// Reads a dataset of /Components, which has one number for each.
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

void validate(const Snapshot& snapshot, Masses masses, const Complain& complain) {
  const Particles& particles = snapshot.particles;
  const auto flat = [](const std::vector<Vec3>& vectors) {
    return std::span(vectors.front().data(), 3 * vectors.size());
  };
  require_finite(complain, particles, "Coordinates", flat(particles.position), 3);
  require_finite(complain, particles, "Velocities", flat(particles.velocity), 3);
  require_finite(complain, particles, "Masses", particles.mass, 1);
  require_good_masses(complain, particles, masses);
  require_unique_ids(complain, particles);
  require_named_components(complain, snapshot);
}

Snapshot read_snapshot(const std::filesystem::path& path, Masses masses) {
  const InputFile file(path);
  const std::vector<Block> blocks = read_blocks(file);
  refuse_cosmology(file);
  Snapshot snapshot{.units = read_units(file),
                    .time = read_time(file),
                    .softening = read_softening(file),
                    .components = read_components(file),
                    .particles = {}};
  require_positions(file, blocks);
  Particles& particles = snapshot.particles;
  particles.resize(blocks.back().first + blocks.back().count);
  for (const Block& block : blocks) read_block(file, block, particles);
  read_ids(file, blocks, particles);
  validate(snapshot, masses, [&](int type, const std::string& dataset, const std::string& problem) {
    file.fail(group_of(type) + "/" + dataset, problem);
  });
  return snapshot;
}

}  // namespace gothic::files
