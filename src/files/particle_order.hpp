#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gothic::files {

/// Indices of the particles of one type, in the order of their IDs.
std::vector<std::size_t> order_by_id(std::span<const std::uint8_t> type,
                                     std::span<const std::uint64_t> id, std::uint8_t wanted);

}  // namespace gothic::files
