#include "core/device/host.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace gothic {
namespace {

/// The number of KiB behind "NAME:" in a file of /proc, in bytes.
std::size_t entry(const char* file, const std::string& name) {
  std::ifstream in(file);
  std::size_t kibibytes = 0;
  for (std::string word; in >> word;) {
    if (word == name + ":" && in >> kibibytes) return kibibytes * 1024;
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

int told_threads = 0;

}  // namespace

HostMemory host_memory() {
  return {entry("/proc/self/status", "VmHWM"), entry("/proc/meminfo", "MemAvailable")};
}

std::size_t machine_memory() { return entry("/proc/meminfo", "MemTotal"); }

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t value = line.find(": ");
    if (value != std::string::npos) return line.substr(value + 2);
  }
  return {};
}

HostName host_name() {
  HostName name{};
  gethostname(name.data(), name.size() - 1);
  return name;
}

int usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
  return int(std::max(1U, std::thread::hardware_concurrency()));
}

void use_host_threads(int threads) { told_threads = threads; }

int host_threads() {
  constexpr int most = 4096;
  if (told_threads > 0) return told_threads;
  const char* const wanted = std::getenv("OMP_NUM_THREADS");
  const long threads = wanted != nullptr ? std::strtol(wanted, nullptr, 10) : 0;
  return threads > 0 ? int(std::min<long>(threads, most)) : usable_cores();
}

}  // namespace gothic
