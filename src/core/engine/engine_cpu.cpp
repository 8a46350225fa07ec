#include "core/device/cpu/device.hpp"
#include "core/engine/engine_on.hpp"

namespace gothic {

std::unique_ptr<Engine> make_cpu_engine(int threads, Communicator& ranks) {
  return std::make_unique<EngineOn<cpu::Device>>(cpu::Device(threads), ranks);
}

}  // namespace gothic
