#pragma once

#include <csignal>
#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gothic::files {

/// Guards the reading of a file. While a guard exists, a crash, or work of this thread that takes
/// too long, ends the program with exit status 2 and one line that names the file. Some damaged
/// files crash version 1.10 of the HDF5 library and others keep it busy forever; that cannot be
/// checked in advance.
///
/// Signals that have a handler already, of a sanitizer or Python's faulthandler, keep it.
class CrashGuard {
 public:
  /// \param seconds processor time that reading the file may take
  CrashGuard(const std::filesystem::path& file, long seconds);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  static void blame(int signal);
  static const CrashGuard* innermost;

  std::string message_;
  std::vector<char>
      stack_;  ///< of the signal handler, for damage that overflows that of the thread
  stack_t earlier_stack_{};
  std::vector<std::pair<int, struct sigaction>> earlier_actions_;
  timer_t timer_{};
  bool has_timer_ = false;
  const CrashGuard* outer_;
};

}  // namespace gothic::files
