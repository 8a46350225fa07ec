#include "ic/radial_table.hpp"

#include <algorithm>

namespace gothic::ic {

RadialGrid::RadialGrid(double innermost, double outermost, std::size_t count)
    : first_(std::log(innermost)),
      step_(std::log(outermost / innermost) / static_cast<double>(count - 1)),
      count_(count) {}

RadialGrid::Place RadialGrid::place(double t) const {
  const double x = std::clamp((t - first_) / step_, 0.0, static_cast<double>(count_ - 1));
  const std::size_t index = std::min(static_cast<std::size_t>(x), count_ - 2);
  return {index, x - static_cast<double>(index)};
}

RadialTable::RadialTable(const RadialGrid& grid, const std::vector<double>& values,
                         const std::vector<double>& derivatives)
    : grid_(grid) {
  log_value_.reserve(values.size());
  slope_.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    log_value_.push_back(std::log(values[i]));
    slope_.push_back(derivatives[i] / values[i] * grid.step());
  }
}

double RadialTable::logarithm(RadialGrid::Place place) const {
  const auto [i, x] = place;
  const double y = 1 - x;
  return y * y * ((1 + 2 * x) * log_value_[i] + x * slope_[i]) +
         x * x * ((1 + 2 * y) * log_value_[i + 1] - y * slope_[i + 1]);
}

double RadialTable::operator()(double t) const { return std::exp(logarithm(grid_.place(t))); }

double RadialTable::inverse(double value) const {
  const double wanted = std::log(value);
  const auto above = std::upper_bound(log_value_.begin(), log_value_.end(), wanted);
  const auto last = static_cast<std::ptrdiff_t>(log_value_.size()) - 2;
  const auto index =
      static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - log_value_.begin() - 1, 0, last));
  double low = 0, high = 1;
  constexpr int bisections = 40;
  for (int k = 0; k < bisections; ++k) {
    const double middle = (low + high) / 2;
    (logarithm({index, middle}) < wanted ? low : high) = middle;
  }
  return grid_.t(index) + grid_.step() * (low + high) / 2;
}

}  // namespace gothic::ic
