#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/device/cpu/defaults.hpp"
#include "core/device/cpu/memory.hpp"
#include "core/device/cpu/radix_sort.hpp"
#include "core/device/cpu/thread_team.hpp"
#include "core/device/cpu/warp.hpp"
#include "core/device/device_choice.hpp"
#include "core/device/device_identity.hpp"
#include "core/device/histogram.hpp"
#include "core/device/host.hpp"
#include "core/device/launch_sizes.hpp"
#include "core/device/work_counts.hpp"

namespace gothic::cpu {

namespace detail {

/// A warp's scratch with so many bytes behind it.
template <class Scratch>
class ScratchMemory {
 public:
  ScratchMemory(std::size_t behind, std::uint32_t warp)
      : memory_(::operator new(sizeof(Scratch) + behind, alignment)),
        scratch_(new (memory_.get()) Scratch{}) {
    if constexpr (NumbersWarps<Scratch>) scratch_->warp = warp;
  }
  ScratchMemory(const ScratchMemory&) = delete;
  ~ScratchMemory() { scratch_->~Scratch(); }

  Scratch& get() { return *scratch_; }

 private:
  static constexpr auto alignment = std::align_val_t(std::max<std::size_t>(64, alignof(Scratch)));
  struct Free {
    void operator()(void* memory) const { ::operator delete(memory, alignment); }
  };
  std::unique_ptr<void, Free> memory_;
  Scratch* scratch_;
};

}  // namespace detail

/// A number that was found; see device.hpp.
template <class T>
class Later {
 public:
  Later(T found) : found_(std::move(found)) {}
  const T& get() const { return found_; }

 private:
  T found_;
};

/// The CPU as a device: threads that share loops, vector registers as warps. See device.hpp.
class Device {
 public:
  template <class T>
  using Buffer = cpu::Buffer<T>;
  template <class T>
  using Later = cpu::Later<T>;
  using Warp = cpu::Warp;
  using Defaults = cpu::Defaults;
  static constexpr bool is_host = true;

  static int count() { return 0; }
  static std::string problem_with(int) { return {}; }

  explicit Device(const DeviceChoice& choice = {}, int = 0)
      : team_(std::make_unique<ThreadTeam>(choice.threads > 0 ? choice.threads : host_threads())) {}

  /// Another device on the same hardware.
  Device another() const { return Device({.threads = threads()}); }

  int threads() const { return team_->size(); }
  std::size_t warps() const { return std::size_t(threads()); }
  DeviceIdentity identity() const;
  std::size_t free_memory() const {
    return std::size_t(sysconf(_SC_AVPHYS_PAGES)) * std::size_t(sysconf(_SC_PAGESIZE));
  }

  template <class F>
  void for_each(std::size_t n, F f) const {
    work_counter.launch();
    const std::size_t all = parts(n);
    if (all == 1) return loop(f, 0, n);
    team_->for_each(all, [&](std::size_t part) { loop(f, n * part / all, n * (part + 1) / all); });
  }

  template <class F>
  void for_each_in_turn(std::span<const std::uint32_t> begin, F f) const {
    for (std::size_t k = begin.size() - 1; k-- > 0;) {
      const std::uint32_t own = begin[k];
      for_each(begin[k + 1] - own, [=](std::size_t i) { f(own + i); });
    }
  }

  template <class T, class F, class Combine>
  Later<T> start_reduce(std::size_t n, T identity, F f, Combine combine) const {
    return reduce(n, identity, f, combine);
  }
  template <class T, class F, class Combine>
  T reduce(std::size_t n, T identity, F f, Combine combine) const {
    work_counter.launch();
    work_counter.wait();
    std::vector<T> partial(chunks(n), identity);
    for_each_chunk(n, [&](std::size_t c, std::size_t first, std::size_t last) {
      T value = identity;
      for (std::size_t i = first; i < last; ++i) value = combine(value, f(i));
      partial[c] = value;
    });
    T result = identity;
    for (const T& value : partial) result = combine(result, value);
    return result;
  }

  template <class F>
  std::uint32_t exclusive_scan(std::size_t n, F f, std::uint32_t* out) const {
    work_counter.launch();
    work_counter.wait();
    const std::vector<std::uint32_t> offset =
        offsets_of_chunks(n, [&](std::size_t first, std::size_t last) {
          std::uint32_t sum = 0;
          for (std::size_t i = first; i < last; ++i) {
            out[i] = sum;
            sum += f(i);
          }
          return sum;
        });
    for_each_chunk(n, [&](std::size_t c, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) out[i] += offset[c];
    });
    out[n] = offset.back();
    return offset.back();
  }

  template <class Predicate>
  void select(std::size_t n, Predicate predicate, std::uint32_t* out) const {
    work_counter.launch();
    const std::vector<std::uint32_t> offset =
        offsets_of_chunks(n, [&](std::size_t first, std::size_t last) {
          std::uint32_t count = 0;
          for (std::size_t i = first; i < last; ++i) {
            if (predicate(std::uint32_t(i))) ++count;
          }
          return count;
        });
    for_each_chunk(n, [&](std::size_t c, std::size_t first, std::size_t last) {
      std::uint32_t* place = out + offset[c];
      for (std::size_t i = first; i < last; ++i) {
        if (predicate(std::uint32_t(i))) *place++ = std::uint32_t(i);
      }
    });
  }

