#include "files/checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <mutex>
#include <utility>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/text.hpp"

namespace gothic::files {
namespace {

/// The start of the file, before HDF5's part: this line, the checksum and the length of the rest.
constexpr std::size_t seal_bytes = 512;
constexpr std::string_view kind = "GOTHIC checkpoint ";
constexpr char format = '2';

/// Whether a file is whole.
struct Seal {
  std::uint32_t checksum = 0;  ///< CRC-32 of all that follows the seal
  std::uint64_t bytes = 0;     ///< of it

  bool operator==(const Seal&) const = default;

  std::string text() const {
    std::string text = fmt::format("{}{}\ncrc32 {}\nbytes {}\n", kind, format, checksum, bytes);
    text.resize(seal_bytes, '\0');
    return text;
  }
};

/// The seal that fits the file's content.
Seal seal_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(seal_bytes);
  Seal seal;
  std::vector<char> piece(std::size_t{1} << 20);
  while (in.read(piece.data(), std::streamsize(piece.size())) || in.gcount() > 0) {
    const auto size = static_cast<std::uint64_t>(in.gcount());
    seal.checksum = static_cast<std::uint32_t>(
        crc32(seal.checksum, reinterpret_cast<const Bytef*>(piece.data()), uInt(size)));
    seal.bytes += size;
  }
  return seal;
}

/// Throws InputError unless the file's content is what its seal says.
void check_seal(const std::filesystem::path& path) {
  require_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::string stored(seal_bytes, '\0');
  in.read(stored.data(), seal_bytes);
  if (!stored.starts_with(kind)) {
    throw InputError(path.string() + ": is no checkpoint of this program; remove it");
  }
  if (stored[kind.size()] != format) {
    throw InputError(
        fmt::format("{}: is a checkpoint of format {}, and this version reads format {}; go on "
                    "with the version "
                    "that wrote it, or remove it",
                    path.string(), stored[kind.size()], format));
  }
  if (stored != seal_of(path).text()) {
    throw InputError(path.string() + ": is damaged, its checksum is wrong; remove it");
  }
}

void seal(const std::filesystem::path& path, const OutputFile& file) {
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out << seal_of(path).text();
  out.close();
  if (!out) file.guard([] { hdf5::check(-1, "the checksum cannot be stored"); });
}

void write_vectors(hid_t group, const std::string& name, const std::vector<Vec4>& values) {
  const hid_t type = hdf5::native_type<float>();
  const hdf5::Handle dataset = hdf5::create_dataset(group, name, type, values.size(), 4);
  hdf5::write_rows(dataset.id(), type, 0, values.size(), values.data());
}

void write_state(hid_t file, const SimulationState& state) {
  const hdf5::Handle group = hdf5::open_or_create_group(file, "State");
  write_vectors(group.id(), "Position", state.position);
  write_vectors(group.id(), "Velocity", state.velocity);
  write_vectors(group.id(), "Acceleration", state.acceleration);
  hdf5::write_dataset(group.id(), "Level", state.level);
  hdf5::write_dataset(group.id(), "Slot", state.slot);
  hdf5::write_dataset(group.id(), "Key", state.keys);
  const hdf5::Handle clock = hdf5::open_or_create_group(file, "Clock");
  const auto put = [&](const char* name, std::int64_t number) {
    hdf5::write_dataset(clock.id(), name, std::vector{number});
  };
  put("Now", state.now);
  put("End", state.end);
  put("HighestLevel", state.top);
  put("Step", state.step);
  put("Synchronised", state.synchronised);
  write_attributes(file, "Clock/Numbers", Attributes(state.numbers.begin(), state.numbers.end()));
}

void write_particles(hid_t file, const Snapshot& snapshot) {
  const hdf5::Handle group = hdf5::open_or_create_group(file, "Particles");
  hdf5::write_dataset(group.id(), "ParticleIDs", snapshot.particles.id);
  hdf5::write_dataset(group.id(), "Masses", snapshot.particles.mass);
  hdf5::write_dataset(group.id(), "Type", snapshot.particles.type);
  hdf5::write_dataset(group.id(), "Component", snapshot.particles.component);
  write_attributes(file, "Particles",
                   {{"UnitLength_in_cm", snapshot.units.length_in_cm},
                    {"UnitMass_in_g", snapshot.units.mass_in_g},
                    {"UnitVelocity_in_cm_per_s", snapshot.units.velocity_in_cm_per_s},
                    {"Time", snapshot.time},
                    {"Softening", snapshot.softening}});
  write_components(file, snapshot.components);
}

template <class T>
void read_column(const InputFile& file, const std::string& name, std::size_t n,
                 std::vector<T>& values) {
  values.resize(n);
  file.read(name, n, 1, values.data());
}

void read_vectors(const InputFile& file, const std::string& name, std::size_t n,
                  std::vector<Vec4>& values) {
  values.resize(n);
  file.read(name, n, 4, reinterpret_cast<float*>(values.data()));
}

SimulationState read_state(const InputFile& file, std::size_t n) {
  SimulationState state;
  read_vectors(file, "/State/Position", n, state.position);
  read_vectors(file, "/State/Velocity", n, state.velocity);
  read_vectors(file, "/State/Acceleration", n, state.acceleration);
  read_column(file, "/State/Level", n, state.level);
  read_column(file, "/State/Slot", n, state.slot);
  read_column(file, "/State/Key", n, state.keys);
  const auto get = [&](const std::string& name) {
    std::int64_t number = 0;
    file.read("/Clock/" + name, 1, 1, &number);
    return number;
  };
  state.now = get("Now");
  state.end = get("End");
  state.top = int(get("HighestLevel"));
  state.step = get("Step");
  state.synchronised = get("Synchronised") != 0;
  state.numbers = file.number_attributes("/Clock/Numbers");
  return state;
}

/// What there is besides arrays with a number for each particle.
Checkpoint read_head(const InputFile& file) {
  const auto number = [&](const char* name) { return file.number("/Particles", name); };
  return {.snapshot = {.units = {number("UnitLength_in_cm"), number("UnitMass_in_g"),
                                 number("UnitVelocity_in_cm_per_s")},
                       .time = number("Time"),
                       .softening = number("Softening"),
                       .components = read_components(file),
                       .particles = {}},
          .state = {},
          .progress = file.number_attributes("/Progress"),
          .options = file.text_attributes("/Options")};
}

void read_particles(const InputFile& file, Particles& particles) {
  const std::string group = "/Particles";
  const std::size_t n = file.length(group + "/ParticleIDs");
  particles.resize(n);
  file.read(group + "/ParticleIDs", n, 1, particles.id.data());
  file.read(group + "/Masses", n, 1, particles.mass.data());
  file.read(group + "/Type", n, 1, particles.type.data());
  file.read(group + "/Component", n, 1, particles.component.data());
}

/// Reads a checkpoint with a right checksum.
Checkpoint read_sealed(const std::filesystem::path& path) {
  const InputFile file(path);
  Checkpoint checkpoint = read_head(file);
  read_particles(file, checkpoint.snapshot.particles);
  checkpoint.state = read_state(file, checkpoint.snapshot.particles.size());
  return checkpoint;
}

/// Whether there is a file, or a link to what may be one. Throws InputError for anything else.
bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  switch (std::filesystem::symlink_status(path, ignored).type()) {
    case std::filesystem::file_type::none:
    case std::filesystem::file_type::not_found:
      return false;
    case std::filesystem::file_type::regular:
    case std::filesystem::file_type::symlink:
      return true;
    default:
      throw InputError(path.string() +
                       ": is no file, but takes the place of a checkpoint; remove it");
  }
}

}  // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& folder) {
  return folder / "checkpoint.h5";
}
std::filesystem::path previous_checkpoint_path(const std::filesystem::path& folder) {
  return folder / "checkpoint_previous.h5";
}

