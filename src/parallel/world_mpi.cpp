#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/messages/one_rank.hpp"
#include "files/error.hpp"
#include "parallel/gpu_messages.hpp"
#include "parallel/world.hpp"

namespace gothic::parallel {
namespace {

/// Messages through MPI, and through NCCL from GPU to GPU.
class Ranks final : public Communicator {
 public:
  explicit Ranks(MPI_Comm world) : world_(world) {
    MPI_Comm_rank(world, &rank_);
    MPI_Comm_size(world, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool reaches_devices() const override { return gpus_ != nullptr; }

  void use_gpu(int gpu) { gpus_ = make_gpu_messages(*this, gpu); }

 private:
  void gather(const std::byte* own, std::size_t bytes, std::byte* all) override {
    for (std::size_t done = 0; done < bytes; done += piece) {
      const std::size_t count = std::min(piece, bytes - done);
      if (count == bytes) {
        MPI_Allgather(own, int(bytes), MPI_BYTE, all, int(bytes), MPI_BYTE, world_);
        return;
      }
      std::vector<std::byte> part(count * std::size_t(size_));
      MPI_Allgather(own + done, int(count), MPI_BYTE, part.data(), int(count), MPI_BYTE, world_);
      for (std::size_t rank = 0; rank < std::size_t(size_); ++rank) {
        std::copy_n(part.data() + rank * count, count, all + rank * bytes + done);
      }
    }
  }

  void deal(const std::byte* own, std::size_t bytes, std::byte* received) override {
    MPI_Alltoall(own, int(bytes), MPI_BYTE, received, int(bytes), MPI_BYTE, world_);
  }

  void pass(std::span<const Message> sent, std::span<const Message> received,
            Memory memory) override {
    if (memory == Memory::device) {
      gpus_->pass(sent, received);
      return;
    }
    std::vector<MPI_Request> requests;
    const auto start = [&](std::span<const Message> messages, auto transfer) {
      for (const Message& message : messages) {
        for (std::size_t done = 0; done < message.bytes; done += piece) {
          const int count = int(std::min(piece, message.bytes - done));
          requests.emplace_back();
          transfer(message.data + done, count, MPI_BYTE, message.rank, 0, world_, &requests.back());
        }
      }
    };
    start(received, MPI_Irecv);
    start(sent, MPI_Isend);
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  static constexpr std::size_t piece = std::size_t{1} << 30;  ///< MPI counts bytes in 32 bits

  MPI_Comm world_;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<GpuMessages> gpus_;  ///< null if GPUs do not send to each other
};

}  // namespace

struct World::Members {
  explicit Members(MPI_Comm world) : ranks(world) {
    MPI_Comm here;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &local_rank);
    MPI_Comm_free(&here);
    MPI_Comm_dup(world, &last_words);
  }
  ~Members() { MPI_Comm_free(&last_words); }

  Ranks ranks;
  int local_rank = 0;

  // For first_to_tell. Its communicator is apart, since messages of the others may be on their way.
  // What is asked and answered stays, since the question may be open for ever.
  MPI_Comm last_words = MPI_COMM_NULL;
  MPI_Request question = MPI_REQUEST_NULL;
  int asked = 0, answer = 0;
};

World::World() {
  const int processes = launched_processes();
  if (processes <= 1) return;
  int provided = 0, size = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != processes) {
    MPI_Finalize();
    throw InputError("was started as one of " + std::to_string(processes) +
                     " processes that MPI does not join; use the mpirun of the Open MPI that this "
                     "program was built with, or srun --mpi=pmix");
  }
  members_ = std::make_unique<Members>(MPI_COMM_WORLD);
}

World::~World() {
  if (!members_) return;
  members_.reset();
  MPI_Finalize();
}

Communicator& World::ranks() { return members_ ? members_->ranks : one_rank(); }
int World::local_rank() const { return members_ ? members_->local_rank : 0; }

void World::use_gpu(int gpu) {
  if (members_) members_->ranks.use_gpu(gpu);
}

std::optional<int> World::first_to_tell(bool has_words, std::chrono::milliseconds wait) {
  if (!members_) return 0;
  Members& members = *members_;
  members.asked = has_words ? members.ranks.rank() : members.ranks.size();
  MPI_Iallreduce(&members.asked, &members.answer, 1, MPI_INT, MPI_MIN, members.last_words,
                 &members.question);
  const auto end = std::chrono::steady_clock::now() + wait;
  int is_answered = 0;
  while (MPI_Test(&members.question, &is_answered, MPI_STATUS_IGNORE), !is_answered) {
    if (std::chrono::steady_clock::now() > end) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return members.answer;
}

void World::abort(int status) {
  if (members_) MPI_Abort(MPI_COMM_WORLD, status);
  std::exit(status);
}

}  // namespace gothic::parallel
