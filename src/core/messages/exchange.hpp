#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/device.hpp"
#include "core/messages/communicator.hpp"

namespace gothic {

namespace detail {

/// Messages with the parts of an array, which follow one another in the order of the ranks. The own
/// rank's part and empty parts have no message.
template <class T>
std::vector<Message> messages(T* data, std::span<const std::size_t> counts, int own) {
  std::vector<Message> result;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (int(rank) != own && counts[rank] > 0) {
      result.push_back({int(rank), reinterpret_cast<std::byte*>(data), counts[rank] * sizeof(T)});
    }
    data += counts[rank];
  }
  return result;
}

/// Lengths of parts, with 0 for the own rank's part.
inline std::vector<std::size_t> without(std::span<const std::size_t> lengths, int own) {
  std::vector<std::size_t> result(lengths.begin(), lengths.end());
  result[std::size_t(own)] = 0;
  return result;
}

}  // namespace detail

/// Number of elements before the part of a rank.
inline std::size_t offset_of(std::span<const std::size_t> counts, int rank) {
  return std::accumulate(counts.begin(), counts.begin() + rank, std::size_t(0));
}

/// Sends parts of an array on the device to the ranks and receives theirs. The parts follow one
/// another in the order of the ranks; the own rank's part is copied.
/// \param sent, received [ranks] lengths of the parts
/// \param to result, which gets the length that it needs
template <class Device, class Buffer>
void exchange(const Device& device, Communicator& ranks, Buffer& from,
              std::span<const std::size_t> sent, Buffer& to,
              std::span<const std::size_t> received) {
  const int own = ranks.rank();
  to.resize(offset_of(received, ranks.size()));
  const auto pass = [&](auto* outgoing, std::span<const std::size_t> lengths, auto* incoming,
                        std::span<const std::size_t> wanted, Memory memory) {
    ranks.exchange(detail::messages(outgoing, lengths, own),
                   detail::messages(incoming, wanted, own), memory);
  };
  if (Device::is_host || ranks.reaches_devices()) {
    device.synchronize();
    pass(from.data(), sent, to.data(), received, Device::is_host ? Memory::host : Memory::device);
  } else {
    const std::vector<std::size_t> leaving = detail::without(sent, own),
                                   coming = detail::without(received, own);
    Buffer packed(offset_of(leaving, ranks.size()));
    for (int rank = 0; rank < ranks.size(); ++rank) {
      copy(device, from.data() + offset_of(sent, rank), leaving[std::size_t(rank)],
           packed.data() + offset_of(leaving, rank));
    }
    auto outgoing = packed.downloaded();
    decltype(outgoing) incoming(offset_of(coming, ranks.size()));
    pass(outgoing.data(), leaving, incoming.data(), coming, Memory::host);
    packed.resize(incoming.size());
    packed.upload(incoming);
    for (int rank = 0; rank < ranks.size(); ++rank) {
      copy(device, packed.data() + offset_of(coming, rank), coming[std::size_t(rank)],
           to.data() + offset_of(received, rank));
    }
  }
  copy(device, from.data() + offset_of(sent, own), sent[std::size_t(own)],
       to.data() + offset_of(received, own));
}

/// Sends values in the host's memory to the ranks that are to have them, and returns the values
/// that come from them, in the order of the ranks.
/// \param owner rank of a value
template <class T, class Owner>
std::vector<T> sent_to_owners(Communicator& ranks, std::vector<T> values, Owner owner) {
  if (ranks.size() == 1) return values;
  const auto size = std::size_t(ranks.size()), own = std::size_t(ranks.rank());
  std::vector<std::size_t> sent(size);
  for (const T& value : values) ++sent[owner(value)];
  std::vector<std::size_t> place(size);
  std::exclusive_scan(sent.begin(), sent.end(), place.begin(), std::size_t(0));
  std::vector<T> ordered(values.size());
  for (const T& value : values) ordered[place[owner(value)]++] = value;
  const std::vector<std::size_t> received = told(ranks, sent);
  std::vector<T> result(offset_of(received, int(size)));
  ranks.exchange(detail::messages(ordered.data(), sent, int(own)),
                 detail::messages(result.data(), received, int(own)), Memory::host);
  std::copy_n(ordered.begin() + std::ptrdiff_t(offset_of(sent, int(own))), sent[own],
              result.begin() + std::ptrdiff_t(offset_of(received, int(own))));
  return result;
}

/// The values of all ranks, in the order of the ranks, on every rank. Ranks may have different
/// numbers of values.
template <class T>
std::vector<T> joined(Communicator& ranks, std::vector<T> values) {
  if (ranks.size() == 1) return values;
  const std::size_t bytes = values.size() * sizeof(T);
  const std::vector<std::size_t> counts = gathered(ranks, values.size());
  std::vector<T> result(offset_of(counts, ranks.size()));
  std::vector<Message> sent;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank != ranks.rank() && bytes > 0) {
      sent.push_back({rank, reinterpret_cast<std::byte*>(values.data()), bytes});
    }
  }
  ranks.exchange(sent, detail::messages(result.data(), counts, ranks.rank()), Memory::host);
  std::ranges::copy(values, result.begin() + std::ptrdiff_t(offset_of(counts, ranks.rank())));
  return result;
}

/// The sums of the values of all ranks, of which each has as many; added in the order of the ranks.
inline std::vector<double> summed(Communicator& ranks, std::vector<double> own) {
  if (ranks.size() == 1) return own;
  const std::vector<double> all = gathered(ranks, std::span<const double>(own));
  std::ranges::fill(own, 0.0);
  for (std::size_t i = 0; i < all.size(); ++i) own[i % own.size()] += all[i];
  return own;
}

}  // namespace gothic
