#include "files/position_rounding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace gothic::files {

float to_single(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  if (std::abs(value) > most) {
    return std::copysign(std::numeric_limits<float>::infinity(),
                         static_cast<float>(value > 0 ? 1 : -1));
  }
  return static_cast<float>(value);
}

void PositionRounding::add(std::span<const std::array<double, 3>> positions) {
  for (const std::array<double, 3>& position : positions) {
    count_ += 1;
    for (std::size_t k = 0; k < 3; ++k) {  // Welford 1962
      const double from_mean = position[k] - mean_[k];
      mean_[k] += from_mean / count_;
      squared_extents_ += from_mean * (position[k] - mean_[k]);
      const double error = position[k] - double{to_single(position[k])};
      squared_errors_ += error * error;
    }
  }
}

std::optional<std::string> PositionRounding::problem() const {
  const bool is_harmful = squared_errors_ > most * most * squared_extents_;
  if (!is_harmful || squared_extents_ == 0 || !std::isfinite(squared_errors_)) return {};
  const double error = std::sqrt(squared_errors_ / count_),
               extent = std::sqrt(squared_extents_ / count_);
  return fmt::format(
      "single precision moves particles by {:.2g} in a system of the size {:.2g}, which is that "
      "far "
      "from the origin; subtract the centre of the system from the positions",
      error, extent);
}

}  // namespace gothic::files
