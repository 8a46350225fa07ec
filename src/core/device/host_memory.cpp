#include "core/device/host_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

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

}  // namespace

HostMemory host_memory() {
  return {entry("/proc/self/status", "VmHWM"), entry("/proc/meminfo", "MemAvailable")};
}

}  // namespace gothic
