#include "core/observers/particle_observers.hpp"

#include "core/device/cpu/device.hpp"
#include "core/observers/device_observers.hpp"

namespace gothic {

const std::vector<Observer>& particle_observers() {
  static const std::vector<Observer> all = [] {
    const auto& of_cpu = device_observers<cpu::Device>();  // which every build has
    return std::vector<Observer>(of_cpu.begin(), of_cpu.end());
  }();
  return all;
}

}  // namespace gothic
