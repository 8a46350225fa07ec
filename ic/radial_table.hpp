#pragma once

#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gothic::ic {

/// Radii spaced evenly in t = ln r.
class RadialGrid {
 public:
  RadialGrid(double innermost, double outermost, std::size_t count);

  std::size_t size() const { return count_; }
  double step() const { return step_; }
  double t(std::size_t i) const { return first_ + step_ * static_cast<double>(i); }
  double radius(std::size_t i) const { return std::exp(t(i)); }
  double last_t() const { return t(count_ - 1); }

  /// The interval [t(index), t(index + 1)] that holds t, and the fraction, 0 ... 1, of the way
  /// through it. A t outside the grid goes to the first or the last interval.
  struct Place {
    std::size_t index;
    double fraction;
  };
  Place place(double t) const;

 private:
  double first_;
  double step_;
  std::size_t count_;
};

/// A function with its first two derivatives.
struct Jet {
  double value = 0;
  double first = 0;
  double second = 0;
};

/// A function of t = ln x, stored with its first two derivatives with respect to t at the radii of
/// a grid and interpolated by quintic Hermite polynomials: twice continuously differentiable, with
/// errors of O(step^6) and of O(step^4) in the second derivative.
class HermiteTable {
 public:
  /// One jet per radius of the grid.
  HermiteTable(const RadialGrid& grid, std::vector<Jet> jets);

  const RadialGrid& grid() const { return grid_; }

  /// The function at t. Beyond the grid it goes on as a straight line.
  Jet operator()(double t) const;

 private:
  RadialGrid grid_;
  std::vector<Jet> jets_;
};

/// A positive function of radius, stored as logarithms with exact slopes at the radii of a grid and
/// interpolated by cubic Hermite polynomials: the relative error is O(step^4).
class RadialTable {
 public:
  /// An empty table, which must be assigned to before use.
  RadialTable() = default;

  /// \param values at every radius of the grid
  /// \param derivatives d value / d ln r at every radius
  RadialTable(const RadialGrid& grid, const std::vector<double>& values,
              const std::vector<double>& derivatives);

  double operator()(double t) const;

  /// The t where an increasing table has this value; the nearer end for values beyond the ends.
  double inverse(double value) const;

 private:
  double logarithm(RadialGrid::Place place) const;

  RadialGrid grid_{1, 2, 2};
  std::vector<double> log_value_;
  std::vector<double> slope_;  // d log value / dt, times the step
};

/// Quantiles of a distribution that depends on radius: one row for each radius of a grid.
class QuantileTable {
 public:
  static constexpr std::size_t levels = 256;

  explicit QuantileTable(const RadialGrid& rows)
      : rows_(rows), value_(rows.size() * (levels + 1)) {}

  const RadialGrid& rows() const { return rows_; }

  /// The value at a row and a level, 0 ... levels.
  float& at(std::size_t row, std::size_t level) { return value_[row * (levels + 1) + level]; }

  /// The value at t = ln r and a part, 0 ... 1, of the way through the levels; linear in both.
  double operator()(double t, double part) const;

 private:
  RadialGrid rows_;
  std::vector<float> value_;  // row by row
};

/// Gauss-Legendre quadrature with N points on [0, 1]. The integral of f over [a, b] is
/// (b - a) sum weight[k] f(a + (b - a) node[k]).
template <unsigned N>
struct GaussRule {
  std::array<double, N> node;
  std::array<double, N> weight;

  GaussRule() {
    using Half = boost::math::quadrature::gauss<double, N>;
    for (unsigned k = 0; k < (N + 1) / 2; ++k) {
      const double x = Half::abscissa()[k];
      const double w = Half::weights()[k] / 2;
      const unsigned right = N / 2 + k;  // k = 0 is the middle if N is odd
      const unsigned left = N - 1 - right;
      node[right] = (1 + x) / 2;
      node[left] = (1 - x) / 2;
      weight[right] = weight[left] = w;
    }
  }
};

/// The integrals of f over t = ln r from the centre to every radius of the grid, exact to rounding
/// for a smooth f. `centre` is the integral within the first radius.
template <class Function>
std::vector<double> integrals_to(const RadialGrid& grid, Function&& f, double centre) {
  static const GaussRule<7> rule;
  std::vector<double> integral{centre};
  for (std::size_t i = 1; i < grid.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < rule.node.size(); ++k) {
      sum += rule.weight[k] * f(grid.t(i - 1) + grid.step() * rule.node[k]);
    }
    integral.push_back(integral.back() + grid.step() * sum);
  }
  return integral;
}

}  // namespace gothic::ic
