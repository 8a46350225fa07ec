#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gothic::ic {

/// Divides [0, count) into pieces [first, last) of `piece` elements and calls f(first, last) for
/// each from `threads` threads. The pieces do not depend on the number of threads. An exception of
/// f is thrown again once all threads have ended.
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
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gothic::ic
