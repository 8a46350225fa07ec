#include "parallel/rank_device.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>

#include "core/device/all_devices.hpp"
#include "core/device/host.hpp"

namespace gothic::parallel {
namespace {

bool in_environment(const char* name) { return std::getenv(name) != nullptr; }

/// The cores that a rank may use.
struct Cores {
  HostName machine{};
  cpu_set_t set{};

  bool operator==(const Cores& other) const {
    return machine == other.machine && CPU_EQUAL(&set, &other.set);
  }
};

Cores own_cores() {
  Cores cores{.machine = host_name()};
  sched_getaffinity(0, sizeof(cores.set), &cores.set);
  return cores;
}

/// Undoes a binding: Open MPI by default binds each of two ranks to one core, which suits only
/// programs without threads.
void undo_default_binding() {
  const bool is_bound = in_environment("OMPI_MCA_orte_bound_at_launch");
  const bool as_asked = in_environment("OMPI_MCA_hwloc_base_binding_policy") ||
                        in_environment("OMPI_MCA_rmaps_base_mapping_policy");
  if (!is_bound || as_asked) return;
  cpu_set_t all;
  std::fill_n(reinterpret_cast<unsigned char*>(&all), sizeof(all), 0xff);
  sched_setaffinity(0, sizeof(all), &all);  // the system leaves out cores that are not allowed
}

/// Number of cores that this rank may use, over the number of ranks that may use the same cores.
int cores_of_rank(Communicator& ranks) {
  undo_default_binding();
  const Cores own = own_cores();
  const int sharing = std::max(1, int(std::ranges::count(gathered(ranks, own), own)));
  return std::max(1, CPU_COUNT(&own.set) / sharing);
}

}  // namespace

DeviceChoice rank_device(DeviceChoice asked, World& world) {
  if (world.ranks().size() == 1) return asked;
  if (asked.threads == 0 && !in_environment("OMP_NUM_THREADS")) {
    asked.threads = cores_of_rank(world.ranks());
  }
  asked.name = device_in_turn(asked.name, world.local_rank());
  const FoundDevice found = find_device(asked.name);
  world.use_gpu(found.is_host ? -1 : found.number);
  return asked;
}

std::future<void> start_own_device(const DeviceChoice& asked, World& world) {
  return world.ranks().size() == 1 ? start_device(asked.name) : std::future<void>();
}

}  // namespace gothic::parallel
