#include "files/gadget_binary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "files/comoving.hpp"
#include "files/units_file.hpp"

namespace gothic::files {
namespace {

constexpr std::uint32_t header_bytes = 256, name_bytes = 8, most_header_bytes = 1024;
constexpr std::size_t marker_bytes = sizeof(std::uint32_t);

// Names of blocks in format 2, in the order of format 1.
const std::string position_name = "POS ", velocity_name = "VEL ", id_name = "ID  ",
                  mass_name = "MASS";

/// Whether the file begins with a marker, in this machine's byte order or the other one.
std::optional<bool> begins_with(BinaryInput& in, std::uint32_t marker) {
  if (!in.has(0, marker_bytes)) return {};
  for (const bool reversed : {false, true}) {
    in.set_reversed(reversed);
    if (in.number<std::uint32_t>(0) == marker) return reversed;
  }
  return {};
}

/// The place after a block of `length` bytes that begins at `at`; nothing if its markers, which
/// have 32 bits, do not tell this length.
std::optional<std::size_t> end_of(BinaryInput& in, std::size_t at, std::uint64_t length) {
  const auto marker = static_cast<std::uint32_t>(length);
  const std::size_t end = at + marker_bytes + length;
  if (!in.has(at, marker_bytes) || in.number<std::uint32_t>(at) != marker) return {};
  if (!in.has(end, marker_bytes) || in.number<std::uint32_t>(end) != marker) return {};
  return end + marker_bytes;
}

std::size_t columns_of_block(const std::string& name) {
  return name == position_name || name == velocity_name ? 3 : 1;
}

template <class Row>
void take(const BinaryInput& in, const std::vector<char>& bytes, std::size_t width,
          std::span<Row> rows) {
  auto* const to = reinterpret_cast<double*>(rows.data());
  const std::size_t count = bytes.size() / width;
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = width == sizeof(float) ? double{in.number_at<float>(bytes, i * width)}
                                   : in.number_at<double>(bytes, i * width);
  }
}

}  // namespace

bool GadgetBinary::is_one(const std::filesystem::path& path) {
  BinaryInput in(path);
  if (begins_with(in, header_bytes) || begins_with(in, name_bytes)) return true;
  for (const bool reversed : {false, true}) {  // GADGET-4 has headers of other lengths
    in.set_reversed(reversed);
    const std::uint32_t marker = in.has(0, marker_bytes) ? in.number<std::uint32_t>(0) : 0;
    if (marker > 0 && marker < most_header_bytes && end_of(in, 0, marker)) return true;
  }
  return false;
}

GadgetBinary::GadgetBinary(const std::filesystem::path& path) : path_(path) {
  BinaryInput in(path);
  std::optional<bool> reversed = begins_with(in, header_bytes);
  has_names_ = !reversed;
  if (has_names_) reversed = begins_with(in, name_bytes);
  reversed_ = reversed.value_or(false);
  in.set_reversed(reversed_);
  const std::size_t header = has_names_ ? 2 * marker_bytes + name_bytes : 0;
  const auto end = end_of(in, header, header_bytes);
  if (!end) {
    in.fail("HEAD",
            "has no header of 256 bytes; write it again, with GADGET-4 as HDF5 or with the option "
            "GADGET2_HEADER");
  }
  read_header(in, header + marker_bytes);
  if (rows_of(position_name) > 0) find_columns(in, *end);
}

void GadgetBinary::read_header(BinaryInput& in, std::size_t at) {
  facts_.counts_field = "npart";
  for (std::size_t type = 0; type < types; ++type) {
    facts_.counts.push_back(in.number<std::uint32_t>(at + 4 * type));
    mass_table_[type] = in.number<double>(at + 24 + 8 * type);
    const auto low = in.number<std::uint32_t>(at + 96 + 4 * type),
               high = in.number<std::uint32_t>(at + 168 + 4 * type);
    facts_.counts_of_all.push_back(std::ldexp(high, 32) + low);
  }
  const auto time = in.number<double>(at + 72);
  if (!std::isfinite(time)) in.fail("time", "is not finite; correct it");
  redshift_ = in.number<double>(at + 80);
  const auto files = in.number<std::int32_t>(at + 124);
  if (files < 0) in.fail("num_files", "is negative; count the files");
  facts_.files = std::size_t(std::max(files, 1));
  facts_.box = {in.number<double>(at + 128), "BoxSize"};
  omega_matter_ = in.number<double>(at + 136);
  omega_lambda_ = in.number<double>(at + 144);
  little_h_ = in.number<double>(at + 152);
  facts_.gas = {double(facts_.counts[0]), "npart"};
  set_units_and_conversion(in, time);
}

void GadgetBinary::set_units_and_conversion(const BinaryInput& in, double time) {
  const Parameters parameters = Parameters::beside(path_);
  if (const std::string note = parameters.note(path_); !note.empty()) facts_.notes.push_back(note);
  const std::optional<Units> units = parameters.units();
  facts_.units = units.value_or(Units{
      .length_in_cm = kiloparsec, .mass_in_g = 1e10 * solar_mass, .velocity_in_cm_per_s = 1e5});
  if (!units) {
    facts_.notes.push_back(fmt::format(
        "has no units; kpc, 1e10 solar masses and km/s are taken, others may be written into {}",
        units_path(path_).filename().string()));
  }
  const std::string place = in.path().string() + ": ";
  const FindNumber find = [&](const std::string& name) -> std::optional<Stated> {
    if (const auto number = parameters.number(name)) {
      return Stated{*number, parameters.file().string() + ": " + name};
    }
    for (const auto& [known, value] : {std::pair("Redshift", redshift_),
                                       {"Omega0", omega_matter_},
                                       {"OmegaLambda", omega_lambda_},
                                       {"HubbleParam", little_h_}}) {
      if (name == known) return Stated{value, place + name};
    }
    return {};
  };
  convert_gadget(facts_, find, time, place);
  const std::optional<Stated> periodic = find("PeriodicBoundariesOn");
  if (periodic && periodic->value == 0) facts_.box = {};
}

