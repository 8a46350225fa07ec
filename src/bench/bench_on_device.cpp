#include "bench/bench_on.hpp"
#include "core/device/own_device.hpp"

namespace gothic {

template BenchResult bench_on<OwnDevice>(const DeviceChoice&, int, const BenchTask&);

}  // namespace gothic
