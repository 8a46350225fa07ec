#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <ostream>
#include <string>

namespace gothic::ic {

/// One line that shows how far a long task has got. Several threads may report to it.
class Progress {
 public:
  /// \param out the stream of a terminal
  /// \param what text before the percentage
  Progress(std::ostream& out, std::string what, std::size_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears the line.
  ~Progress();

  /// Adds `done` to the work done, and renews the line if it is older than half a second.
  void add(std::size_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::ostream& out_;
  std::string what_;
  std::size_t total_, done_ = 0;
  Clock::time_point next_;
  std::size_t width_ = 0;  // width of the line that is shown
  std::mutex adding_;
};

}  // namespace gothic::ic
