#include <cstdlib>
#include <string>

#include "core/messages/one_rank.hpp"
#include "files/error.hpp"
#include "parallel/world.hpp"

/// World in a build without MPI.
namespace gothic::parallel {

struct World::Members {};

World::World() {
  const int processes = launched_processes();
  if (processes <= 1) return;
  throw InputError("was started as one of " + std::to_string(processes) +
                   " processes, but this build has no MPI; install Open MPI and build again, or "
                   "start one process");
}
World::~World() = default;

Communicator& World::ranks() { return one_rank(); }
int World::local_rank() const { return 0; }
void World::use_gpu(int) {}
std::optional<int> World::first_to_tell(bool, std::chrono::milliseconds) { return 0; }
void World::abort(int status) { std::exit(status); }

}  // namespace gothic::parallel
