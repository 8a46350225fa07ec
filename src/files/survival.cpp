#include "files/survival.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>

namespace gothic::files {
namespace {

/// Lets this process die of what it does, soon and without a word, and with its parent, but of
/// nothing else: those who stop a group of processes would make a file look damaged.
void prepare_to_die(rlim_t seconds, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) {
    std::signal(number, SIG_DFL);
  }
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) std::signal(number, SIG_IGN);
  const rlimit no_core{0, 0}, processor{seconds, seconds};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_CPU, &processor);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

}  // namespace

bool survives(std::uint64_t seconds, const std::function<void()>& work) {
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return true;
  if (child == 0) {
    prepare_to_die(seconds, parent);
    try {
      work();
    } catch (const std::exception&) {
      ::_exit(0);
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return true;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace gothic::files
