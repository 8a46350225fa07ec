#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "files/input_file.hpp"
#include "files/particle_file.hpp"

/// Files of the GADGET HDF5 format: of GOTHIC itself (files/snapshot.hpp), GADGET-2 to -4, AREPO,
/// SWIFT and others. /Header has numbers of particles, of any number of types, and MassTable. The
/// units are in /Header, /Units or /Parameters by GADGET's names, in /Units by SWIFT's names, or in
/// a file of parameters beside it (files/units_file.hpp).
///
/// Numbers may have any width; masses may come from MassTable or be DynamicalMasses. Where
/// Component is missing it becomes the type.
namespace gothic::files {

class GadgetHdf5 : public ParticleFile {
 public:
  explicit GadgetHdf5(std::filesystem::path path);

  void read(const Block& block, Particles& particles, PositionRounding& rounding,
            bool with_ids) const override;

 private:
  void read_masses(const InputFile& file, const Block& block, std::vector<float>& mass) const;
  void read_ids(const InputFile& file, const Block& block, std::vector<std::uint64_t>& ids) const;
  template <class Row>
  void read_numbers(
      const InputFile& file, const std::string& name, const Block& block, std::vector<Row>& rows,
      double factor,
      const std::function<void(std::span<typename DoubleOf<Row>::Type>)>& see = {}) const;

  std::filesystem::path path_;
};

}  // namespace gothic::files
