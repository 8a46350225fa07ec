#include "files/gadget_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "files/comoving.hpp"
#include "files/quantity.hpp"
#include "files/text.hpp"
#include "files/units_file.hpp"

namespace gothic::files {
namespace {

const std::string swift_length = "Unit length in cgs (U_L)";

std::string group_of(std::size_t type) { return "/PartType" + std::to_string(type); }

const std::string groups[] = {"/Header", "/Units", "/Parameters"};

bool is_of_swift(const InputFile& file) { return file.has_attribute("/Units", swift_length); }

bool has_units(const InputFile& file) {
  return is_of_swift(file) || std::ranges::any_of(groups, [&](const std::string& group) {
           return file.has_attribute(group, "UnitLength_in_cm");
         });
}

/// The header's count of the particles of each type.
std::vector<std::size_t> read_counts(const InputFile& file) {
  const std::string field = "/Header/NumPart_ThisFile";
  std::vector<std::size_t> counts;
  for (const double number : file.numbers("/Header", "NumPart_ThisFile")) {
    const std::size_t type = counts.size();
    if (number < 0)
      file.fail(field, fmt::format("is negative for type {}; count the particles", type));
    const auto found = whole(number);
    if (!found) file.fail(field, fmt::format("is no count for type {}; count the particles", type));
    counts.push_back(static_cast<std::size_t>(*found));
  }
  return counts;
}

/// The header's counts for all files of the snapshot, of which codes with 32-bit numbers store the
/// higher bits apart.
std::vector<double> read_counts_of_all(const InputFile& file) {
  if (!file.has_attribute("/Header", "NumPart_Total")) return {};
  std::vector<double> counts = file.numbers("/Header", "NumPart_Total");
  const std::string high = "NumPart_Total_HighWord";
  if (!file.has_attribute("/Header", high)) return counts;
  const std::vector<double> words = file.numbers("/Header", high);
  for (std::size_t type = 0; type < std::min(counts.size(), words.size()); ++type) {
    counts[type] += std::ldexp(words[type], 32);
  }
  return counts;
}

std::size_t read_file_count(const InputFile& file) {
  const std::string name = "NumFilesPerSnapshot";
  if (!file.has_attribute("/Header", name)) return 1;
  const auto count = whole(file.number("/Header", name));
  if (!count || *count < 0) file.fail("/Header/" + name, "is no count; count the files");
  return std::max<std::size_t>(1, static_cast<std::size_t>(*count));
}

/// Throws unless the particles that the header counts are there, and no others. The check comes
/// before memory is made for them.
void require_positions(const InputFile& file, const std::vector<std::size_t>& counts) {
  for (std::size_t type = 0; type < counts.size(); ++type) {
    const std::string positions = group_of(type) + "/Coordinates";
    if (counts[type] == 0) {
      if (file.has(positions) && file.rows<Vec3>(positions) > 0) {
        file.fail(group_of(type),
                  "has particles, but /Header/NumPart_ThisFile counts none; correct it");
      }
      continue;
    }
    if (!file.has(group_of(type))) {
      file.fail(
          group_of(type),
          "the group is missing though /Header/NumPart_ThisFile counts its particles; add it");
    }
    file.require<Vec3>(positions, counts[type]);
  }
}

bool has_ids(const InputFile& file, const std::vector<std::size_t>& counts) {
  for (std::size_t type = 0; type < counts.size(); ++type) {
    if (counts[type] > 0 && file.has(group_of(type) + "/ParticleIDs")) return true;
  }
  return false;
}

/// Finds numbers in the groups that codes have them in, or else in the file of parameters.
FindNumber finder(const InputFile& file, const std::filesystem::path& path,
                  const Parameters& parameters) {
  return [&file, path, &parameters](const std::string& name) -> std::optional<Stated> {
    for (const std::string& group : groups) {
      if (!file.has_attribute(group, name)) continue;
      return Stated{file.number(group, name), fmt::format("{}: {}/{}", path.string(), group, name)};
    }
    if (const auto number = parameters.number(name)) {
      return Stated{*number, parameters.file().string() + ": " + name};
    }
    return {};
  };
}

double positive(const Stated& unit) {
  if (std::isfinite(unit.value) && unit.value > 0) return unit.value;
  throw InputError(unit.place + ": is not positive; give the unit's value in cgs");
}

Units units_of_swift(const InputFile& file, const std::filesystem::path& path) {
  const auto unit = [&](const std::string& name) {
    return positive({file.number("/Units", name), path.string() + ": /Units/" + name});
  };
  const double length = unit(swift_length);
  return {.length_in_cm = length,
          .mass_in_g = unit("Unit mass in cgs (U_M)"),
          .velocity_in_cm_per_s = length / unit("Unit time in cgs (U_t)")};
}

Units read_units(const InputFile& file, const std::filesystem::path& path, const FindNumber& find,
                 const Parameters& parameters) {
  if (is_of_swift(file)) return units_of_swift(file, path);
  if (!find("UnitLength_in_cm")) {
    if (const std::optional<Units> units = parameters.units()) return *units;
  }
  const auto unit = [&](const char* name) {
    const std::optional<Stated> found = find(name);
    if (!found) {
      file.fail(std::string("/Header/") + name,
                "the attribute is missing; add it (1 in model units, where G = 1), or write the "
                "three units into " +
                    units_path(path).filename().string());
    }
    return positive(*found);
  };
  return {.length_in_cm = unit("UnitLength_in_cm"),
          .mass_in_g = unit("UnitMass_in_g"),
          .velocity_in_cm_per_s = unit("UnitVelocity_in_cm_per_s")};
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

/// Sets factors, time and notes of a file of SWIFT.
void convert_file_of_swift(FileFacts& facts, const InputFile& file,
                           const std::filesystem::path& path, const FindNumber& find) {
  const std::string run = "Cosmological run", a = "Scale-factor";
  const std::optional<Stated> redshift = find("Redshift");
  const bool cosmological = file.has_attribute("/Cosmology", run)
                                ? file.number("/Cosmology", run) != 0
                                : redshift && redshift->value != 0;
  if (!cosmological) return;
  for (const std::string& group : {std::string("/Cosmology"), groups[0]}) {
    if (!file.has_attribute(group, a)) continue;
    return convert_swift(
        facts, {file.number(group, a), fmt::format("{}: {}/{}", path.string(), group, a)});
  }
  if (!redshift) {
    file.fail("/Cosmology/" + a, "is missing, but the snapshot is comoving; add the scale factor");
  }
  convert_swift(facts, {1 / (1 + redshift->value), redshift->place});
}

/// Whether the file tells that space was not periodic in the simulation, so that a box means
/// nothing.
bool was_isolated(const InputFile& file, const FindNumber& find) {
  const auto has_option = [&](const char* name) { return file.has_attribute("/Config", name); };
  if (has_option("GRAVITY_NOT_PERIODIC")) return true;  // AREPO
  // GADGET-4 has no flags in the header.
  if (file.has("/Config") && !has_option("PERIODIC") &&
      !file.has_attribute("/Header", "Flag_Cooling")) {
    return true;
  }
  if (is_of_swift(file)) {
    const auto parameters = file.text_attributes("/Parameters");
    const auto periodic = parameters.find("InitialConditions:periodic");
    return periodic != parameters.end() && periodic->second == "0";
  }
  const std::optional<Stated> periodic = find("PeriodicBoundariesOn");
  return periodic && periodic->value == 0;
}

Stranger find_box(const InputFile& file, const FindNumber& find) {
  if (!file.has_attribute("/Header", "BoxSize") || was_isolated(file, find)) return {};
  const std::vector<double> sides = file.numbers("/Header", "BoxSize");
  return {*std::ranges::max_element(sides), "/Header/BoxSize"};
}

/// Gas is what has properties of gas: particles of type 0 may be anything.
Stranger find_gas(const InputFile& file, const std::vector<std::size_t>& counts) {
  if (counts.empty() || counts[0] == 0) return {};
  for (const char* property :
       {"InternalEnergy", "InternalEnergies", "Density", "Densities", "Entropy", "Entropies",
        "Temperature", "Temperatures", "SmoothingLength", "SmoothingLengths"}) {
    if (file.has(group_of(0) + "/" + property)) return {double(counts[0]), group_of(0)};
  }
  return {};
}

}  // namespace

GadgetHdf5::GadgetHdf5(std::filesystem::path path) : path_(std::move(path)) {
  const InputFile file(path_);
  facts_.counts = read_counts(file);
  facts_.counts_of_all = read_counts_of_all(file);
  facts_.counts_field = "/Header/NumPart_ThisFile";
  facts_.files = read_file_count(file);
  const Parameters parameters = has_units(file) ? Parameters() : Parameters::beside(path_);
  if (const std::string note = parameters.note(path_); !note.empty()) facts_.notes.push_back(note);
  const FindNumber find = finder(file, path_, parameters);
  facts_.units = read_units(file, path_, find, parameters);
  facts_.time = read_time(file);
  if (is_of_swift(file)) {
    convert_file_of_swift(facts_, file, path_, find);
  } else {
    convert_gadget(facts_, find, facts_.time, path_.string() + ": /Header/");
  }
  facts_.softening = facts_.factors.length * read_softening(file);
  facts_.components = read_components(file);
  facts_.has_ids = has_ids(file, facts_.counts);
  facts_.gas = find_gas(file, facts_.counts);
  facts_.box = find_box(file, find);
  require_positions(file, facts_.counts);
}

template <class Row>
void GadgetHdf5::read_numbers(
    const InputFile& file, const std::string& name, const Block& block, std::vector<Row>& rows,
    double factor, const std::function<void(std::span<typename DoubleOf<Row>::Type>)>& see) const {
  const std::string field = group_of(block.type) + "/" + name;
  const std::size_t count = facts_.counts[block.type];
  file.require<Row>(field, count);
  const NumberKind kind = file.kind(field);
  const bool is_wide = kind.bytes > sizeof(float);
  if (factor == 1 && !is_wide) {
    file.read(field, count, block.first_in_file, block.of(rows));
    return;
  }
  using Double = typename DoubleOf<Row>::Type;
  read_scaled(block.of(rows), factor, [&](std::size_t first, std::span<Double> piece) {
    file.read(field, count, block.first_in_file + first, piece);
    if (is_wide && see) see(piece);
  });
}

void GadgetHdf5::read_masses(const InputFile& file, const Block& block,
                             std::vector<float>& mass) const {
  for (const char* name : {"Masses", "DynamicalMasses"}) {
    if (!file.has(group_of(block.type) + "/" + name)) continue;
    return read_numbers(file, name, block, mass, facts_.factors.mass);
  }
  const std::vector<double> table = file.has_attribute("/Header", "MassTable")
                                        ? file.numbers("/Header", "MassTable")
                                        : std::vector<double>();
  const double common = block.type < table.size() ? table[block.type] : 0;
  if (common == 0) {
    file.fail(group_of(block.type) + "/Masses",
              fmt::format("the dataset is missing and /Header/MassTable gives no mass for "
                          "type {}; add either",
                          block.type));
  }
  std::ranges::fill(block.of(mass), to_single(common * facts_.factors.mass));
}

void GadgetHdf5::read(const Block& block, Particles& particles, PositionRounding& rounding,
                      bool with_ids) const {
  const InputFile file(path_);  // opened for each block, since an open file stays guarded
  read_numbers(file, "Coordinates", block, particles.position, facts_.factors.length,
               {[&](std::span<std::array<double, 3>> piece) { rounding.add(piece); }});
  read_numbers(file, "Velocities", block, particles.velocity, facts_.factors.velocity);
  read_masses(file, block, particles.mass);
  const std::string component = group_of(block.type) + "/Component";
  if (file.has(component)) {
    file.read(component, facts_.counts[block.type], block.first_in_file,
              block.of(particles.component));
  } else {
    std::ranges::fill(block.of(particles.component), static_cast<std::int32_t>(block.type));
  }
  if (with_ids) read_ids(file, block, particles.id);
}

void GadgetHdf5::read_ids(const InputFile& file, const Block& block,
                          std::vector<std::uint64_t>& ids) const {
  const std::string field = group_of(block.type) + "/ParticleIDs";
  const std::size_t count = facts_.counts[block.type];
  if (!file.has_signed_integers(field)) {
    return file.read(field, count, block.first_in_file, block.of(ids));
  }
  std::vector<std::int64_t> stored(block.count);
  file.read(field, count, block.first_in_file, std::span(stored));
  const auto negative = std::ranges::find_if(stored, [](std::int64_t id) { return id < 0; });
  if (negative != stored.end()) {
    file.fail(field, fmt::format("an ID is {}; give every particle an ID from 0 on, or leave out "
                                 "all IDs",
                                 *negative));
  }
  std::ranges::copy(stored, block.of(ids).begin());
}

}  // namespace gothic::files
