#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "core/messages/communicator.hpp"

namespace gothic {

/// Lets the first rank use what all ranks have, its own part first, then the others' parts in
/// their order. It never has more than two parts.
///
/// \tparam Part holds what comes from another rank
/// \param own part of this rank: a Part, or what refers to one
/// \param for_each_array called with a part and f, calls f(values) for each of its vectors
/// \param empty a part without values, but with all its vectors
/// \param use called on the first rank with each part. What it throws is thrown there when all
///        parts have come, so that no other rank waits.
template <class Part, class Own, class ForEachArray, class Use>
void take_turns(Communicator& ranks, Own& own, ForEachArray for_each_array, Use use,
                const Part& empty = {}) {
  if (ranks.size() == 1) return use(own);
  std::vector<std::uint64_t> own_lengths;
  for_each_array(own, [&](auto& values) { own_lengths.push_back(values.size()); });
  const std::vector<std::uint64_t> lengths =
      gathered(ranks, std::span<const std::uint64_t>(own_lengths));
  std::exception_ptr failure;
  for (int from = 0; from < ranks.size(); ++from) {
    Part received = empty;
    const bool is_own = ranks.rank() == from;
    const std::uint64_t* length = lengths.data() + std::size_t(from) * own_lengths.size();
    const auto pass = [&](auto& values) {
      if (leads(ranks)) values.resize(*length++);
      const Message message{is_own ? 0 : from, reinterpret_cast<std::byte*>(values.data()),
                            values.size() * sizeof(values.front())};
      const std::span<const Message> one(&message, 1), none;
      ranks.exchange(is_own ? one : none, leads(ranks) ? one : none, Memory::host);
    };
    if (from > 0 && is_own) for_each_array(own, pass);
    if (from > 0 && !is_own) for_each_array(received, pass);
    if (!leads(ranks) || failure) continue;
    try {
      if (is_own) {
        use(own);
      } else {
        use(received);
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gothic
