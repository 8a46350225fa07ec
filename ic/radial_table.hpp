#pragma once

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

  /// The interval [t(index), t(index + 1)] that holds t, and where in it, 0 ... 1. What lies
  /// outside the grid goes to its first or last interval.
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
/// an error of O(step^6), of the second derivative O(step^4).
class HermiteTable {
 public:
  /// One jet per radius of the grid.
  HermiteTable(const RadialGrid& grid, std::vector<Jet> jets);

  const RadialGrid& grid() const { return grid_; }

  /// At t within the grid; beyond it goes on as a straight line.
  Jet operator()(double t) const;

 private:
  RadialGrid grid_;
  std::vector<Jet> jets_;
};

/// A positive function of radius, stored as logarithms with exact slopes at the radii of a grid and
/// interpolated by cubic Hermite polynomials: the relative error is O(step^4).
class RadialTable {
 public:
  /// Empty; to be assigned to before use.
  RadialTable() = default;

  /// `values` and d value / d ln r at every radius.
  RadialTable(const RadialGrid& grid, const std::vector<double>& values,
              const std::vector<double>& derivatives);

  double operator()(double t) const;

  /// The t where an increasing table has this value; values beyond the ends give the ends.
  double inverse(double value) const;

 private:
  double logarithm(RadialGrid::Place place) const;

  RadialGrid grid_{1, 2, 2};
  std::vector<double> log_value_;
  std::vector<double> slope_;  // d log value / dt, times the step
};

}  // namespace gothic::ic