  template <std::size_t bins, class Count = std::uint32_t, class F>
  std::array<Count, bins> histogram(std::size_t n, F f) const {
    work_counter.launch();
    work_counter.wait();
    using Counts = std::array<Count, bins>;
    std::vector<Counts> partial(parts(n));
    team_->for_each(partial.size(), [&](std::size_t part) {
      const std::size_t last = n * (part + 1) / partial.size();
      Counts own{};
      for (std::size_t i = n * part / partial.size(); i < last; ++i) {
        const auto one = f(i);
        own[std::size_t(bin_of(one))] += weight_of(one);
      }
      partial[part] = own;
    });
    Counts result{};
    for (const Counts& own : partial) {
      for (std::size_t bin = 0; bin < bins; ++bin) result[bin] += own[bin];
    }
    return result;
  }
  template <std::size_t bins, class Count = std::uint32_t, class F>
  Later<std::array<Count, bins>> start_histogram(std::size_t n, F f) const {
    return histogram<bins, Count>(n, f);
  }

  void sort_pairs(Buffer<std::uint64_t>& keys, Buffer<std::uint32_t>& values, int key_bits) {
    work_counter.launch();
    key_scratch_.resize(keys.size());
    value_scratch_.resize(values.size());
    const auto view = [](auto& buffer) { return std::span(buffer.data(), buffer.size()); };
    radix_sort_pairs(view(keys), view(values), view(key_scratch_), view(value_scratch_), key_bits,
                     *team_);
  }

  template <class Scratch, class F>
  void for_each_warp(std::size_t tasks, F f, std::size_t behind = 0) const {
    work_counter.launch();
    using Memory = detail::ScratchMemory<Scratch>;
    std::atomic<std::uint32_t> warp{0};
    team_->for_each_with<Memory>(
        tasks, [&] { return Memory(behind, warp++); },
        [&](Memory& scratch, std::size_t task) { f(scratch.get(), task); });
  }

  template <class Scratch, class F>
  void for_each_warp_adding(std::size_t tasks, F f, std::size_t behind = 0) const {
    AddedTasks added{};
    for (std::size_t done = 0, known = tasks; done < known; known = tasks + added.reserved) {
      for_each_warp<Scratch>(
          known - done, [&](Scratch& scratch, std::size_t task) { f(scratch, done + task, added); },
          behind);
      done = known;
    }
  }

  std::size_t scratch_limit() const { return SIZE_MAX; }
  BlockSizes block_sizes() const { return {}; }

  void synchronize() const {}
  std::size_t used_memory() const;

  /// See device.hpp.
  class Timer {
   public:
    explicit Timer(const Device&) {}
    void lap(double& seconds) {
      const Clock::time_point now = Clock::now();
      seconds += std::chrono::duration<double>(now - last_).count();
      last_ = now;
    }
    void skip() { last_ = Clock::now(); }
    double finish() const {
      work_counter.wait();
      return std::chrono::duration<double>(Clock::now() - start_).count();
    }

   private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now(), last_ = start_;
  };

 private:
  /// f(begin) ... f(end - 1). One function for every part of a loop, so that all round alike.
  template <class F>
  [[gnu::noinline]] static void loop(const F& f, std::size_t begin, std::size_t end) {
    const F own = f;  // in registers, though the loop may write anywhere
    for (std::size_t i = begin; i < end; ++i) own(i);
  }

  static constexpr std::size_t chunk = 4096;
  static constexpr std::size_t smallest_part = 2048, parts_per_thread = 4;

  /// Parts in which threads do n things whose order does not matter.
  std::size_t parts(std::size_t n) const {
    return std::min(n / smallest_part + 1, parts_per_thread * warps());
  }

  static std::size_t chunks(std::size_t n) { return (n + chunk - 1) / chunk; }

  /// f(c, first, last) for the c-th of the chunks [first, last) of n indices.
  template <class F>
  void for_each_chunk(std::size_t n, F f) const {
    team_->for_each(chunks(n),
                    [&](std::size_t c) { f(c, c * chunk, std::min(n, (c + 1) * chunk)); });
  }

  /// 0, sum(first chunk), sum(first chunk) + sum(second chunk), ...
  template <class Sum>
  std::vector<std::uint32_t> offsets_of_chunks(std::size_t n, Sum sum) const {
    std::vector<std::uint32_t> offset(chunks(n) + 1, 0);
    for_each_chunk(n, [&](std::size_t c, std::size_t first, std::size_t last) {
      offset[c + 1] = sum(first, last);
    });
    std::partial_sum(offset.begin(), offset.end(), offset.begin());
    return offset;
  }

  std::unique_ptr<ThreadTeam> team_;
  Buffer<std::uint64_t> key_scratch_;
  Buffer<std::uint32_t> value_scratch_;
};

}  // namespace gothic::cpu
