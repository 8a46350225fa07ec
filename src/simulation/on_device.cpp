#include "simulation/on_device.hpp"

#include "io/error.hpp"

namespace gothic {

namespace {

void check_device(const DeviceChoice& device) {
  if (device.name == "auto" || device.name == "cpu") return;
  if (device.name == "cuda" || device.name.starts_with("cuda:")) {
    throw InputError("--device " + device.name +
                     ": this program was built without CUDA; use --device cpu");
  }
  throw InputError("--device " + device.name + ": no such device; use auto or cpu");
}

}  // namespace

std::unique_ptr<Simulation> make_simulation(const DeviceChoice& device,
                                            const io::Snapshot& snapshot,
                                            const ForceOptions& force, const StepOptions& steps) {
  check_device(device);
  return simulation_on_cpu(device, snapshot, force, steps);
}

DirectResult direct_sum(const DeviceChoice& device, const io::Particles& particles,
                        std::span<const std::uint32_t> targets, double gravity, double softening,
                        Precision precision) {
  check_device(device);
  return direct_sum_on_cpu(device, particles, targets, gravity, softening, precision);
}

}  // namespace gothic
