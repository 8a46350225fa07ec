#pragma once

#include <future>
#include <string>
#include <string_view>
#include <tuple>

#include "core/device/device_choice.hpp"

/// The one list of devices. Code outside the devices' folders names none of them: it is a template,
/// and with_device() calls the instance that a device's compiler has made (own_device.hpp).
namespace gothic {

namespace cpu {
class Device;
}
namespace cuda {
class Device;
}

/// A kind of device.
template <class D, bool has>
struct DeviceKind {
  using Device = D;
  static constexpr bool is_built = has;  ///< whether this program has it
  std::string_view word;                 ///< that asks for it on the command line
  std::string_view name;                 ///< as messages write it
};

/// All kinds, in the order in which `auto` tries them.
inline constexpr std::tuple all_devices{
    DeviceKind<cuda::Device, GOTHIC_WITH_CUDA>{"cuda", "CUDA"},
    DeviceKind<cpu::Device, true>{"cpu", "CPU"},
};

namespace detail {
template <template <class> class T, class Kinds>
struct OfEach;
template <template <class> class T, class... Kind>
struct OfEach<T, const std::tuple<Kind...>> {
  using type = std::tuple<T<typename Kind::Device>...>;
};
}  // namespace detail

/// A T<Device> for each kind.
template <template <class> class T>
using OfEachDevice = typename detail::OfEach<T, decltype(all_devices)>::type;

/// f(kind) for each kind of device that this program has.
template <class F>
void for_each_device(F f) {
  const auto call = [&]<class Kind>(const Kind& kind) {
    if constexpr (Kind::is_built) f(kind);
  };
  std::apply([&](const auto&... kind) { (call(kind), ...); }, all_devices);
}

/// What is known of a kind of device before one is made. The host is one device; others are
/// numbered.
struct DeviceFacts {
  bool is_host;
  int (*count)();  ///< numbered devices that there are
  /// Why the device with this number cannot be used, as the end of a sentence; empty if it can.
  std::string (*problem_with)(int number);
};

/// Compiled for each device.
template <class Device>
DeviceFacts device_facts();

/// A device that can be used.
struct FoundDevice {
  std::string_view word;  ///< of its kind
  bool is_host;
  int number;
};

/// The device that a name means.
/// \throws SettingError if there is no such device or it cannot be used
FoundDevice find_device(const std::string& name);

/// Starts the device that a name means in another thread, so that it is ready sooner; who has the
/// future waits for it at the latest. What is wrong with the device find_device() tells.
std::future<void> start_device(const std::string& name);

/// The name with a number where any device of a kind will do: ranks take the devices in turn.
std::string device_in_turn(const std::string& name, int turn);

/// Whether a name means the host, as far as can be told without using another device.
bool means_host(const std::string& name);

/// Returns `f.operator()<Device>(number)` for the device of a choice.
/// \throws SettingError as find_device
template <class F>
auto with_device(const DeviceChoice& choice, F f) {
  const FoundDevice found = find_device(choice.name);
  decltype(f.template operator()<cpu::Device>(0)) result{};
  for_each_device([&]<class Kind>(const Kind& kind) {
    if (kind.word == found.word) {
      result = f.template operator()<typename Kind::Device>(found.number);
    }
  });
  return result;
}

}  // namespace gothic
