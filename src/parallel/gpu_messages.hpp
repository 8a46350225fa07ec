#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/messages/communicator.hpp"

namespace gothic::parallel {

/// Messages from GPU to GPU.
class GpuMessages {
 public:
  virtual ~GpuMessages() = default;
  /// Passes messages as Communicator::exchange does; they have arrived for all later work on the
  /// default stream.
  virtual void pass(std::span<const Message> sent, std::span<const Message> received) = 0;
};

/// Null where this build has no NCCL, or where some rank has no GPU or shares one. All ranks must
/// call it.
/// \param gpu the GPU of this rank, as the CUDA runtime counts GPUs; -1 for none
std::unique_ptr<GpuMessages> make_gpu_messages(Communicator& ranks, int gpu);

}  // namespace gothic::parallel
