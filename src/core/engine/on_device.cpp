#include "core/engine/on_device.hpp"

#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "core/engine/set_up.hpp"
#include "files/error.hpp"

namespace gothic {

namespace {

#ifdef GOTHIC_WITH_CUDA
constexpr bool with_cuda = true;
#else
constexpr bool with_cuda = false;
#endif

/// Why GPU `number` cannot be used; empty if it can.
std::string problem_with_gpu([[maybe_unused]] int number) {
  if constexpr (with_cuda) {
    return problem_with_cuda(number);
  } else {
    return "cannot be used: this program was built without CUDA";
  }
}

/// The N of "cuda:N", and 0 for "cuda".
std::optional<int> gpu_number(std::string_view name) {
  constexpr std::string_view prefix = "cuda";
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  if (name.empty()) return 0;
  int number = 0;
  const auto end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + 1, end, number);
  const bool valid = name.front() == ':' && parsed.ec == std::errc() && parsed.ptr == end;
  return valid && number >= 0 ? std::optional(number) : std::nullopt;
}

/// The GPU that the choice means, or nothing if it means the CPU; `auto` means the first GPU where
/// there is one that can be used.
std::optional<int> chosen_gpu(const DeviceChoice& device) {
  if (device.name == "cpu") return {};
  if (device.name == "auto") {
    return problem_with_gpu(0).empty() ? std::optional(0) : std::nullopt;
  }
  const std::optional<int> number = gpu_number(device.name);
  if (!number) {
    throw InputError("--device " + device.name + ": no such device; use auto, cpu, cuda or cuda:N");
  }
  const std::string problem = problem_with_gpu(*number);
  if (!problem.empty()) {
    throw InputError("--device " + device.name + ": GPU " + std::to_string(*number) + " " +
                     problem + "; use --device cpu");
  }
  return number;
}

DirectResult direct_sum(const DeviceChoice& device, const DirectTask& task) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (with_cuda) return direct_sum_on_cuda(*gpu, device.blocks, task);
  }
  return direct_sum_on_cpu(device, task);
}

}  // namespace

std::unique_ptr<Simulation> make_simulation(const DeviceChoice& device,
                                            const files::Snapshot& snapshot,
                                            const ForceOptions& force, const StepOptions& steps,
                                            const files::SimulationState* state) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (with_cuda)
      return simulation_on_cuda(*gpu, device.blocks, snapshot, force, steps, state);
  }
  return simulation_on_cpu(device, snapshot, force, steps, state);
}

DirectResult direct_sum(const DeviceChoice& device, const files::Particles& particles,
                        std::span<const std::uint32_t> targets, double gravity, double softening,
                        Precision precision, const ExternalField& external) {
  const std::vector<Vec4> position = packed_positions(particles);
  return direct_sum(device, {position, std::uint32_t(particles.size()), targets, gravity, softening,
                             precision, external});
}

DirectResult direct_sum_at(const DeviceChoice& device, const files::Particles& particles,
                           std::span<const files::Vec3> points, double gravity, double softening,
                           Precision precision, const ExternalField& external) {
  const std::vector<Vec4> position = packed_positions(particles, points);
  std::vector<std::uint32_t> targets(points.size());
  std::iota(targets.begin(), targets.end(), std::uint32_t(particles.size()));
  return direct_sum(device, {position, std::uint32_t(particles.size()), targets, gravity, softening,
                             precision, external});
}

PointForces forces_at(const DeviceChoice& device, const files::Particles& particles,
                      std::span<const files::Vec3> points, const ForceOptions& force) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (with_cuda) {
      return forces_at_on_cuda(*gpu, device.blocks, particles, points, force);
    }
  }
  return forces_at_on_cpu(device, particles, points, force);
}

BenchResult bench(const DeviceChoice& device, const BenchTask& task) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (with_cuda) return bench_on_cuda(*gpu, device.blocks, task);
  }
  return bench_on_cpu(device, task);
}

}  // namespace gothic
