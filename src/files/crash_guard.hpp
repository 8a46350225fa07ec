#pragma once

#include <csignal>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gothic::files {

/// Guards the reading of a file. While a guard exists, a crash, or work of this thread that takes
/// too long, ends the program with exit status 2 and one line that names the file. Some damaged
/// files crash version 1.10 of the HDF5 library, and others keep it busy forever; no check can tell
/// this in advance.
///
/// A signal that already has a handler, from a sanitizer or from Python's faulthandler, keeps it.
class CrashGuard {
 public:
  /// \param seconds processor time that reading the file may take
  CrashGuard(const std::filesystem::path& file, long seconds);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  static void blame(int signal);
  static const std::string* innermost;  ///< message of the guard that was made last

  std::unique_ptr<const std::string> message_;  ///< not on the stack, which damage may overwrite
  std::vector<char> stack_;  ///< the signal handler's stack: damage may overflow the thread's
  stack_t earlier_stack_{};
  std::vector<std::pair<int, struct sigaction>> earlier_actions_;
  timer_t timer_{};
  bool has_timer_ = false;
  const std::string* outer_;  ///< message of the guard around this one
};

}  // namespace gothic::files
