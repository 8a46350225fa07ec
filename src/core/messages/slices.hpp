#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/messages/communicator.hpp"

namespace gothic {

/// Elements that are numbered over all ranks: each rank has a slice of consecutive elements.
struct Slices {
  std::size_t first = 0;  ///< element of the own slice
  std::size_t own = 0;    ///< number of elements of the own slice
  std::size_t all = 0;    ///< number of elements of all slices
  /// [ranks] first element of each slice; an empty slice has the first element of the next one
  std::vector<std::size_t> firsts;

  /// The rank that has an element.
  std::size_t owner(std::size_t element) const {
    return std::size_t(std::ranges::upper_bound(firsts, element) - firsts.begin()) - 1;
  }
};

/// \param own number of elements that the own rank has
inline Slices slices_of(Communicator& ranks, std::size_t own) {
  Slices slices{.own = own, .firsts = {}};
  for (const std::size_t count : gathered(ranks, own)) {
    slices.firsts.push_back(slices.all);
    slices.all += count;
  }
  slices.first = slices.firsts[std::size_t(ranks.rank())];
  return slices;
}

}  // namespace gothic
