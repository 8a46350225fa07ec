#include "core/observers/particle_observers.hpp"

#include "core/device/cpu/device.hpp"
#include "core/observers/device_observers.hpp"

namespace gothic {

const std::vector<Observer>& particle_observers() {
  static const std::vector<Observer> all = [] {
    const auto& of_cpu = device_observers<cpu::Device>();  // which every build has
    std::vector<Observer> both(of_cpu.begin(), of_cpu.end());
    const auto& of_states = state_observers<cpu::Device>();
    both.insert(both.end(), of_states.begin(), of_states.end());
    return both;
  }();
  return all;
}

}  // namespace gothic
