#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "core/device/cuda/check.cuh"

namespace gothic::cuda {

/// Array of trivially copyable elements in the memory of the current GPU. New elements are not
/// initialised. Copies come after all work that was given to the GPU before.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { resize(size); }

  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

  /// Grows or shrinks; the elements that both sizes have are kept. What grows again and again grows
  /// by half its size, so that it is seldom copied. Throws std::bad_alloc.
  void resize(std::size_t size) {
    if (size > capacity_) {
      if (size > most) throw OutOfMemory();
      const std::size_t capacity = std::max(size, capacity_ + capacity_ / 2);
      void* memory = nullptr;
      check(cudaMalloc(&memory, capacity * sizeof(T)), "allocate memory");
      std::unique_ptr<T[], Free> data(static_cast<T*>(memory));
      if (size_ > 0) {
        check(cudaMemcpy(data.get(), data_.get(), size_ * sizeof(T), cudaMemcpyDeviceToDevice),
              "copy memory");
      }
      data_.swap(data);
      capacity_ = capacity;
      check(cudaFree(data.release()), "free memory");
    }
    size_ = size;
  }

  void swap(Buffer& other) noexcept {
    data_.swap(other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  /// Explicit copies between host and device; `source` must have size() elements, and `target` not
  /// more.
  void upload(std::span<const T> source) {
    if (source.empty()) return;
    check(cudaMemcpy(data(), source.data(), source.size_bytes(), cudaMemcpyHostToDevice),
          "copy from the host");
  }
  void download(std::span<T> target) const {
    if (target.empty()) return;
    check(cudaMemcpy(target.data(), data(), target.size_bytes(), cudaMemcpyDeviceToHost),
          "copy to the host");
  }

 private:
  static constexpr std::size_t most = SIZE_MAX / 2 / sizeof(T);
  struct Free {
    /// A destructor cannot throw: an error here is that of a kernel before, which stays, so that
    /// the next call that is checked reports it.
    void operator()(T* p) const { cudaFree(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace gothic::cuda
