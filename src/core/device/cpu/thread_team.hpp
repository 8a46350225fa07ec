#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace gothic::cpu {

/// Threads that share the tasks of one loop after another.
///
/// A loop never waits for a thread that has not begun to work on it: the threads that are there do
/// all tasks. Waiting threads spin for a moment and then sleep. So programs that share the cores
/// slow each other down by their number and not by more. A task must not begin a loop of the same
/// team.
class ThreadTeam {
 public:
  /// \param size number of threads, at least 1, the calling one included
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return int(shares_.size()); }

  /// Calls f(task) once for task = 0 ... tasks - 1 and returns when all calls have. Each thread
  /// begins with its own share, so that it meets the same data in loop after loop.
  /// \throws what a call has thrown; some tasks are then left out
  template <class F>
  void for_each(std::size_t tasks, const F& f) {
    for_each_with<None>(
        tasks, [] { return None(); }, [&](None&, std::size_t task) { f(task); });
  }

  /// The same with f(own, task), where `own` is what make_own() returned to the thread.
  template <class Own, class MakeOwn, class F>
  void for_each_with(std::size_t tasks, const MakeOwn& make_own, const F& f) {
    const auto work = [&](int thread) {
      Own own = make_own();
      for (int k = 0; k < size(); ++k) {
        Share& share = shares_[std::size_t((thread + k) % size())];
        for (std::size_t task; (task = share.next.fetch_add(1)) < share.end;) f(own, task);
      }
    };
    for (std::size_t t = 0; t < shares_.size(); ++t) {
      shares_[t].next = tasks * t / shares_.size();
      shares_[t].end = tasks * (t + 1) / shares_.size();
    }
    run(tasks <= 1 || size() == 1, call<decltype(work)>, &work);
  }

 private:
  struct None {};
  using Work = void (*)(const void* context, int thread);

  /// Tasks [next, end) that nobody has begun.
  struct alignas(64) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };

  template <class F>
  static void call(const void* function, int thread) {
    (*static_cast<const F*>(function))(thread);
  }

  /// Does the work in the calling thread, alone or with the others. There is one call for both, so
  /// that a loop is compiled once and rounds alike with any number of threads.
  void run(bool alone, Work work, const void* context);
  void do_work(int thread) noexcept;
  void serve(int thread);

  std::vector<Share> shares_;
  Work work_ = nullptr;
  const void* context_ = nullptr;
  std::exception_ptr failure_;
  std::mutex failing_;
  /// Counts openings and closings of loops: odd while one is open. Threads that wait for the next
  /// loop sleep on it.
  alignas(64) std::atomic<std::uint32_t> turn_ = 0;
  /// Threads beside the caller that are, or look whether they may be, in the loop.
  alignas(64) std::atomic<std::uint32_t> inside_ = 0;
  std::atomic<bool> ending_ = false;
  std::vector<std::jthread> helpers_;
};

}  // namespace gothic::cpu
