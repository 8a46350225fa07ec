#include "core/device/cpu/device.hpp"

#include <cmath>
#include <string>

#include "core/device/host.hpp"

namespace gothic::cpu {

float mean_estimate(int power) {
  constexpr int samples = 1 << 14;
  double sum = 0;
  for (int i = 0; i < samples; ++i) {
    const float x = float(std::exp2(2.0 * (i + 0.5) / samples));
    const double ratio = double(rsqrt_estimate(Float(x))[0]) * std::sqrt(double(x));
    double product = 1;
    for (int k = 0; k < power; ++k) product *= ratio;
    sum += product;
  }
  return float(sum / samples);
}

DeviceIdentity Device::identity() const {
  const std::string name = processor_name();
  return {name.empty() ? "CPU" : name};
}

std::size_t Device::used_memory() const { return host_memory().peak; }

}  // namespace gothic::cpu
