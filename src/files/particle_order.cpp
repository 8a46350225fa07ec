#include "files/particle_order.hpp"

#include <algorithm>

namespace gothic::files {

std::vector<std::size_t> order_by_id(std::span<const std::uint8_t> type,
                                     std::span<const std::uint64_t> id, std::uint8_t wanted) {
  std::vector<std::size_t> order;
  order.reserve(static_cast<std::size_t>(std::count(type.begin(), type.end(), wanted)));
  for (std::size_t i = 0; i < type.size(); ++i) {
    if (type[i] == wanted) order.push_back(i);
  }
  const auto by_id = [&](std::size_t a, std::size_t b) { return id[a] < id[b]; };
  if (!std::is_sorted(order.begin(), order.end(), by_id))
    std::sort(order.begin(), order.end(), by_id);
  return order;
}

}  // namespace gothic::files
