#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <stdexcept>
#include <string>

namespace gothic::cuda {

/// A call of the CUDA runtime failed, or a kernel did that was started before.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The GPU has not as much free memory as was asked for.
struct OutOfMemory : std::bad_alloc {
  const char* what() const noexcept override {
    return "the GPU has not enough free memory; use fewer particles, or --device cpu";
  }
};

/// Throws if `status` is an error. Every call of the CUDA runtime goes through here.
/// \param action what failed, to complete "the GPU could not ..."
inline void check(cudaError_t status, const char* action) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // or the next launch would seem to have failed
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory();
  throw Error(std::string("the GPU could not ") + action + ": " + cudaGetErrorString(status));
}

}  // namespace gothic::cuda
