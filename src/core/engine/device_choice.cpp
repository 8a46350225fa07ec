#include "core/engine/device_choice.hpp"

#include <charconv>
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

}  // namespace gothic
