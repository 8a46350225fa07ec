#include "files/checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <fstream>
#include <mutex>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

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

/// Calls use(name, values) for every array that has a row for each particle.
template <class SomeCheckpoint, class Use>
void for_each_array(SomeCheckpoint& checkpoint, Use use) {
  auto& particles = checkpoint.snapshot.particles;
  use("Particles/ParticleIDs", particles.id);
  use("Particles/Masses", particles.mass);
  use("Particles/Type", particles.type);
  use("Particles/Component", particles.component);
  auto& state = checkpoint.state;
  use("State/Position", state.position);
  use("State/Velocity", state.velocity);
  use("State/Acceleration", state.acceleration);
  use("State/Level", state.level);
  use("State/Slot", state.slot);
  use("State/Key", state.keys);
}

/// Calls use(name, number) for every integer of the state.
template <class State, class Use>
void for_each_integer(State& state, Use use) {
  use("Clock/Now", state.now);
  use("Clock/End", state.end);
  use("Clock/HighestLevel", state.top);
  use("Clock/Step", state.step);
  use("Clock/Synchronised", state.synchronised);
}

void write(hid_t file, const Checkpoint& checkpoint) {
  const Snapshot& snapshot = checkpoint.snapshot;
  const SimulationState& state = checkpoint.state;
  write_attributes(file, "Particles", attributes_of(snapshot.units));
  write_attributes(file, "Particles", {{"Time", snapshot.time}, {"Softening", snapshot.softening}});
  write_components(file, snapshot.components);
  hdf5::open_or_create_group(file, "State");
  write_attributes(file, "Clock", {});
  write_attributes(file, "Clock/Numbers", Attributes(state.numbers.begin(), state.numbers.end()));
  write_attributes(file, "Progress",
                   Attributes(checkpoint.progress.begin(), checkpoint.progress.end()));
  for_each_array(checkpoint, [&](const char* name, const auto& values) {
    hdf5::write_dataset(file, name, values);
  });
  if (!state.first_energy.empty()) {
    hdf5::write_dataset(file, "State/FirstEnergy", state.first_energy);
  }
  for_each_integer(state, [&](const char* name, std::int64_t number) {
    hdf5::write_dataset(file, name, std::vector{number});
  });
}

Checkpoint read(const InputFile& file) {
  const auto number = [&](const char* name) { return file.number("/Particles", name); };
  Checkpoint checkpoint{.snapshot = {.units = {number("UnitLength_in_cm"), number("UnitMass_in_g"),
                                               number("UnitVelocity_in_cm_per_s")},
                                     .time = number("Time"),
                                     .softening = number("Softening"),
                                     .components = read_components(file),
                                     .particles = {}},
                        .state = {},
                        .progress = file.number_attributes("/Progress"),
                        .options = file.text_attributes("/Options")};
  const auto n = file.rows<std::uint64_t>("/Particles/ParticleIDs");
  checkpoint.snapshot.particles.resize(n);
  for_each_array(checkpoint, [&](const std::string& name, auto& values) {
    values.resize(n);
    file.read("/" + name, std::span(values));
  });
  if (file.has("/State/FirstEnergy")) {
    checkpoint.state.first_energy.resize(n);
    file.read("/State/FirstEnergy", std::span(checkpoint.state.first_energy));
  }
  for_each_integer(checkpoint.state, [&]<class T>(const std::string& name, T& number) {
    std::int64_t stored = 0;
    file.read("/" + name, std::span(&stored, 1));
    number = static_cast<T>(stored);
  });
  checkpoint.state.numbers = file.number_attributes("/Clock/Numbers");
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

void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const Provenance& provenance, std::span<TableWriter* const> tables,
                      Newest newest) {
  const std::scoped_lock lock(hdf5::library());
  OutputFile file(checkpoint_path(folder), seal_bytes);
  file.guard([&] {
    write_provenance(file.id(), provenance);
    write(file.id(), checkpoint);
    for (TableWriter* table : tables) table->copy_to(file.id());
  });
  file.close();
  seal(file.partial(), file);
  const bool keep = newest == Newest::becomes_previous;
  file.commit(keep ? previous_checkpoint_path(folder) : std::filesystem::path());
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  check_seal(path);
  return read(InputFile(path));
}

std::string FoundCheckpoint::warning() const {
  return problem.empty() ? "" : problem + "; going on from " + path.string();
}

std::optional<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder) {
  const std::filesystem::path newest = checkpoint_path(folder),
                              previous = previous_checkpoint_path(folder);
  const bool has_newest = is_there(newest), has_previous = is_there(previous);
  std::string problem = newest.string() + ": is missing";
  if (has_newest) {
    try {
      return FoundCheckpoint{read_checkpoint(newest), newest, {}};
    } catch (const InputError& error) {
      if (!has_previous) throw;
      problem = error.what();
    }
  }
  if (!has_previous) return {};
  return FoundCheckpoint{read_checkpoint(previous), previous, problem};
}

}  // namespace gothic::files
