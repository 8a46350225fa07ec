#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/device/buffer.hpp"
#include "core/device/work_counts.hpp"

namespace gothic::cpu {

/// The CPU's memory, which is the host's own. Arrays are aligned to cache lines.
struct Memory {
  using OutOfMemory = std::bad_alloc;

  /// What grows again, as arrays of a rank do, grows by an eighth, so that it is seldom copied.
  static std::size_t capacity(std::size_t size, std::size_t before) {
    return std::max(size, before + before / 8);
  }
  static void* allocate(std::size_t bytes) {
    work_counter.allocate();
    constexpr std::size_t alignment = 64;
    void* const memory =
        std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw OutOfMemory();
    return memory;
  }
  static void free(void* memory) { std::free(memory); }
  static void copy(void* to, const void* from, std::size_t bytes) {
    work_counter.copy(bytes);
    std::memcpy(to, from, bytes);
  }
};

template <class T>
using Buffer = BasicBuffer<T, Memory>;

}  // namespace gothic::cpu
