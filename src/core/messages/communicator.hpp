#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
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
/// order, from one thread each.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  ///< the own one, 0 ... size() - 1
  virtual int size() const = 0;

  /// Collects as many bytes from every rank, in the order of the ranks.
  /// \param own [bytes], all [size() * bytes] result
  void all_gather(const std::byte* own, std::size_t bytes, std::byte* all) {
    const Waiting waiting(*this);
    gather(own, bytes, all);
  }

  /// Gives every rank, the own one too, as many bytes of its own.
  /// \param own [size() * bytes] for each rank, received [size() * bytes] result, of each rank
  void all_to_all(const std::byte* own, std::size_t bytes, std::byte* received) {
    const Waiting waiting(*this);
    deal(own, bytes, received);
  }

  /// Sends and receives messages, at most one from a rank to another. Of those that are empty,
  /// neither side need know.
  void exchange(std::span<const Message> sent, std::span<const Message> received, Memory memory) {
    const Waiting waiting(*this);
    pass(sent, received, memory);
  }
  /// Whether messages may lie in the device's memory.
  virtual bool reaches_devices() const = 0;

  /// Seconds that this rank has spent in messages so far, waiting for others included.
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Counts the time until its end.
  class Waiting {
   public:
    explicit Waiting(Communicator& ranks) : ranks_(ranks) {}
    ~Waiting() { ranks_.seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Communicator& ranks_;
    Clock::time_point start_ = Clock::now();
  };

  virtual void gather(const std::byte* own, std::size_t bytes, std::byte* all) = 0;
  virtual void deal(const std::byte* own, std::size_t bytes, std::byte* received) = 0;
  virtual void pass(std::span<const Message> sent, std::span<const Message> received,
                    Memory memory) = 0;

  double seconds_ = 0;
};

/// Whether this rank is the first, which alone reads and writes files and speaks to users.
/// \param ranks null if there is one
inline bool leads(const Communicator* ranks) { return ranks == nullptr || ranks->rank() == 0; }

/// The same value of all ranks, in their order.
template <class T>
std::vector<T> gathered(Communicator& ranks, const T& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(std::size_t(ranks.size()));
  ranks.all_gather(reinterpret_cast<const std::byte*>(&own), sizeof(T),
                   reinterpret_cast<std::byte*>(all.data()));
  return all;
}

/// As many values of all ranks, in their order.
template <class T>
std::vector<T> gathered(Communicator& ranks, std::span<const T> own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(std::size_t(ranks.size()) * own.size());
  ranks.all_gather(reinterpret_cast<const std::byte*>(own.data()), own.size_bytes(),
                   reinterpret_cast<std::byte*>(all.data()));
  return all;
}

/// What each rank tells this one.
/// \param own [ranks] what this one tells each
template <class T>
std::vector<T> told(Communicator& ranks, const std::vector<T>& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> result(own.size());
  ranks.all_to_all(reinterpret_cast<const std::byte*>(own.data()), sizeof(T),
                   reinterpret_cast<std::byte*>(result.data()));
  return result;
}

/// How elements that are numbered over all ranks are shared: each rank has some that follow one
/// another.
struct Shares {
  std::size_t first = 0;  ///< of the own rank
  std::size_t own = 0;    ///< number of its elements
  std::size_t all = 0;    ///< number of elements
  /// [ranks] of each; that of a rank without any is that of the next
  std::vector<std::size_t> firsts;

  /// The rank that has an element.
  std::size_t owner(std::size_t element) const {
    return std::size_t(std::ranges::upper_bound(firsts, element) - firsts.begin()) - 1;
  }
};

/// \param ranks null if there is one
/// \param own number of elements that the own rank has
inline Shares shares_of(Communicator* ranks, std::size_t own) {
  Shares shares{.own = own, .firsts = {}};
  for (const std::size_t count : ranks != nullptr ? gathered(*ranks, own) : std::vector{own}) {
    shares.firsts.push_back(shares.all);
    shares.all += count;
  }
  shares.first = shares.firsts[ranks != nullptr ? std::size_t(ranks->rank()) : 0];
  return shares;
}

/// The values of all ranks combined, in their order: the same on every rank.
/// \param ranks null if there is one: then the own value
template <class T, class Combine>
T combined(Communicator* ranks, const T& own, Combine combine) {
  if (ranks == nullptr) return own;
  const std::vector<T> all = gathered(*ranks, own);
  T result = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) result = combine(result, all[i]);
  return result;
}

/// A reduction over the elements of all ranks; see Device::reduce.
/// \param n elements of the own rank
template <class Device, class T, class Value, class Combine>
T reduce_all(const Device& device, Communicator* ranks, std::size_t n, T identity, Value value,
             Combine combine) {
  return combined(ranks, device.reduce(n, identity, value, combine), combine);
}

}  // namespace gothic
