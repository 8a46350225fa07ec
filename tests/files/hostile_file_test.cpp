#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

/// A good file that turns against its reader.
class HostileFile : public GoodFileTest {
 protected:
  /// Puts an empty dataset of `rows` positions, stored as `store` says, in place of those of type
  /// 1, which the header then counts.
  void replace_positions(hsize_t rows, const std::function<void(hid_t)>& store) const {
    const std::vector<double> counts{0, double(rows), 0, 0, 2, 0};
    set_attribute("/Header", "NumPart_ThisFile", std::span(counts));
    const hdf5::Handle in = open();
    const std::string name = "/PartType1/Coordinates";
    hdf5::check(H5Ldelete(in.id(), name.c_str(), H5P_DEFAULT), name);
    const hsize_t shape[2] = {rows, 3};
    const hdf5::Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose, name);
    const hdf5::Handle storage(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
    store(storage.id());
    const hdf5::Handle dataset(H5Dcreate2(in.id(), name.c_str(), H5T_NATIVE_FLOAT, space.id(),
                                          H5P_DEFAULT, storage.id(), H5P_DEFAULT),
                               H5Dclose, name);
  }
};

constexpr hsize_t very_many = hsize_t{1} << 40;

TEST_F(HostileFile, DeclaresMoreThanItHolds) {
  const hsize_t piece[2] = {1024, 3};
  replace_positions(very_many, [&](hid_t storage) { H5Pset_chunk(storage, 2, piece); });
  EXPECT_LT(std::filesystem::file_size(path_), 100'000U);
  expect_error(
      "/PartType1/Coordinates: declares 3298534883328 numbers, more than the file can hold; write "
      "or copy it again");
}

TEST_F(HostileFile, HasItsNumbersInAnotherFile) {
  replace_positions(2, [](hid_t storage) { H5Pset_external(storage, "other", 0, H5F_UNLIMITED); });
  expect_error("/PartType1/Coordinates: its numbers are in other files; join them into one");
}

TEST_F(HostileFile, CountsFractionsOfParticles) {
  const std::vector<double> counts{0, 1.5, 0, 0, 2, 0};
  set_attribute("/Header", "NumPart_ThisFile", std::span(counts));
  expect_error("/Header/NumPart_ThisFile: is no count for type 1; count the particles");
}

TEST_F(HostileFile, CountsMoreThanAnIntegerHolds) {
  for (const double number : {1e300, double(INFINITY), double(NAN)}) {
    const std::vector<double> counts{0, 2, 0, 0, number, 0};
    set_attribute("/Header", "NumPart_ThisFile", std::span(counts));
    expect_error("/Header/NumPart_ThisFile: is no count for type 4; count the particles");
  }
}

TEST_F(HostileFile, UnitsMakeGravityVanish) {
  set_attribute("/Header", "UnitMass_in_g", 1e-300);
  EXPECT_THROW(read_snapshot(path_), InputError);
  set_attribute("/Header", "UnitMass_in_g", 1e300);
  try {
    read_snapshot(path_);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("/Header/UnitMass_in_g: the units make the"),
              std::string::npos);
  }
}

TEST_F(HostileFile, IsAPipe) {
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  expect_error("input: is a device or a pipe; give the name of a file");
}

}  // namespace
}  // namespace gothic::files
