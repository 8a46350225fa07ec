#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/device/host.hpp"

/// Work that threads of the host share, outside any device.
namespace gothic {

/// Divides [0, count) into pieces [first, last) of `piece` elements and calls f(first, last) for
/// each from `threads` threads at most. The pieces do not depend on the number of threads. An
/// exception of f is thrown again once all threads have ended.
template <class F>
void for_pieces(std::size_t count, std::size_t piece, unsigned threads, F&& f) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      for (std::size_t first; (first = next.fetch_add(piece)) < count;) {
        f(first, std::min(first + piece, count));
      }
    } catch (...) {
      const std::scoped_lock lock(failing);
      failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads && i * piece < count; ++i) helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

/// Pieces of the functions below. Fewer elements are one thread's.
inline constexpr std::size_t host_piece = std::size_t(1) << 16;

/// of(first, last) of pieces of [0, count), combined in their order. The result does not depend on
/// the number of threads.
template <class T, class Of, class Combine>
T combined_over_pieces(std::size_t count, T identity, Of of, Combine combine) {
  static_assert(!std::same_as<T, bool>, "threads cannot write to elements of vector<bool>");
  std::vector<T> found((count + host_piece - 1) / host_piece, identity);
  for_pieces(count, host_piece, unsigned(host_threads()), [&](std::size_t first, std::size_t last) {
    found[first / host_piece] = of(first, last);
  });
  for (const T& one : found) identity = combine(std::move(identity), one);
  return identity;
}

/// The first of 0, 1, ... count - 1 for which this holds; count if it holds for none.
template <class Predicate>
std::size_t first_where(std::size_t count, Predicate holds) {
  const auto first_in = [&](std::size_t first, std::size_t last) {
    while (first < last && !holds(first)) ++first;
    return first < last ? first : count;
  };
  return combined_over_pieces(count, count, first_in,
                              [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

}  // namespace gothic
