#include <algorithm>
#include <stdexcept>
#include <utility>

#include "files/hdf5.hpp"
#include "files/output_file.hpp"
#include "files/snapshot.hpp"

namespace gothic::files {
namespace {

using Order = std::vector<std::size_t>;

/// Writes values[order[0]], values[order[1]], ... as a dataset, in pieces that need little memory.
template <class T>
void write_ordered(hid_t group, const std::string& name, const std::vector<T>& values,
                   const Order& order, int compression = 0) {
  const hid_t type = hdf5::native_type<T>();
  const hdf5::Handle dataset =
      hdf5::create_dataset(group, name, type, order.size(), hdf5::columns_of<T>, compression);
  constexpr std::size_t rows_per_piece = std::size_t{1} << 18;
  std::vector<T> piece;
  for (std::size_t first = 0; first < order.size(); first += rows_per_piece) {
    piece.resize(std::min(rows_per_piece, order.size() - first));
    for (std::size_t row = 0; row < piece.size(); ++row) piece[row] = values[order[first + row]];
    hdf5::write_rows(dataset.id(), type, first, piece.size(), piece.data());
  }
}

std::array<Order, particle_types> orders(const Particles& particles) {
  std::array<Order, particle_types> result;
  std::size_t total = 0;
  for (int type = 0; type < particle_types; ++type) {
    result[type] = order_by_id(particles.type, particles.id, static_cast<std::uint8_t>(type));
    total += result[type].size();
  }
  if (total != particles.size())
    throw std::invalid_argument("every particle needs a type from 0 to 5");
  return result;
}

void write_header(hid_t file, const std::array<Order, particle_types>& orders,
                  const Snapshot& about) {
  std::array<std::int32_t, particle_types> here{};
  std::array<std::uint32_t, particle_types> total{};
  for (int type = 0; type < particle_types; ++type) {
    if (orders[type].size() > INT32_MAX)
      throw std::length_error("too many particles of one type for one file");
    here[type] = static_cast<std::int32_t>(orders[type].size());
    total[type] = static_cast<std::uint32_t>(orders[type].size());
  }
  const hdf5::Handle header = hdf5::open_or_create_group(file, "Header");
  const std::int32_t files = 1;
  write_attribute(header.id(), "NumPart_ThisFile", here);
  write_attribute(header.id(), "NumPart_Total", total);
  write_attribute(header.id(), "NumPart_Total_HighWord",
                  std::array<std::uint32_t, particle_types>{});
  write_attribute(header.id(), "MassTable", std::array<double, particle_types>{});
  write_attribute(header.id(), "NumFilesPerSnapshot", H5T_NATIVE_INT32, {}, &files);

  const Units& units = about.units;
  Attributes numbers = attributes_of(units);
  numbers.insert({{"Time", about.time}, {"Redshift", 0.0}, {"BoxSize", 0.0}});
  if (about.softening > 0) numbers["Softening"] = about.softening;
  if (units != Units{}) numbers["Time_GYR"] = about.time * units.time_in_s() / gigayear;
  write_attributes(file, "Header", numbers);
  write_units(file, units);
}

template <class T>
void write_force_datasets(hid_t group, const BasicForces<T>& forces, const Order& order,
                          int compression = 0) {
  write_ordered(group, "Acceleration", forces.acceleration, order, compression);
  write_ordered(group, "Potential", forces.potential, order, compression);
}

template <class T>
void check_length(const BasicForces<T>& forces, const Particles& particles) {
  if (forces.acceleration.size() != particles.size() ||
      forces.potential.size() != particles.size()) {
    throw std::invalid_argument("every particle needs one acceleration and one potential");
  }
}

/// Writes a file with the common groups, and lets `write_type(group, order)` fill each /PartTypeN
/// that has particles.
template <class WriteType>
void write_file(const std::filesystem::path& path, const Snapshot& about,
                const Particles& particles, const Attributes& timing, const Provenance& provenance,
                WriteType&& write_type, int compression = 0) {
  const std::array<Order, particle_types> by_type = orders(particles);
  const std::scoped_lock lock(hdf5::library());
  OutputFile file(path);
  file.guard([&] {
    write_header(file.id(), by_type, about);
    write_provenance(file.id(), provenance);
    write_components(file.id(), about.components);
    if (!timing.empty()) write_attributes(file.id(), "Timing", timing);
    for (int type = 0; type < particle_types; ++type) {
      if (by_type[type].empty()) continue;
      const hdf5::Handle group =
          hdf5::open_or_create_group(file.id(), "PartType" + std::to_string(type));
      write_ordered(group.id(), "ParticleIDs", particles.id, by_type[type], compression);
      write_type(group.id(), by_type[type]);
    }
  });
  file.commit();
}

void write_names(hid_t group, std::span<const ComponentInfo> components) {
  std::size_t width = 1;
  for (const ComponentInfo& component : components) width = std::max(width, component.name.size());
  std::string text;
  for (const ComponentInfo& component : components) {
    text += component.name + std::string(width - component.name.size(), '\0');
  }
  const hdf5::Handle type = hdf5::fixed_text(width);
  const hdf5::Handle dataset = hdf5::create_dataset(group, "Name", type.id(), components.size(), 1);
  hdf5::write_rows(dataset.id(), type.id(), 0, components.size(), text.data());
}

}  // namespace

Attributes attributes_of(const Units& units) {
  return {{"UnitLength_in_cm", units.length_in_cm},
          {"UnitMass_in_g", units.mass_in_g},
          {"UnitVelocity_in_cm_per_s", units.velocity_in_cm_per_s}};
}

void write_units(hid_t file, const Units& units) {
  write_attributes(file, "Units", attributes_of(units));
  write_attributes(file, "Units", {{"UnitTime_in_s", units.time_in_s()}});
}

std::vector<std::size_t> order_by_id(std::span<const std::uint8_t> type,
                                     std::span<const std::uint64_t> id, std::uint8_t wanted) {
  std::vector<std::size_t> order;
  order.reserve(static_cast<std::size_t>(std::count(type.begin(), type.end(), wanted)));
  for (std::size_t i = 0; i < type.size(); ++i) {
    if (type[i] == wanted) order.push_back(i);
  }
  const auto by_id = [&](std::size_t a, std::size_t b) { return id[a] < id[b]; };
  if (!std::is_sorted(order.begin(), order.end(), by_id))
    std::sort(order.begin(), order.end(), by_id);
  return order;
}

void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot,
                    const Provenance& provenance, const Forces* forces, int compression) {
  const Particles& particles = snapshot.particles;
  if (forces) check_length(*forces, particles);
  const auto write_type = [&](hid_t group, const Order& order) {
    write_ordered(group, "Coordinates", particles.position, order, compression);
    write_ordered(group, "Velocities", particles.velocity, order, compression);
    write_ordered(group, "Masses", particles.mass, order, compression);
    write_ordered(group, "Component", particles.component, order, compression);
    if (forces) write_force_datasets(group, *forces, order, compression);
  };
  write_file(path, snapshot, particles, {}, provenance, write_type, compression);
}

template <class T>
void write_forces(const std::filesystem::path& path, const Particles& particles,
                  const BasicForces<T>& forces, const Units& units, const Attributes& timing,
                  const Provenance& provenance) {
  check_length(forces, particles);
  write_file(path, {.units = units, .particles = {}}, particles, timing, provenance,
             [&](hid_t group, const Order& order) { write_force_datasets(group, forces, order); });
}
template void write_forces(const std::filesystem::path&, const Particles&, const Forces&,
                           const Units&, const Attributes&, const Provenance&);
template void write_forces(const std::filesystem::path&, const Particles&, const ReferenceForces&,
                           const Units&, const Attributes&, const Provenance&);

void write_components(hid_t file, std::span<const ComponentInfo> components) {
  if (components.empty()) return;
  std::vector<std::int32_t> types;
  std::vector<double> softenings;
  for (const ComponentInfo& component : components) {
    types.push_back(component.type);
    softenings.push_back(component.softening);
  }
  const hdf5::Handle group = hdf5::open_or_create_group(file, "Components");
  write_names(group.id(), components);
  hdf5::write_dataset(group.id(), "Type", types);
  hdf5::write_dataset(group.id(), "Softening", softenings);
}

}  // namespace gothic::files