GadgetBinary::Column* GadgetBinary::column_of(const std::string& name) {
  if (name == position_name) return &position_;
  if (name == velocity_name) return &velocity_;
  if (name == id_name) return &id_;
  return name == mass_name ? &mass_ : nullptr;
}

/// Number of particles in a block: only those whose mass the header does not tell have one.
std::size_t GadgetBinary::rows_of(const std::string& name) const {
  std::size_t rows = 0;
  for (std::size_t type = 0; type < types; ++type) {
    if (name != mass_name || mass_table_[type] == 0) rows += facts_.counts[type];
  }
  return rows;
}

/// Notes where the block that begins at `at` has its numbers; returns the place after it.
std::size_t GadgetBinary::take_block(BinaryInput& in, const std::string& name, std::size_t at) {
  const std::uint64_t numbers = rows_of(name) * columns_of_block(name);
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{8}}) {
    const auto end = end_of(in, at, numbers * bytes);
    if (!end) continue;
    Column& column = *column_of(name);
    column.at = at + marker_bytes;
    column.bytes = bytes;
    std::size_t row = 0;
    for (std::size_t type = 0; type < types; ++type) {
      column.first_of[type] = row;
      if (name != mass_name || mass_table_[type] == 0) row += facts_.counts[type];
    }
    return *end;
  }
  in.fail(name, fmt::format("is no block of {} or {} bytes, as the particles in the header take; "
                            "write or copy the file again",
                            4 * numbers, 8 * numbers));
}

void GadgetBinary::find_columns(BinaryInput& in, std::size_t first) {
  std::size_t at = first;
  const bool has_masses = rows_of(mass_name) > 0;
  if (!has_names_) {
    for (const std::string& name : {position_name, velocity_name, id_name}) {
      at = take_block(in, name, at);
    }
    if (has_masses) take_block(in, mass_name, at);
    return;
  }
  while (at < in.bytes()) {
    if (!end_of(in, at, name_bytes)) {
      in.fail("input", "has no name before a block; write or copy it again");
    }
    const std::vector<char> bytes = in.read(at + marker_bytes, 4);
    const std::string name(bytes.begin(), bytes.end());
    at += name_bytes + 2 * marker_bytes;
    if (column_of(name)) {
      at = take_block(in, name, at);
    } else {
      const auto end = end_of(in, at, in.number<std::uint32_t>(at));
      if (!end) in.fail(name, "is no whole block; write or copy the file again");
      at = *end;
    }
  }
  for (const auto& [name, needed] :
       {std::pair(position_name, true), {velocity_name, true}, {mass_name, has_masses}}) {
    if (needed && column_of(name)->at == 0) in.fail(name, "the block is missing; add it");
  }
  facts_.has_ids = id_.at != 0;
}

template <class Row>
void GadgetBinary::read_column(BinaryInput& in, const Column& column, const Block& block,
                               std::vector<Row>& rows, double factor,
                               PositionRounding* rounding) const {
  using Double = typename DoubleOf<Row>::Type;
  const std::size_t width = (std::is_same_v<Row, Vec3> ? 3 : 1) * column.bytes;
  const std::size_t start = column.first_of[block.type] + block.first_in_file;
  read_scaled(block.of(rows), factor, [&](std::size_t first, std::span<Double> piece) {
    const std::vector<char> bytes =
        in.read(column.at + (start + first) * width, piece.size() * width);
    take(in, bytes, column.bytes, piece);
    if constexpr (std::is_same_v<Row, Vec3>) {
      if (rounding && column.bytes > sizeof(float)) rounding->add(piece);
    }
  });
}

void GadgetBinary::read(const Block& block, Particles& particles, PositionRounding& rounding,
                        bool with_ids) const {
  BinaryInput in(path_);
  in.set_reversed(reversed_);
  const Factors& factors = facts_.factors;
  read_column(in, position_, block, particles.position, factors.length, &rounding);
  read_column(in, velocity_, block, particles.velocity, factors.velocity, nullptr);
  if (const double common = mass_table_[block.type]; common != 0) {
    std::ranges::fill(block.of(particles.mass), to_single(common * factors.mass));
  } else {
    read_column(in, mass_, block, particles.mass, factors.mass, nullptr);
  }
  std::ranges::fill(block.of(particles.component), static_cast<std::int32_t>(block.type));
  if (with_ids) read_ids(in, block, particles.id);
}

void GadgetBinary::read_ids(BinaryInput& in, const Block& block,
                            std::vector<std::uint64_t>& ids) const {
  if (id_.at == 0) in.fail(id_name, "the block is missing though other files have it; add it");
  const std::vector<char> bytes =
      in.read(id_.at + (id_.first_of[block.type] + block.first_in_file) * id_.bytes,
              block.count * id_.bytes);
  const std::span<std::uint64_t> to = block.of(ids);
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = id_.bytes == sizeof(std::uint32_t) ? in.number_at<std::uint32_t>(bytes, i * id_.bytes)
                                               : in.number_at<std::uint64_t>(bytes, i * id_.bytes);
  }
}

}  // namespace gothic::files
