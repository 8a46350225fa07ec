#include <atomic>

#include "core/device/cpu/device.hpp"

struct Nothing {};

/// A race on purpose: two threads, both of which have begun, add to one number. The thread
/// sanitizer must end this program. It misses some races, so there are many.
int main() {
  const gothic::cpu::Device device({.threads = 2});
  long sum = 0;
  for (int race = 0; race < 100; ++race) {
    std::atomic<int> begun = 0;
    device.for_each_warp<Nothing>(2, [&](Nothing&, std::size_t) {
      ++begun;
      while (begun < 2) {
      }
      ++sum;
    });
  }
  return sum < 0 ? 2 : 0;
}
