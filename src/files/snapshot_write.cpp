#include <algorithm>
#include <stdexcept>
#include <utility>

#include "files/hdf5.hpp"
#include "files/output_file.hpp"
#include "files/snapshot.hpp"

namespace gothic::files {
namespace {

void write_header(hid_t file, const TypeCounts& counts, const Snapshot& about) {
  std::array<std::int64_t, particle_types> here{};
  std::array<std::uint32_t, particle_types> low{}, high{};
  for (int type = 0; type < particle_types; ++type) {
    here[type] = static_cast<std::int64_t>(counts[type]);
    low[type] = static_cast<std::uint32_t>(counts[type]);
    high[type] = static_cast<std::uint32_t>(counts[type] >> 32);
  }
  const hdf5::Handle header = hdf5::open_or_create_group(file, "Header");
  const std::int32_t files = 1;
  write_attribute(header.id(), "NumPart_ThisFile", here);
  write_attribute(header.id(), "NumPart_Total", low);
  write_attribute(header.id(), "NumPart_Total_HighWord", high);
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
void check_length(const BasicForces<T>& forces, const Particles& particles) {
  if (forces.acceleration.size() != particles.size() ||
      forces.potential.size() != particles.size()) {
    throw std::invalid_argument("every particle needs one acceleration and one potential");
  }
}

/// values[order[0]], values[order[1]], ...
template <class T>
std::vector<T> picked(const std::vector<T>& values, std::span<const std::size_t> order) {
  std::vector<T> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[i] = values[order[i]];
  return result;
}

template <class T>
BasicForces<T> picked(const BasicForces<T>& from, std::span<const std::size_t> order) {
  return {picked(from.acceleration, order), picked(from.potential, order)};
}

/// Indices of the particles of one type, in the order of their IDs.
std::vector<std::size_t> order_by_id(const Particles& particles, std::uint8_t wanted) {
  const std::vector<std::uint8_t>& type = particles.type;
  std::vector<std::size_t> order;
  order.reserve(static_cast<std::size_t>(std::ranges::count(type, wanted)));
  for (std::size_t i = 0; i < type.size(); ++i) {
    if (type[i] == wanted) order.push_back(i);
  }
  const auto id = [&](std::size_t i) { return particles.id[i]; };
  if (!std::ranges::is_sorted(order, {}, id)) std::ranges::sort(order, {}, id);
  return order;
}

/// Writes texts as a dataset of strings of fixed length.
void write_texts(hid_t group, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string filled;
  for (const std::string& text : texts) filled += text + std::string(width - text.size(), '\0');
  const hdf5::Handle type = hdf5::fixed_text(width);
  const hdf5::Handle dataset = hdf5::create_dataset(group, name, type.id(), texts.size(), 1);
  hdf5::write_rows(dataset.id(), type.id(), 0, texts.size(), filled.data());
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

void for_ordered_pieces(const Particles& particles,
                        const std::function<void(std::span<const std::size_t> order)>& f) {
  constexpr std::size_t rows_per_piece = std::size_t{1} << 16;
  for (std::uint8_t type = 0; type < particle_types; ++type) {
    const std::vector<std::size_t> order = order_by_id(particles, type);
    for (std::size_t first = 0; first < order.size(); first += rows_per_piece) {
      f(std::span(order).subspan(first, std::min(rows_per_piece, order.size() - first)));
    }
  }
}

Particles picked(const Particles& from, std::span<const std::size_t> order) {
  return {.mass = picked(from.mass, order),
          .position = picked(from.position, order),
          .velocity = picked(from.velocity, order),
          .id = picked(from.id, order),
          .type = picked(from.type, order),
          .component = picked(from.component, order)};
}

TypeCounts counts_of(std::span<const std::uint8_t> types) {
  TypeCounts counts{};
  for (const std::uint8_t type : types) {
    if (type >= particle_types) {
      throw std::invalid_argument("every particle needs a type from 0 to 5");
    }
    ++counts[type];
  }
  return counts;
}

SnapshotWriter::SnapshotWriter(const std::filesystem::path& path, const Snapshot& about,
                               const TypeCounts& counts, const Provenance& provenance,
                               int compression)
    : counts_(counts), compression_(compression) {
  const hdf5::Lock lock;
  file_.emplace(path);
  guard([&] {
    write_header(file_->id(), counts, about);
    write_provenance(file_->id(), provenance);
    write_components(file_->id(), about.components);
  });
}

SnapshotWriter::~SnapshotWriter() {
  const hdf5::Lock lock;
  columns_.clear();
  file_.reset();
}

template <class Action>
void SnapshotWriter::guard(Action&& action) {
  const hdf5::Lock lock;
  file_->guard(action);
}

/// Writes the next rows of a dataset, which is made if it is not there.
template <class Row>
void SnapshotWriter::append(int type, const std::string& name, std::span<const Row> rows) {
  const hid_t number = hdf5::native_type<Row>();
  Column& column = columns_[{type, name}];
  if (column.dataset.id() < 0) {
    const hdf5::Handle group =
        hdf5::open_or_create_group(file_->id(), "PartType" + std::to_string(type));
    column.dataset = hdf5::create_dataset(group.id(), name, number, counts_[type],
                                          hdf5::columns_of<Row>, compression_);
  }
  hdf5::write_rows(column.dataset.id(), number, column.rows, rows.size(), rows.data());
  column.rows += rows.size();
}

void SnapshotWriter::append_ids(const Particles& particles) {
  for_runs(particles.type, [&](int type, std::size_t first, std::size_t count) {
    const std::span ids = std::span(particles.id).subspan(first, count);
    if (type >= particle_types || columns_[{type, "ParticleIDs"}].rows + count > counts_[type]) {
      throw std::logic_error("more particles of type " + std::to_string(type) +
                             " than were told of");
    }
    if (ids.front() < last_id_[type] || !std::ranges::is_sorted(ids)) {
      throw std::logic_error("particles of a type must come in the order of their IDs");
    }
    last_id_[type] = ids.back();
    append(type, "ParticleIDs", ids);
  });
}

template <class T>
void SnapshotWriter::append_forces(std::span<const std::uint8_t> types,
                                   const BasicForces<T>& forces) {
  for_runs(types, [&](int type, std::size_t first, std::size_t count) {
    append(type, "Acceleration", std::span(forces.acceleration).subspan(first, count));
    append(type, "Potential", std::span(forces.potential).subspan(first, count));
  });
}

void SnapshotWriter::add(const Particles& particles, const Forces* forces) {
  if (forces) check_length(*forces, particles);
  guard([&] {
    append_ids(particles);
    for_runs(particles.type, [&](int type, std::size_t first, std::size_t count) {
      append(type, "Coordinates", std::span(particles.position).subspan(first, count));
      append(type, "Velocities", std::span(particles.velocity).subspan(first, count));
      append(type, "Masses", std::span(particles.mass).subspan(first, count));
      append(type, "Component", std::span(particles.component).subspan(first, count));
    });
    if (forces) append_forces(particles.type, *forces);
  });
}

template <class T>
void SnapshotWriter::add_forces(const Particles& particles, const BasicForces<T>& forces) {
  check_length(forces, particles);
  guard([&] {
    append_ids(particles);
    append_forces(particles.type, forces);
  });
}
template void SnapshotWriter::add_forces(const Particles&, const Forces&);
template void SnapshotWriter::add_forces(const Particles&, const ReferenceForces&);

void SnapshotWriter::add_timing(const Attributes& timing) {
  guard([&] { write_attributes(file_->id(), "Timing", timing); });
}

void SnapshotWriter::commit() {
  for (int type = 0; type < particle_types; ++type) {
    if (counts_[type] > 0) columns_.try_emplace({type, "ParticleIDs"});
  }
  for (const auto& [place, column] : columns_) {
    if (column.rows == counts_[place.first]) continue;
    throw std::logic_error("fewer particles of type " + std::to_string(place.first) +
                           " than were told of");
  }
  const hdf5::Lock lock;
  file_->flush();
  columns_.clear();
  file_->commit();
}

void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot,
                    const Provenance& provenance, const Forces* forces, int compression) {
  const Particles& particles = snapshot.particles;
  if (forces) check_length(*forces, particles);
  SnapshotWriter writer(path, snapshot, counts_of(particles.type), provenance, compression);
  for_ordered_pieces(particles, [&](std::span<const std::size_t> order) {
    const Forces piece = forces ? picked(*forces, order) : Forces{};
    writer.add(picked(particles, order), forces ? &piece : nullptr);
  });
  writer.commit();
}

template <class T>
void write_forces(const std::filesystem::path& path, const Particles& particles,
                  const BasicForces<T>& forces, const Units& units, const Attributes& timing,
                  const Provenance& provenance) {
  check_length(forces, particles);
  SnapshotWriter writer(path, {.units = units, .particles = {}}, counts_of(particles.type),
                        provenance);
  writer.add_timing(timing);
  for_ordered_pieces(particles, [&](std::span<const std::size_t> order) {
    const Particles piece{.mass = {},
                          .position = {},
                          .velocity = {},
                          .id = picked(particles.id, order),
                          .type = picked(particles.type, order),
                          .component = {}};
    writer.add_forces(piece, picked(forces, order));
  });
  writer.commit();
}
template void write_forces(const std::filesystem::path&, const Particles&, const Forces&,
                           const Units&, const Attributes&, const Provenance&);
template void write_forces(const std::filesystem::path&, const Particles&, const ReferenceForces&,
                           const Units&, const Attributes&, const Provenance&);

void write_components(hid_t file, std::span<const ComponentInfo> components) {
  if (components.empty()) return;
  std::vector<std::string> names, models, digests;
  std::vector<std::int32_t> types;
  std::vector<double> softenings;
  for (const ComponentInfo& component : components) {
    names.push_back(component.name);
    types.push_back(component.type);
    softenings.push_back(component.softening);
    models.push_back(component.model);
    digests.push_back(component.model_digest);
  }
  const hdf5::Handle group = hdf5::open_or_create_group(file, "Components");
  write_texts(group.id(), "Name", names);
  hdf5::write_dataset(group.id(), "Type", types);
  hdf5::write_dataset(group.id(), "Softening", softenings);
  if (std::ranges::all_of(digests, &std::string::empty)) return;
  write_texts(group.id(), "Model", models);
  write_texts(group.id(), "ModelDigest", digests);
}

}  // namespace gothic::files
