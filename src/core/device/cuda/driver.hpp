#pragma once

#include <string>

/// What the driver tells of a GPU and the CUDA runtime does not: NVML, the library of nvidia-smi.
namespace gothic::cuda {

struct DriverFacts {
  std::string version;     ///< such as "580.65.06"; empty if it is unknown
  double power_limit = 0;  ///< W that the GPU may take; 0 if it is unknown
};

/// The facts of a GPU. They take the driver longer than a small force, so another thread finds them
/// from begin_driver_facts() on.
/// \param bus_id of the GPU, as cudaDeviceGetPCIBusId tells
DriverFacts driver_facts(const std::string& bus_id);
void begin_driver_facts(const std::string& bus_id);

}  // namespace gothic::cuda
