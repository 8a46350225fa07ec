#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "core/messages/communicator.hpp"

namespace gothic::parallel {

/// The processes that mpirun or srun has started together, each a rank of one simulation.
class World {
 public:
  /// Joins the other processes. A process that was started alone needs no MPI.
  /// \throws InputError if there are other processes and no way to reach them
  World();
  /// Leaves the others. All ranks must get there.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// A single rank if this process is alone.
  Communicator& ranks();

  /// Number of this rank among the ranks on this machine.
  int local_rank() const;

  /// Lets messages go from GPU to GPU through NCCL, where each rank has a GPU of its own and this
  /// build has NCCL. All ranks must call it.
  /// \param gpu the GPU of this rank, as the CUDA runtime counts GPUs; -1 for none
  void use_gpu(int gpu);

  /// Waits until all ranks have called this.
  /// \returns the lowest rank that has words; nothing if a rank has not called after the time
  std::optional<int> first_to_tell(bool has_words, std::chrono::milliseconds wait);

  /// Ends all ranks at once.
  [[noreturn]] void abort(int status);

 private:
  struct Members;
  std::unique_ptr<Members> members_;  ///< null if this process is alone
};

/// Number of processes according to the launcher's environment variables; 1 without a launcher.
int launched_processes();

}  // namespace gothic::parallel
