#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "ic/radial_table.hpp"

namespace gothic::ic {

/// Points of the meridional plane: rows of distances R from the axis, even in ln R, and columns of
/// heights z = top (j / (columns - 1))^2. Tables over them are stored row by row.
class MeridionalGrid {
 public:
  MeridionalGrid(const RadialGrid& rows, double top, std::size_t columns);

  const RadialGrid& rows() const { return rows_; }
  const std::vector<double>& heights() const { return heights_; }
  std::size_t columns() const { return heights_.size(); }
  std::size_t size() const { return rows_.size() * columns(); }
  double top() const { return heights_.back(); }

  /// The place of a point among the grid's points; a point outside goes to the edge.
  struct Place {
    std::size_t row, column;                          // first of the four nearest
    std::array<double, 4> row_weight, column_weight;  // weights of the four nearest
  };
  Place place(double axis_distance, double height) const;

  /// The value of a table, or of a function of R alone, at a place, by cubic polynomials through
  /// the four nearest points in either direction.
  double at(const std::vector<double>& table, const Place& place) const;
  static double at_row(const std::vector<double>& function, const Place& place);

  /// d table / d ln R at the points, to fourth order.
  std::vector<double> log_radial_derivative(const std::vector<double>& table) const;

  /// Integral of the values of one row over z, from 0 to every height.
  std::vector<double> integral_to(std::vector<double> values) const;

 private:
  RadialGrid rows_;
  std::vector<double> heights_;
};

/// d values / dx for points that are `step` apart, to fourth order.
std::vector<double> derivative(const std::vector<double>& values, double step);

}  // namespace gothic::ic
