#include <atomic>

#include "core/device/cpu/device.hpp"

struct Nothing {};

/// A race on purpose: two threads, both of which have begun, add to one number. The thread
/// sanitizer must end this program.
int main() {
  long sum = 0;
  std::atomic<int> begun = 0;
  gothic::cpu::Device(2).for_each_warp<Nothing>(2, [&](Nothing&, std::size_t) {
    ++begun;
    while (begun < 2) {
    }
    ++sum;
  });
  return sum < 0 ? 2 : 0;
}