bool has_checkpoint(const std::filesystem::path& folder) {
  const bool newest = is_there(checkpoint_path(folder));
  const bool previous = is_there(previous_checkpoint_path(folder));
  return newest || previous;
}

void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const Provenance& provenance, std::span<TableWriter* const> tables,
                      Newest newest) {
  const std::scoped_lock lock(hdf5::library());
  OutputFile file(checkpoint_path(folder), seal_bytes);
  file.guard([&] {
    write_provenance(file.id(), provenance);
    write_particles(file.id(), checkpoint.snapshot);
    write_state(file.id(), checkpoint.state);
    write_attributes(file.id(), "Progress",
                     Attributes(checkpoint.progress.begin(), checkpoint.progress.end()));
    for (TableWriter* table : tables) table->copy_to(file.id());
  });
  file.close();
  seal(file.partial(), file);
  const bool keep = newest == Newest::becomes_previous;
  file.commit(keep ? previous_checkpoint_path(folder) : std::filesystem::path());
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  check_seal(path);
  try {
    return read_sealed(path);
  } catch (const hdf5::Failure& failure) {
    throw InputError(path.string() + ": " + valid_utf8(failure.what()) +
                     ": cannot be read; remove the file");
  }
}

std::optional<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder) {
  const std::filesystem::path newest = checkpoint_path(folder),
                              previous = previous_checkpoint_path(folder);
  const bool has_newest = is_there(newest), has_previous = is_there(previous);
  std::string problem;
  if (has_newest) {
    try {
      return FoundCheckpoint{read_checkpoint(newest), newest, {}};
    } catch (const InputError& error) {
      if (!has_previous) throw;
      problem = error.what();
    }
  } else {
    problem = newest.string() + ": is missing";
  }
  if (!has_previous) return {};
  return FoundCheckpoint{read_checkpoint(previous), previous, problem};
}

}  // namespace gothic::files
