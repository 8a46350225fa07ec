#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "files/hdf5.hpp"
#include "files/snapshot_reader.hpp"
#include "particles.hpp"

/// The input chooses how a snapshot is written: which objects are there, of what type, shape,
/// storage and content. The file is always valid for the HDF5 library, so that this tests the
/// reader.
namespace gothic::fuzz {
namespace {

using files::hdf5::Handle;

constexpr std::array<double, 16> odd_numbers{
    0, 1, -1, 0.5, 2, 1e-30, 1e30, 3.4e38, 1e39, 1e300, -1e39, 65536, 1e10, 1e19, NAN, INFINITY};

double number(Choices& choices) {
  const std::uint8_t choice = choices.byte();
  return choice < odd_numbers.size() ? odd_numbers[choice] : 0.1 * choice;
}

Handle string_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text");
  H5Tset_size(type.id(), size);
  return type;
}

/// A type to store numbers in: `usual`, unless the input wants another one.
Handle type_of(Choices& choices, hid_t usual) {
  const std::array<hid_t, 8> others{H5T_STD_I8BE,       H5T_STD_U16LE,  H5T_STD_I32BE,
                                    H5T_STD_U64BE,      H5T_IEEE_F32BE, H5T_IEEE_F64LE,
                                    H5T_NATIVE_LDOUBLE, H5T_STD_B16LE};
  if (!choices.once_in(4)) return {H5Tcopy(usual), H5Tclose, "type"};
  const std::size_t choice = choices.below(others.size() + 5);
  if (choice < others.size()) return {H5Tcopy(others[choice]), H5Tclose, "type"};
  switch (choice - others.size()) {
    case 0:
      return string_type(1 + choices.below(8));
    case 1:
      return string_type(H5T_VARIABLE);
    case 2: {
      Handle compound(H5Tcreate(H5T_COMPOUND, 8), H5Tclose, "type");
      H5Tinsert(compound.id(), "x", 0, H5T_NATIVE_FLOAT);
      return compound;
    }
    case 3: {
      const hsize_t three = 3;
      return {H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three), H5Tclose, "type"};
    }
    default: {  // half precision
      Handle half(H5Tcopy(H5T_IEEE_F32LE), H5Tclose, "type");
      H5Tset_fields(half.id(), 15, 10, 5, 0, 10);
      H5Tset_size(half.id(), 2);
      H5Tset_ebias(half.id(), 15);
      return half;
    }
  }
}

/// A shape: `usual`, unless the input wants another one.
Handle space_of(Choices& choices, std::vector<hsize_t> usual) {
  switch (choices.below(8)) {
    case 5:
      return {H5Screate(H5S_NULL), H5Sclose, "space"};
    case 6:
      usual.resize(choices.below(4), 1 + choices.below(5));
      break;
    case 7:
      if (!usual.empty()) usual[choices.below(usual.size())] = choices.below(5);
      break;
    default:
      break;
  }
  if (usual.empty()) return {H5Screate(H5S_SCALAR), H5Sclose, "space"};
  return {H5Screate_simple(int(usual.size()), usual.data(), nullptr), H5Sclose, "space"};
}

/// How a dataset is stored: in one piece, unless the input wants another way.
Handle storage_of(Choices& choices, hid_t space) {
  Handle storage(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "storage");
  const int rank = H5Sget_simple_extent_ndims(space);
  const std::vector<hsize_t> piece(std::size_t(std::max(rank, 1)), 1 + choices.below(4));
  switch (choices.below(8)) {
    case 4:
      H5Pset_layout(storage.id(), H5D_COMPACT);
      break;
    case 5:
      if (rank > 0) H5Pset_chunk(storage.id(), rank, piece.data());
      break;
    case 6:
      if (rank > 0) H5Pset_chunk(storage.id(), rank, piece.data());
      H5Pset_shuffle(storage.id());
      H5Pset_deflate(storage.id(), 4);
      break;
    case 7:
      H5Pset_external(storage.id(), (folder() / "numbers").c_str(), 0, H5F_UNLIMITED);
      break;
    default:
      break;
  }
  return storage;
}

/// Content, converted from odd numbers where that is possible.
std::vector<double> content(Choices& choices, hid_t space) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  std::vector<double> values(std::size_t(std::max<hssize_t>(count, 0)) + 1);
  const double first = number(choices), step = choices.once_in(3) ? 0 : 1;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + step * double(i);
  if (choices.once_in(4)) values[choices.below(values.size())] = number(choices);
  return values;
}

