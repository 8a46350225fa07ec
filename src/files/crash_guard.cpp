#include "files/crash_guard.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace gothic::files {

const std::string* CrashGuard::innermost = nullptr;

CrashGuard::CrashGuard(const std::filesystem::path& file, long seconds)
    : message_(std::make_unique<const std::string>(
          std::string(program_invocation_short_name) + ": " + file.string() +
          ": input: is damaged, the HDF5 library failed to read it; write or copy it again\n")),
      stack_(std::size_t{1} << 16),
      outer_(std::exchange(innermost, message_.get())) {
  const stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
  ::sigaltstack(&stack, &earlier_stack_);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) {
    struct sigaction earlier {
    }, action{};
    ::sigaction(signal, nullptr, &earlier);
    if (earlier.sa_handler != SIG_DFL) continue;
    action.sa_handler = blame;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
    earlier_actions_.emplace_back(signal, earlier);
  }
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  has_timer_ = ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  const itimerspec limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_nsec = 0}};
  if (has_timer_) ::timer_settime(timer_, 0, &limit, nullptr);
}

CrashGuard::~CrashGuard() {
  if (has_timer_) ::timer_delete(timer_);
  for (const auto& [signal, earlier] : earlier_actions_) ::sigaction(signal, &earlier, nullptr);
  ::sigaltstack(&earlier_stack_, nullptr);
  innermost = outer_;
}

void CrashGuard::blame(int) {
  const bool written = ::write(STDERR_FILENO, innermost->data(), innermost->size()) > 0;
  ::_exit(written ? 2 : 3);
}

}  // namespace gothic::files
