#include "core/device/cpu/device.hpp"

/// A race on purpose: threads add to one number. The thread sanitizer must end this program.
int main() {
  long sum = 0;
  const gothic::cpu::Device device(2);
  device.for_each(std::size_t{1} << 20, [&](std::size_t i) { sum += long(i); });
  return sum < 0 ? 2 : 0;
}
