#include "ic/shape_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>

namespace gothic::ic {
namespace {

/// Second derivatives at the nodes of the natural spline through (x, y), from the tridiagonal
/// equations that say that its slope has no jumps.
std::vector<double> spline_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> curvature(n), diagonal(n, 1);
  const auto gap = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / gap(i); };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    diagonal[i] = (gap(i - 1) + gap(i)) / 3;
    curvature[i] = slope(i) - slope(i - 1);
    if (i == 1) continue;
    const double factor = gap(i - 1) / 6 / diagonal[i - 1];
    diagonal[i] -= factor * gap(i - 1) / 6;
    curvature[i] -= factor * curvature[i - 1];
  }
  for (std::size_t i = n - 2; i >= 1; --i) {
    curvature[i] = (curvature[i] - gap(i) / 6 * curvature[i + 1]) / diagonal[i];
  }
  return curvature;
}

}  // namespace

TabulatedShape::TabulatedShape(std::vector<double> log_radius, std::vector<double> log_density)
    : log_radius_(std::move(log_radius)), log_density_(std::move(log_density)) {
  if (log_radius_.size() < 2 || log_radius_.size() != log_density_.size() ||
      std::adjacent_find(log_radius_.begin(), log_radius_.end(), std::greater_equal<>()) !=
          log_radius_.end()) {
    throw std::invalid_argument("the radii of a table must increase, with one density each");
  }
  curvature_ = spline_curvature(log_radius_, log_density_);
  const auto steep = [&](double t) {
    const Jet g = jet(std::exp(t));
    return g.first * std::exp(t) <= -2 * g.value;
  };
  const auto found = std::find_if(log_radius_.begin(), log_radius_.end() - 1, steep);
  size_ = std::exp(*found);
}

Jet TabulatedShape::jet(double x) const {
  const double t = std::log(x);
  const double inside = std::clamp(t, log_radius_.front(), log_radius_.back());
  const auto above = std::upper_bound(log_radius_.begin() + 1, log_radius_.end() - 1, inside);
  const auto i = static_cast<std::size_t>(above - log_radius_.begin()) - 1;
  const double h = log_radius_[i + 1] - log_radius_[i];
  const double b = (inside - log_radius_[i]) / h, a = 1 - b;
  const double low = curvature_[i], high = curvature_[i + 1];
  const double slope = (log_density_[i + 1] - log_density_[i]) / h +
                       h / 6 * ((1 - 3 * a * a) * low + (3 * b * b - 1) * high);
  const double value = a * log_density_[i] + b * log_density_[i + 1] +
                       h * h / 6 * (a * (a * a - 1) * low + b * (b * b - 1) * high);
  return from_logarithm(x, {value + slope * (t - inside), slope, a * low + b * high});
}

}  // namespace gothic::ic
