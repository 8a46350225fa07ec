#include "core/device/all_devices.hpp"
#include "core/device/own_device.hpp"

namespace gothic {

template <class Device>
DeviceFacts device_facts() {
  return {Device::is_host, Device::count, Device::problem_with};
}

template DeviceFacts device_facts<OwnDevice>();

}  // namespace gothic
