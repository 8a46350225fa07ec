#include "files/checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>

#include "core/device/host_pieces.hpp"
#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace gothic::files {
namespace {

/// The start of the file, before HDF5's part: this line, the checksum and the length of the rest.
constexpr std::size_t seal_bytes = 512;
constexpr std::string_view kind = "GOTHIC checkpoint ";
constexpr char format = '5';

/// Shows whether a file is whole.
struct Seal {
  std::uint32_t checksum = 0;  ///< CRC-32 of all that follows the seal
  std::uint64_t bytes = 0;     ///< length of what follows the seal

  bool operator==(const Seal&) const = default;

  std::string text() const {
    std::string text = fmt::format("{}{}\ncrc32 {}\nbytes {}\n", kind, format, checksum, bytes);
    text.resize(seal_bytes, '\0');
    return text;
  }
};

/// The seal that fits bytes [first, last) behind a file's seal, as far as there are any.
Seal seal_of(const std::filesystem::path& path, std::size_t first, std::size_t last) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(std::streamoff(seal_bytes + first));
  std::vector<char> bytes(last - first);
  in.read(bytes.data(), std::streamsize(bytes.size()));
  const auto size = std::uint64_t(std::max<std::streamsize>(in.gcount(), 0));
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return {std::uint32_t(crc32(0, data, uInt(size))), size};
}

