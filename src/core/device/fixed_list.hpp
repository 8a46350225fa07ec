#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"

namespace gothic {

/// The first `size` elements of an array that a warp owns, in its scratch. The warp's operations
/// may write whole registers behind the last element: the array needs so much more room.
template <class T>
class FixedList {
 public:
  FixedList() = default;
  GOTHIC_HD explicit FixedList(T* data) : data_(data) {}

  GOTHIC_HD std::uint32_t size() const { return size_; }
  GOTHIC_HD T* data() const { return data_; }
  GOTHIC_HD void clear() { size_ = 0; }
  GOTHIC_HD void resize(std::uint32_t size) { size_ = size; }

 private:
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
};

/// The elements that lie behind a scratch, in the memory that for_each_warp added to it.
template <class T, class Scratch>
GOTHIC_HD inline T* behind(Scratch& scratch) {
  static_assert(sizeof(Scratch) % alignof(T) == 0);
  return reinterpret_cast<T*>(&scratch + 1);
}

}  // namespace gothic
