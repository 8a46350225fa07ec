#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "files/binary_input.hpp"
#include "files/particle_file.hpp"

/// Binary files of GADGET-1 and -2 (Springel 2005, user guide, section 6), which GADGET-3 and -4
/// write as well (SnapFormat 1 and 2, GADGET-4 with GADGET2_HEADER). Blocks between markers of
/// their length in bytes follow one another: a header of 256 bytes, positions, velocities, IDs,
/// masses. In format 2 each block has its name before it, and the order is free. Numbers have 4 or
/// 8 bytes, in either byte order.
///
/// The units are those of the file of parameters beside it (files/units_file.hpp), otherwise kpc,
/// 1e10 solar masses and km/s, which a note tells.
namespace gothic::files {

class GadgetBinary : public ParticleFile {
 public:
  explicit GadgetBinary(const std::filesystem::path& path);

  /// Whether a file begins as one of this format does.
  static bool is_one(const std::filesystem::path& path);

  void read(const Block& block, Particles& particles, PositionRounding& rounding,
            bool with_ids) const override;

  static constexpr std::size_t types = 6;

 private:
  /// Numbers of all particles of some types.
  struct Column {
    std::size_t at = 0;     ///< place of the first number; 0 if there is no such block
    std::size_t bytes = 0;  ///< of a number
    std::array<std::size_t, types> first_of{};  ///< row of the first particle of each type
  };

  void read_header(BinaryInput& in, std::size_t at);
  void find_columns(BinaryInput& in, std::size_t first);
  void set_units_and_conversion(const BinaryInput& in, double time);
  std::size_t take_block(BinaryInput& in, const std::string& name, std::size_t at);
  Column* column_of(const std::string& name);
  std::size_t rows_of(const std::string& name) const;
  template <class Row>
  void read_column(BinaryInput& in, const Column& column, const Block& block,
                   std::vector<Row>& rows, double factor, PositionRounding* rounding) const;
  void read_ids(BinaryInput& in, const Block& block, std::vector<std::uint64_t>& ids) const;

  std::filesystem::path path_;
  bool reversed_ = false, has_names_ = false;
  std::array<double, types> mass_table_{};
  double redshift_ = 0, omega_matter_ = 0, omega_lambda_ = 0, little_h_ = 0;
  Column position_, velocity_, id_, mass_;
};

}  // namespace gothic::files
