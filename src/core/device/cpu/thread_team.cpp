#include "core/device/cpu/thread_team.hpp"

#include <algorithm>
#include <chrono>

namespace gothic::cpu {

namespace {

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `changed` returns true, at most for a moment. Returns whether it did.
template <class Changed>
bool spin_until(const Changed& changed) {
  constexpr auto moment = std::chrono::microseconds(50);
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 16; ++i) {
      if (changed()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() - start < moment);
  return changed();
}

}  // namespace

ThreadTeam::ThreadTeam(int size) : shares_(std::size_t(size)) {
  for (int thread = 1; thread < size; ++thread) {
    helpers_.emplace_back([this, thread] { serve(thread); });
  }
}

ThreadTeam::~ThreadTeam() {
  ending_ = true;
  ++turn_;
  turn_.notify_all();
}

void ThreadTeam::run(bool alone, Work work, const void* context) {
  if (alone) return work(context, 0);
  work_ = work;
  context_ = context;
  failure_ = nullptr;
  ++turn_;
  turn_.notify_all();
  do_work(0);
  ++turn_;
  const auto all_left = [this] { return inside_ == 0; };
  while (!spin_until(all_left)) {
    const std::uint32_t number = inside_;
    if (number > 0) inside_.wait(number);
  }
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadTeam::do_work(int thread) noexcept {
  try {
    work_(context_, thread);
  } catch (...) {
    for (Share& share : shares_) share.next = share.end;
    const std::scoped_lock lock(failing_);
    failure_ = std::current_exception();
  }
}

void ThreadTeam::serve(int thread) {
  std::uint32_t turn = 0, last = 0;  // what was read; the loop that this thread had a part in
  while (true) {
    const auto begun = [&] {
      turn = turn_;
      return turn % 2 == 1 && turn != last;
    };
    if (!spin_until(begun)) turn_.wait(turn);
    if (ending_) return;
    ++inside_;
    if (begun() && !ending_) {
      last = turn;
      do_work(thread);
    }
    if (--inside_ == 0) inside_.notify_one();
  }
}

}  // namespace gothic::cpu
