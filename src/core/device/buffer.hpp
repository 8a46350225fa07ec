#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace gothic {

/// Array of trivially copyable elements in a device's memory, of which data() is a device pointer.
/// New elements are not initialised.
///
/// \tparam Memory how a device allocates, frees and copies bytes, how much room an array gets that
///         grows, and what it throws where there is not enough memory
template <class T, class Memory>
class BasicBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  BasicBuffer() = default;
  explicit BasicBuffer(std::size_t size) { resize(size); }

  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

  /// Grows or shrinks; the elements that both sizes have are kept. Throws std::bad_alloc.
  void resize(std::size_t size) {
    if (size > capacity_) {
      constexpr std::size_t most = SIZE_MAX / 2 / sizeof(T);
      if (size > most) throw typename Memory::OutOfMemory();
      const std::size_t capacity = Memory::capacity(size, capacity_);
      std::unique_ptr<T[], Free> data(static_cast<T*>(Memory::allocate(capacity * sizeof(T))));
      copy(data.get(), data_.get(), size_);
      data_ = std::move(data);
      capacity_ = capacity;
    }
    size_ = size;
  }

  void swap(BasicBuffer& other) noexcept {
    data_.swap(other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  /// Copies size() elements from the host.
  void upload(std::span<const T> source) { copy(data(), source.data(), source.size()); }
  /// Copies as many elements to the host as there is room for, at most size().
  void download(std::span<T> target) const { copy(target.data(), data(), target.size()); }
  /// A copy on the host.
  std::vector<T> downloaded() const { return downloaded(0, size_); }
  /// A copy of some elements on the host.
  std::vector<T> downloaded(std::size_t first, std::size_t count) const {
    std::vector<T> host(count);
    copy(host.data(), data() + first, count);
    return host;
  }

 private:
  static void copy(T* to, const T* from, std::size_t count) {
    if (count > 0) Memory::copy(to, from, count * sizeof(T));
  }

  struct Free {
    void operator()(T* p) const { Memory::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace gothic
