#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "core/device/buffer.hpp"
#include "core/device/work_counts.hpp"

namespace gothic::cuda {

/// A call of the CUDA runtime failed, or a kernel did that was started before.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The GPU has not as much free memory as was asked for.
struct OutOfMemory : std::bad_alloc {
  const char* what() const noexcept override {
    return "the GPU has not enough free memory; use fewer particles, or the CPU";
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

/// The memory of the current GPU. Copies come after all work that was given to the GPU before.
struct Memory {
  using OutOfMemory = cuda::OutOfMemory;

  /// What grows again and again grows by half its size, so that it is seldom copied.
  static std::size_t capacity(std::size_t size, std::size_t before) {
    return std::max(size, before + before / 2);
  }
  static void* allocate(std::size_t bytes) {
    work_counter.allocate();
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "allocate memory");
    return memory;
  }
  /// A destructor cannot throw. An error here comes from an earlier kernel and stays, so that the
  /// next call that is checked reports it.
  static void free(void* memory) { cudaFree(memory); }
  /// Copies between the host and the GPU, or within either.
  static void copy(void* to, const void* from, std::size_t bytes) {
    work_counter.copy(bytes);
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy memory");
  }
};

template <class T>
using Buffer = BasicBuffer<T, Memory>;

/// Memory of the host that the GPU writes to by itself.
struct PinnedMemory : Memory {
  static void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "allocate memory of the host");
    return memory;
  }
  static void free(void* memory) { cudaFreeHost(memory); }
};

}  // namespace gothic::cuda
