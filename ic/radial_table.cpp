#include "ic/radial_table.hpp"

#include <algorithm>
#include <utility>

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

HermiteTable::HermiteTable(const RadialGrid& grid, std::vector<Jet> jets)
    : grid_(grid), jets_(std::move(jets)) {}

Jet HermiteTable::operator()(double t) const {
  const auto beyond = [&](const Jet& end, double distance) {
    return Jet{end.value + end.first * distance, end.first, 0};
  };
  if (t < grid_.t(0)) return beyond(jets_.front(), t - grid_.t(0));
  if (t > grid_.last_t()) return beyond(jets_.back(), t - grid_.last_t());
  const auto [i, x] = grid_.place(t);
  const Jet &a = jets_[i], &b = jets_[i + 1];
  const double h = grid_.step();
  // The Taylor polynomial at a, with powers 3 to 5 chosen so that the end is b.
  const double c0 = a.value, c1 = a.first * h, c2 = a.second * h * h / 2;
  const double value = b.value - c0 - c1 - c2;
  const double first = b.first * h - c1 - 2 * c2;
  const double second = b.second * h * h - 2 * c2;
  const double c3 = 10 * value - 4 * first + second / 2;
  const double c4 = -15 * value + 7 * first - second;
  const double c5 = 6 * value - 3 * first + second / 2;
  return {c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5)))),
          (c1 + x * (2 * c2 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / h,
          (2 * c2 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / (h * h)};
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

double QuantileTable::operator()(double t, double part) const {
  const auto [row, y] = rows_.place(t);
  const double s = part * levels;
  const std::size_t k = std::min(static_cast<std::size_t>(s), levels - 1);
  const double x = s - static_cast<double>(k);
  const float* const low = &value_[row * (levels + 1) + k];
  const float* const high = low + levels + 1;
  return (1 - y) * ((1 - x) * low[0] + x * low[1]) + y * ((1 - x) * high[0] + x * high[1]);
}

}  // namespace gothic::ic
