#include "core/engine/engine.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "core/setting_error.hpp"

namespace gothic {
namespace {

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

}  // namespace

#ifndef GOTHIC_WITH_CUDA
int gpu_count() { return 0; }
std::string problem_with_gpu(int) { return "cannot be used: this program was built without CUDA"; }
#endif

std::optional<int> chosen_gpu(const DeviceChoice& device) {
  if (device.name == "cpu") return {};
  if (device.name == "auto") {
    return problem_with_gpu(0).empty() ? std::optional(0) : std::nullopt;
  }
  const std::optional<int> number = gpu_number(device.name);
  if (!number) {
    throw SettingError("device", "no such device; use auto, cpu, cuda or cuda:N", device.name);
  }
  const std::string problem = problem_with_gpu(*number);
  if (!problem.empty()) {
    throw SettingError("device",
                       "GPU " + std::to_string(*number) + " " + problem + "; use {device} cpu",
                       device.name);
  }
  return number;
}

std::unique_ptr<Engine> make_engine(const DeviceChoice& device, Communicator& ranks) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (built_with_cuda) return make_cuda_engine(*gpu, device.blocks, ranks);
  }
  return make_cpu_engine(device.threads, ranks);
}

std::vector<std::uint32_t> spread_targets(const Particles& particles, std::uint32_t count) {
  const std::size_t n = particles.size();
  std::vector<std::uint32_t> by_id(n);
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::sort(by_id.begin(), by_id.end(),
            [&](auto a, auto b) { return particles.id[a] < particles.id[b]; });
  if (count == 0 || count >= n) return by_id;
  std::vector<std::uint32_t> targets(count);
  for (std::size_t k = 0; k < count; ++k) targets[k] = by_id[k * n / count];
  return targets;
}

}  // namespace gothic
