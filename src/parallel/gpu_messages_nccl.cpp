#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <tuple>

#include "core/device/host.hpp"
#include "parallel/gpu_messages.hpp"

namespace gothic::parallel {
namespace {

void check(ncclResult_t result, ncclComm_t ranks) {
  if (result == ncclSuccess) return;
  throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(result) + ": " +
                           ncclGetLastError(ranks));
}

void check(cudaError_t result) {
  if (result != cudaSuccess) {
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(result));
  }
}

class NcclMessages final : public GpuMessages {
 public:
  NcclMessages(int rank, int size, const ncclUniqueId& id) {
    check(ncclCommInitRank(&ranks_, size, id, rank), nullptr);
  }
  ~NcclMessages() override { ncclCommDestroy(ranks_); }
  NcclMessages(const NcclMessages&) = delete;
  NcclMessages& operator=(const NcclMessages&) = delete;

  void pass(std::span<const Message> sent, std::span<const Message> received) override {
    check(ncclGroupStart(), ranks_);
    for (const Message& message : sent) {
      check(ncclSend(message.data, message.bytes, ncclChar, message.rank, ranks_, stream), ranks_);
    }
    for (const Message& message : received) {
      check(ncclRecv(message.data, message.bytes, ncclChar, message.rank, ranks_, stream), ranks_);
    }
    check(ncclGroupEnd(), ranks_);
    check(cudaStreamSynchronize(stream));
  }

 private:
  static constexpr cudaStream_t stream = nullptr;  ///< the default stream
  ncclComm_t ranks_ = nullptr;
};

/// The GPU of a rank, and its machine.
struct Place {
  HostName machine{};
  std::array<char, 32> bus{};  ///< empty if the rank has no GPU

  bool has_none() const { return bus.front() == '\0'; }
  auto gpu() const { return std::tie(machine, bus); }
};

Place place_of(int gpu) {
  Place place{.machine = host_name()};
  if (gpu < 0) return place;
  check(cudaSetDevice(gpu));
  check(cudaDeviceGetPCIBusId(place.bus.data(), int(place.bus.size()), gpu));
  return place;
}

}  // namespace

std::unique_ptr<GpuMessages> make_gpu_messages(Communicator& ranks, int gpu) {
  std::vector<Place> places = gathered(ranks, place_of(gpu));
  std::ranges::sort(places, {}, &Place::gpu);
  const bool some_have_none = std::ranges::any_of(places, &Place::has_none);
  const bool some_share = std::ranges::adjacent_find(places, {}, &Place::gpu) != places.end();
  if (some_have_none || some_share) return nullptr;
  ncclUniqueId id{};
  if (ranks.rank() == 0) check(ncclGetUniqueId(&id), nullptr);
  return std::make_unique<NcclMessages>(ranks.rank(), ranks.size(), gathered(ranks, id).front());
}

}  // namespace gothic::parallel
