#pragma once

#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "core/messages/communicator.hpp"

/// Ranks that are threads of one process.
namespace gothic::test {

/// What the threads share.
class Meeting {
 public:
  explicit Meeting(int size)
      : barrier(size), gathered(std::size_t(size)), sent(std::size_t(size)) {}

  std::barrier<> barrier;
  std::vector<const std::byte*> gathered;      ///< [size] each rank's contribution
  std::vector<std::span<const Message>> sent;  ///< [size] each rank's messages
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return int(meeting_.sent.size()); }

  bool reaches_devices() const override { return false; }

 private:
  void gather(const std::byte* own, std::size_t bytes, std::byte* all) override {
    meeting_.gathered[std::size_t(rank_)] = own;
    meeting_.barrier.arrive_and_wait();
    for (const std::byte* from : meeting_.gathered) {
      if (bytes > 0) std::memcpy(all, from, bytes);
      all += bytes;
    }
    meeting_.barrier.arrive_and_wait();
  }

  void deal(const std::byte* own, std::size_t bytes, std::byte* received) override {
    meeting_.gathered[std::size_t(rank_)] = own;
    meeting_.barrier.arrive_and_wait();
    for (const std::byte* from : meeting_.gathered) {
      std::memcpy(received, from + std::size_t(rank_) * bytes, bytes);
      received += bytes;
    }
    meeting_.barrier.arrive_and_wait();
  }

  void pass(std::span<const Message> sent, std::span<const Message> received, Memory) override {
    meeting_.sent[std::size_t(rank_)] = sent;
    meeting_.barrier.arrive_and_wait();
    for (const Message& message : received) {
      if (message.bytes == 0) continue;
      for (const Message& other : meeting_.sent[std::size_t(message.rank)]) {
        if (other.rank != rank_) continue;
        if (other.bytes != message.bytes) throw std::logic_error("a message of another length");
        std::memcpy(message.data, other.data, other.bytes);
      }
    }
    meeting_.barrier.arrive_and_wait();
  }

  Meeting& meeting_;
  int rank_;
};

/// Runs work(ranks) on so many ranks at once.
inline void on_ranks(int size, const std::function<void(Communicator&)>& work) {
  Meeting meeting(size);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRank own(meeting, rank);
      work(own);
    });
  }
}

}  // namespace gothic::test
