#include "files/machine.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>

#include "core/device/host.hpp"

namespace gothic::files {
namespace {

/// The name of the operating system; empty where it does not tell.
std::string system_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::erase(line, '"');
    return line.substr(line.find('=') + 1);
  }
  return {};
}

}  // namespace

std::string host_facts() {
  std::string result;
  const auto add = [&](const char* name, std::string value) {
    if (value.empty()) return;
    std::ranges::replace(value, ',', ' ');
    result += (result.empty() ? "" : ", ") + std::string(name) + '=' + value;
  };
  add("node", host_name().data());
  const std::string system = system_name();
  utsname kernel{};
  uname(&kernel);
  add("system", system + (system.empty() ? "" : " on ") + "Linux " + kernel.release);
  add("cpu", processor_name());
  add("cores", std::to_string(usable_cores()));
  if (const std::size_t memory = machine_memory(); memory > 0) {
    add("memory", fmt::format("{:.3g} GiB", double(memory) / (1 << 30)));
  }
  return result;
}

}  // namespace gothic::files
