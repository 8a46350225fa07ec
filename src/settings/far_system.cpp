#include "settings/far_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/device/host_pieces.hpp"
#include "settings/checked_inputs.hpp"

namespace gothic {
namespace {

/// Sums over particles: their number, positions and squared positions.
struct Sums {
  double count = 0;
  std::array<double, 3> position{};
  double squares = 0;
};

Sums operator+(Sums a, const Sums& b) {
  a.count += b.count;
  for (std::size_t k = 0; k < 3; ++k) a.position[k] += b.position[k];
  a.squares += b.squares;
  return a;
}

}  // namespace

std::optional<std::string> warning_of_far_system(const files::Snapshot& snapshot, double softening,
                                                 Communicator& ranks) {
  const std::vector<files::Vec3>& positions = snapshot.particles.position;
  const auto sum = [&](std::size_t first, std::size_t last) {
    Sums sums{.count = double(last - first)};
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = positions[i][k];
        sums.position[k] += x;
        sums.squares += x * x;
      }
    }
    return sums;
  };
  const Sums own = combined_over_pieces(positions.size(), Sums{}, sum, std::plus<>());
  const Sums all = combined(ranks, own, std::plus<>());
  double squared_distance = 0, largest = 0;
  for (const double sum : all.position) {
    squared_distance += sum / all.count * sum / all.count;
    largest = std::max(largest, std::abs(sum) / all.count);
  }
  const double squared_size = all.squares / all.count - squared_distance;
  const auto at = static_cast<float>(largest);
  const double step = double{std::nextafter(at, std::numeric_limits<float>::max()) - at};
  if (!(step > harmless_step * softening) || softening == 0) return {};
  if (!(squared_distance > squared_size) || largest > longest_position) return {};
  return fmt::format(
      "the system is {:.3g} away from the origin, where single precision has steps of {:.2g}, "
      "{:.2g} of the "
      "softening; subtract its centre from the positions",
      std::sqrt(squared_distance), step, step / softening);
}

}  // namespace gothic
