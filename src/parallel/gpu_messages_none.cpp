#include "parallel/gpu_messages.hpp"

namespace gothic::parallel {

std::unique_ptr<GpuMessages> make_gpu_messages(Communicator&, int) { return nullptr; }

}  // namespace gothic::parallel
