#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace gothic {

/// Bytes to or from a rank.
struct Message {
  int rank;
  std::byte* data;
  std::size_t bytes;
};

/// Where messages lie.
enum class Memory { host, device };

/// How the ranks of a simulation speak to each other. All ranks make the same calls in the same
/// order, from one thread each; a single rank may make them from several at once.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  ///< the own one, 0 ... size() - 1
  virtual int size() const = 0;

  /// Collects equally many bytes from every rank, in the order of the ranks.
  /// \param own [bytes], all [size() * bytes] result
  void all_gather(const std::byte* own, std::size_t bytes, std::byte* all) {
    const Timed timed(*this);
    gather(own, bytes, all);
  }

  /// Gives every rank, the own one too, a part of its own, all parts of equally many bytes.
  /// \param own [size() * bytes] a part for each rank, received [size() * bytes] result: a part
  ///        from each rank
  void all_to_all(const std::byte* own, std::size_t bytes, std::byte* received) {
    const Timed timed(*this);
    deal(own, bytes, received);
  }

  /// Sends messages to other ranks and receives theirs, at most one from a rank to another. Neither
  /// side need know of empty messages.
  void exchange(std::span<const Message> sent, std::span<const Message> received, Memory memory) {
    const Timed timed(*this);
    pass(sent, received, memory);
  }
  /// Whether messages may lie in the device's memory.
  virtual bool reaches_devices() const = 0;

  /// Seconds that this rank has spent in messages so far, waiting for others included.
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Counts the time of messages from its construction to its destruction. A single rank has none,
  /// and nothing that its threads could race for.
  class Timed {
   public:
    explicit Timed(Communicator& ranks) : ranks_(ranks) {
      if (ranks.size() > 1) start_ = Clock::now();
    }
    ~Timed() {
      if (ranks_.size() == 1) return;
      ranks_.seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    Communicator& ranks_;
    Clock::time_point start_;
  };

  virtual void gather(const std::byte* own, std::size_t bytes, std::byte* all) = 0;
  virtual void deal(const std::byte* own, std::size_t bytes, std::byte* received) = 0;
  virtual void pass(std::span<const Message> sent, std::span<const Message> received,
                    Memory memory) = 0;

  double seconds_ = 0;
};

/// Whether this rank is the first, which alone reads and writes files and speaks to users.
inline bool leads(const Communicator& ranks) { return ranks.rank() == 0; }

/// One value from every rank, in the order of the ranks.
template <class T>
std::vector<T> gathered(Communicator& ranks, const T& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(std::size_t(ranks.size()));
  ranks.all_gather(reinterpret_cast<const std::byte*>(&own), sizeof(T),
                   reinterpret_cast<std::byte*>(all.data()));
  return all;
}

/// Equally many values from every rank, in the order of the ranks.
template <class T>
std::vector<T> gathered(Communicator& ranks, std::span<const T> own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(std::size_t(ranks.size()) * own.size());
  ranks.all_gather(reinterpret_cast<const std::byte*>(own.data()), own.size_bytes(),
                   reinterpret_cast<std::byte*>(all.data()));
  return all;
}

/// Tells each rank a value, and returns what each rank tells this one.
/// \param own [ranks] what this one tells each
template <class T>
std::vector<T> told(Communicator& ranks, const std::vector<T>& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> result(own.size());
  ranks.all_to_all(reinterpret_cast<const std::byte*>(own.data()), sizeof(T),
                   reinterpret_cast<std::byte*>(result.data()));
  return result;
}

/// The values of all ranks combined, in the order of the ranks: the same result on every rank.
template <class T, class Combine>
T combined(Communicator& ranks, const T& own, Combine combine) {
  if (ranks.size() == 1) return own;
  const std::vector<T> all = gathered(ranks, own);
  T result = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) result = combine(result, all[i]);
  return result;
}

/// A reduction over the elements of all ranks; see Device::reduce.
/// \param n elements of the own rank
template <class Device, class T, class Value, class Combine>
T reduce_all(const Device& device, Communicator& ranks, std::size_t n, T identity, Value value,
             Combine combine) {
  return combined(ranks, device.reduce(n, identity, value, combine), combine);
}

}  // namespace gothic
