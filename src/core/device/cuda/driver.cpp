#include "core/device/cuda/driver.hpp"

#include <dlfcn.h>

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace gothic::cuda {
namespace {

/// NVML comes with the driver, not with the toolkit, so that programs find it when they run. All
/// its functions return 0 when they succeed.
class ManagementLibrary {
 public:
  /// Calls a function of the library; returns whether it was there and succeeded.
  template <class... Parameters>
  bool call(const char* name, Parameters... parameters) const {
    if (!library_) return false;
    const auto function = reinterpret_cast<int (*)(Parameters...)>(dlsym(library_.get(), name));
    return function != nullptr && function(parameters...) == 0;
  }

 private:
  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };
  std::unique_ptr<void, Close> library_{dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)};
};

DriverFacts find_facts(const std::string& bus_id) {
  DriverFacts facts;
  const ManagementLibrary nvml;
  if (!nvml.call("nvmlInit_v2")) return facts;
  char version[96] = {};
  if (nvml.call("nvmlSystemGetDriverVersion", &version[0], unsigned(sizeof version))) {
    facts.version = version;
  }
  void* gpu = nullptr;
  unsigned milliwatts = 0;
  if (nvml.call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.c_str(), &gpu) &&
      nvml.call("nvmlDeviceGetEnforcedPowerLimit", gpu, &milliwatts)) {
    facts.power_limit = 1e-3 * milliwatts;
  }
  nvml.call("nvmlShutdown");
  return facts;
}

/// The facts of a GPU that somebody has asked for, which are found once.
std::shared_future<DriverFacts> facts_of(const std::string& bus_id) {
  static std::mutex asking;
  static std::map<std::string, std::shared_future<DriverFacts>> known;
  const std::scoped_lock lock(asking);
  std::shared_future<DriverFacts>& facts = known[bus_id];
  if (!facts.valid()) facts = std::async(std::launch::async, find_facts, bus_id).share();
  return facts;
}

}  // namespace

void begin_driver_facts(const std::string& bus_id) { facts_of(bus_id); }

DriverFacts driver_facts(const std::string& bus_id) { return facts_of(bus_id).get(); }

}  // namespace gothic::cuda