/// The seal that fits the file's content.
Seal seal_of(const std::filesystem::path& path) {
  constexpr std::size_t piece = std::size_t(1) << 22;
  std::error_code none;
  const std::size_t all = std::filesystem::file_size(path, none);
  const std::size_t content = none || all < seal_bytes ? 0 : all - seal_bytes;
  std::vector<Seal> seals((content + piece - 1) / piece);
  for_pieces(content, piece, unsigned(host_threads()), [&](std::size_t first, std::size_t last) {
    seals[first / piece] = seal_of(path, first, last);
  });
  Seal whole;
  for (const Seal& one : seals) {
    const auto length = z_off_t(one.bytes);
    whole.checksum = std::uint32_t(crc32_combine(whole.checksum, one.checksum, length));
    whole.bytes += one.bytes;
  }
  return whole;
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

/// Datasets with the numbers of particles of each rank: of the input, and of its domain.
constexpr const char *of_input = "/Ranks/Input", *of_domains = "/Ranks/Domain";

/// Calls use(name, number) for every integer of the state.
template <class State, class Use>
void for_each_integer(State& state, Use use) {
  use("Clock/Now", state.now);
  use("Clock/End", state.end);
  use("Clock/HighestLevel", state.top);
  use("Clock/Step", state.step);
  use("Clock/Synchronised", state.synchronised);
}

/// Writes everything but the arrays.
void write_header(hid_t file, const Checkpoint& checkpoint) {
  const Snapshot& snapshot = checkpoint.snapshot;
  const SimulationState& state = checkpoint.state;
  write_attributes(file, "Particles", attributes_of(snapshot.units));
  write_attributes(file, "Particles", {{"Time", snapshot.time}, {"Softening", snapshot.softening}});
  write_components(file, snapshot.components);
  for (const char* const group : {"State", "Ranks"}) hdf5::open_or_create_group(file, group);
  write_attributes(file, "Clock", {});
  write_attributes(file, "Clock/Numbers", Attributes(state.numbers.begin(), state.numbers.end()));
  write_attributes(file, "Progress",
                   Attributes(checkpoint.progress.begin(), checkpoint.progress.end()));
  for_each_integer(state, [&](const char* name, std::int64_t number) {
    hdf5::write_dataset(file, name, std::vector{number});
  });
}

/// Reads everything but the arrays.
Checkpoint read_header(const InputFile& file) {
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
  for_each_integer(checkpoint.state, [&]<class T>(const std::string& name, T& number) {
    std::int64_t stored = 0;
    file.read("/" + name, std::span(&stored, 1));
    number = static_cast<T>(stored);
  });
  checkpoint.state.numbers = file.number_attributes("/Clock/Numbers");
  return checkpoint;
}

/// Datasets of the state that are no fields of the particles.
const std::set<std::string> no_fields = {"Key", "OpenedCells", "OpenedCounts"};

/// No values yet, of the kind that a dataset has.
FieldValues empty_values(const InputFile& file, const std::string& field) {
  const NumberKind kind = file.kind(field);
  if (kind == NumberKind{true, 4, 4}) return std::vector<Vec4>();
  if (kind == NumberKind{true, 8, 1}) return std::vector<double>();
  if (kind == NumberKind{true, 4, 1}) return std::vector<float>();
  if (kind == NumberKind{false, 4, 1}) return std::vector<std::uint32_t>();
  if (kind == NumberKind{false, 1, 1}) return std::vector<std::uint8_t>();
  file.fail(field, "holds numbers of a kind that no field of a run has");
}

/// The fields of the particles in a file, without their values.
std::vector<StoredField> fields_of(const InputFile& file) {
  std::vector<StoredField> fields;
  for (const std::string& name : file.names("/State")) {
    if (!no_fields.contains(name)) fields.push_back({name, empty_values(file, "/State/" + name)});
  }
  return fields;
}

/// Rows of a dataset that belong to one rank.
struct Rows {
  std::size_t first, count, all;
};

/// The rows that the rank wrote or, if another number of ranks wrote the dataset, an equal part of
/// all rows.
/// \param stored [ranks that wrote] numbers of rows
Rows rows_of(std::span<const std::uint64_t> stored, const Rank& own) {
  const auto before = [&](std::size_t rank) {
    return std::accumulate(stored.begin(), stored.begin() + std::ptrdiff_t(rank), std::size_t(0));
  };
  const std::size_t all = before(stored.size());
  if (stored.size() == own.size) return {before(own.number), stored[own.number], all};
  const std::size_t first = all * own.number / own.size, end = all * (own.number + 1) / own.size;
  return {first, end - first, all};
}

/// [ranks] How many of its cells other ranks may open.
std::vector<std::uint64_t> opened_of_ranks(const InputFile& file, std::size_t ranks) {
  std::vector<std::uint64_t> sums(ranks);
  if (!file.has("/State/OpenedCounts")) return sums;
  const auto counts = file.all<std::uint64_t>("/State/OpenedCounts");
  if (counts.size() != ranks * ranks) {
    file.fail("/State/OpenedCounts", "needs a number for each pair of ranks");
  }
  for (std::size_t k = 0; k < counts.size(); ++k) sums[k / ranks] += counts[k];
  return sums;
}

Checkpoint read(const InputFile& file, const Rank& own) {
  Checkpoint checkpoint = read_header(file);
  const auto inputs = file.all<std::uint64_t>(of_input),
             domains = file.all<std::uint64_t>(of_domains);
  if (inputs.empty() || inputs.size() != domains.size()) {
    file.fail(of_domains, "needs a number for each rank");
  }
  const std::size_t ranks = inputs.size();
  const std::vector<std::uint64_t> for_each_rank(ranks, ranks);
  const Rows input = rows_of(inputs, own);
  const std::map<Distribution, Rows> rows_of_rank = {
      {Distribution::input, input},
      {Distribution::domain, rows_of(domains, own)},
      {Distribution::opened, rows_of(opened_of_ranks(file, ranks), own)},
      {Distribution::ranks, rows_of(for_each_rank, own)}};
  checkpoint.state.fields = fields_of(file);
  for_each_array(checkpoint, [&](const std::string& name, Distribution distribution, auto& values) {
    const bool is_of_these_ranks =
        distribution == Distribution::opened || distribution == Distribution::ranks;
    if (is_of_these_ranks && (ranks != own.size || !file.has("/" + name))) return;
    const Rows& rows = rows_of_rank.at(distribution);
    values.resize(rows.count);
    file.read("/" + name, rows.all, rows.first, std::span(values));
  });
  checkpoint.snapshot.particles.resize(input.count);
  checkpoint.state.input = input.count;
  return checkpoint;
}

/// Whether there is a file, or a link, which may lead to one. Throws InputError for anything else.
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

std::vector<std::uint64_t> array_lengths(const Checkpoint& checkpoint) {
  std::vector<std::uint64_t> lengths;
  for_each_array(checkpoint, [&](const std::string&, Distribution, const auto& values) {
    lengths.push_back(values.size());
  });
  return lengths;
}

CheckpointWriter::CheckpointWriter(std::filesystem::path folder, const Checkpoint& about,
                                   std::span<const std::uint64_t> lengths,
                                   const Provenance& provenance)
    : folder_(std::move(folder)) {
  const hdf5::Lock lock;
  file_.emplace(checkpoint_path(folder_), seal_bytes);
  file_->guard([&] {
    write_provenance(file_->id(), provenance);
    write_header(file_->id(), about);
    for_each_array(about, [&](const std::string& name, Distribution, const auto& values) {
      const std::uint64_t rows = lengths[arrays_.size()];
      using Row = typename std::decay_t<decltype(values)>::value_type;
      arrays_.emplace_back();
      if (rows == 0) return;
      arrays_.back().dataset = hdf5::create_dataset(file_->id(), name, hdf5::native_type<Row>(),
                                                    rows, hdf5::columns_of<Row>);
    });
  });
}

CheckpointWriter::~CheckpointWriter() {
  const hdf5::Lock lock;
  arrays_.clear();
  file_.reset();
}

void CheckpointWriter::add(const Checkpoint& part) {
  const hdf5::Lock lock;
  file_->guard([&] {
    auto array = arrays_.begin();
    for_each_array(part, [&](const std::string&, Distribution, const auto& values) {
      auto& [dataset, rows] = *array++;
      if (values.empty()) return;
      using Row = typename std::decay_t<decltype(values)>::value_type;
      hdf5::write_rows(dataset.id(), hdf5::native_type<Row>(), rows, values.size(), values.data());
      rows += values.size();
    });
  });
  inputs_.push_back(part.snapshot.particles.id.size());
  domains_.push_back(part.state.keys.size());
}

void CheckpointWriter::commit(std::span<TableWriter* const> tables, Newest newest) {
  const hdf5::Lock lock;
  arrays_.clear();
  file_->guard([&] {
    hdf5::write_dataset(file_->id(), of_input, inputs_);
    hdf5::write_dataset(file_->id(), of_domains, domains_);
    for (TableWriter* table : tables) table->copy_to(file_->id());
  });
  file_->close();
  seal(file_->partial(), *file_);
  const bool keep = newest == Newest::becomes_previous;
  file_->commit(keep ? previous_checkpoint_path(folder_) : std::filesystem::path());
}

void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const Provenance& provenance, std::span<TableWriter* const> tables,
                      Newest newest) {
  CheckpointWriter writer(folder, checkpoint, array_lengths(checkpoint), provenance);
  writer.add(checkpoint);
  writer.commit(tables, newest);
}

Checkpoint read_checkpoint(const std::filesystem::path& path, const Rank& own) {
  check_seal(path);
  return read_part_of_checkpoint(path, own);
}

Checkpoint read_part_of_checkpoint(const std::filesystem::path& path, const Rank& own) {
  return read(InputFile(path), own);
}

std::string FoundCheckpoint::warning() const {
  return problem.empty() ? "" : problem + "; going on from " + path.string();
}

std::optional<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder,
                                               const ReadCheckpoint& read) {
  const std::filesystem::path newest = checkpoint_path(folder),
                              previous = previous_checkpoint_path(folder);
  const bool has_newest = is_there(newest), has_previous = is_there(previous);
  std::string problem = newest.string() + ": is missing";
  if (has_newest) {
    try {
      return FoundCheckpoint{read(newest), newest, {}};
    } catch (const InputError& error) {
      if (!has_previous) throw;
      problem = error.what();
    }
  }
  if (!has_previous) return {};
  return FoundCheckpoint{read(previous), previous, problem};
}

}  // namespace gothic::files
