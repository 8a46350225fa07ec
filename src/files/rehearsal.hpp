#pragma once

#include <hdf5.h>

#include <cstdint>

namespace gothic::files {

/// Opens every group, dataset and attribute of an HDF5 file and reads the first row of datasets
/// that are stored in one piece, and all of the others. Errors are passed over.
/// \param bytes length of the file
void read_everything(hid_t file, std::uintmax_t bytes);

}  // namespace gothic::files
