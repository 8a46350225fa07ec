#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace gothic::cpu {

/// Array of trivially copyable elements in the device's memory; the CPU's is the host's own.
/// Aligned to cache lines. New elements are not initialised.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { resize(size); }

  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

  /// Grows or shrinks; the elements that both sizes have are kept. Throws std::bad_alloc.
  void resize(std::size_t size) {
    if (size > capacity_) {
      if (size > most) throw std::bad_alloc();
      const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
      std::unique_ptr<T[], Free> data(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
      if (!data) throw std::bad_alloc();
      std::copy_n(data_.get(), size_, data.get());
      data_ = std::move(data);
      capacity_ = size;
    }
    size_ = size;
  }

  void swap(Buffer& other) noexcept {
    data_.swap(other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  /// Explicit copies between host and device; `source` must have size() elements.
  void upload(std::span<const T> source) { std::copy(source.begin(), source.end(), data()); }
  void download(std::span<T> target) const { std::copy_n(data(), target.size(), target.begin()); }

 private:
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t most = (SIZE_MAX - alignment) / sizeof(T);
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace gothic::cpu
