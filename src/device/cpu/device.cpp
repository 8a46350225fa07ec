#include "device/cpu/device.hpp"

#include <fstream>

namespace gothic::cpu {

std::string Device::name() const {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      const std::size_t value = line.find(": ");
      if (value != std::string::npos) return line.substr(value + 2);
    }
  }
  return "CPU";
}

}  // namespace gothic::cpu