void put_dataset(Choices& choices, hid_t group, const std::string& name, hid_t usual_type,
                 const std::vector<hsize_t>& usual_shape) {
  if (choices.once_in(16)) return;
  if (choices.once_in(32)) {
    H5Lcreate_soft("/nowhere", group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    return;
  }
  if (choices.once_in(32)) {
    files::hdf5::open_or_create_group(group, name);
    return;
  }
  const Handle type = type_of(choices, usual_type), space = space_of(choices, usual_shape),
               storage = storage_of(choices, space.id());
  const hid_t made = H5Dcreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                storage.id(), H5P_DEFAULT);
  if (made < 0) return;
  const Handle dataset(made, H5Dclose, name);
  const bool text = H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
  const std::vector<double> values = content(choices, space.id());
  if (choices.once_in(8)) return;
  H5Dwrite(dataset.id(), text ? type.id() : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
           values.data());
}

void put_attribute(Choices& choices, hid_t group, const std::string& name,
                   const std::vector<double>& usual) {
  if (choices.once_in(16)) return;
  const Handle type = type_of(choices, usual.size() == 6 ? H5T_STD_U32LE : H5T_IEEE_F64LE);
  const Handle space = space_of(
      choices, usual.size() == 1 ? std::vector<hsize_t>{} : std::vector<hsize_t>{usual.size()});
  const hid_t made =
      H5Acreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT);
  if (made < 0) return;
  const Handle attribute(made, H5Aclose, name);
  std::vector<double> values = usual;
  values.resize(std::max<std::size_t>(
      1024, std::size_t(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.id()), 0))));
  if (choices.once_in(8)) values[choices.below(usual.size())] = number(choices);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_FLOAT || kind == H5T_INTEGER) {
    H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, values.data());
  }
}

void put_particles(Choices& choices, hid_t file, int kind, hsize_t count) {
  const Handle group = files::hdf5::open_or_create_group(file, "PartType" + std::to_string(kind));
  put_dataset(choices, group.id(), "Coordinates", H5T_IEEE_F32LE, {count, 3});
  put_dataset(choices, group.id(), "Velocities", H5T_IEEE_F32LE, {count, 3});
  put_dataset(choices, group.id(), "Masses", H5T_IEEE_F32LE, {count});
  put_dataset(choices, group.id(), "ParticleIDs", H5T_STD_U64LE, {count});
  if (choices.once_in(3)) {
    put_dataset(choices, group.id(), "Component", H5T_STD_I32LE, {count});
  }
}

void put_components(Choices& choices, hid_t file) {
  const Handle group = files::hdf5::open_or_create_group(file, "Components");
  const hsize_t count = choices.below(5);
  put_dataset(choices, group.id(), "Name", string_type(4).id(), {count});
  put_dataset(choices, group.id(), "Type", H5T_STD_I32LE, {count});
  put_dataset(choices, group.id(), "Softening", H5T_IEEE_F64LE, {count});
}

void put_header(Choices& choices, hid_t file, const std::vector<double>& counts) {
  const Handle header = files::hdf5::open_or_create_group(file, "Header");
  put_attribute(choices, header.id(), "NumPart_ThisFile", counts);
  put_attribute(choices, header.id(), "Time", {0});
  if (choices.once_in(4)) {
    put_attribute(choices, header.id(), "MassTable", {1, 1, 1, 1, 1, 1});
  }
  if (choices.once_in(4)) put_attribute(choices, header.id(), "NumFilesPerSnapshot", {1});
  if (choices.once_in(2)) put_attribute(choices, header.id(), "Softening", {0.1});
  if (choices.once_in(8)) put_attribute(choices, header.id(), "Redshift", {1});
  if (choices.once_in(4)) put_attribute(choices, header.id(), "HubbleParam", {0.7});
  if (choices.once_in(8)) put_attribute(choices, header.id(), "BoxSize", {10, 10, 10});
  const bool elsewhere = choices.once_in(8);
  const Handle units = files::hdf5::open_or_create_group(file, elsewhere ? "Units" : "Header");
  for (const char* name : {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"}) {
    put_attribute(choices, units.id(), name, {1});
  }
}

std::filesystem::path put_snapshot(Choices choices) {
  std::filesystem::path path = folder() / "s.h5";
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                    "file");
  std::vector<double> counts(6, 0);
  for (std::size_t kinds = 1 + choices.below(2); kinds > 0; --kinds) {
    counts[choices.below(6)] = double(1 + choices.below(4));
  }
  put_header(choices, file.id(), counts);
  for (int kind = 0; kind < 6; ++kind) {
    if (counts[std::size_t(kind)] > 0) {
      put_particles(choices, file.id(), kind, hsize_t(counts[std::size_t(kind)]));
    }
  }
  if (choices.once_in(3)) put_components(choices, file.id());
  return path;
}

}  // namespace
}  // namespace gothic::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  files::hdf5::silence();
  const std::filesystem::path path = fuzz::put_snapshot(fuzz::Choices({data, size}));
  fuzz::read_or_refuse([&] { fuzz::check_snapshot(files::read_snapshot(path)); });
  return 0;
}
