#include "files/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace gothic::files {
namespace {

/// The rest of the first line of a file that begins so; empty if there is none. Blanks and quotes
/// around it are left out.
std::string value_in(const char* path, std::string_view beginning) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(beginning)) continue;
    constexpr const char* around = " \t\":=";
    const std::size_t first = line.find_first_not_of(around, beginning.size());
    if (first == std::string::npos) return {};
    return line.substr(first, line.find_last_not_of(around) + 1 - first);
  }
  return {};
}

int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

/// "24 GiB" of the memory in kB.
std::string in_gib(const std::string& memory) {
  std::istringstream words(memory);
  double kib = 0;
  if (!(words >> kib)) return {};
  std::ostringstream text;
  text.precision(3);
  text << kib / (1 << 20) << " GiB";
  return text.str();
}

}  // namespace

std::string host_facts() {
  std::string result;
  const auto add = [&](const char* name, std::string value) {
    if (value.empty()) return;
    std::ranges::replace(value, ',', ' ');
    result += (result.empty() ? "" : ", ") + std::string(name) + '=' + value;
  };
  utsname kernel{};
  if (uname(&kernel) == 0) add("node", kernel.nodename);
  const std::string system = value_in("/etc/os-release", "PRETTY_NAME");
  add("system", system + (system.empty() ? "" : " on ") + "Linux " + kernel.release);
  add("cpu", value_in("/proc/cpuinfo", "model name"));
  if (const int cores = usable_cores(); cores > 0) add("cores", std::to_string(cores));
  add("memory", in_gib(value_in("/proc/meminfo", "MemTotal")));
  return result;
}

}  // namespace gothic::files
