#pragma once

#include <vector>

#include "ic/radial_table.hpp"
#include "ic/shape.hpp"

namespace gothic::ic {

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

}  // namespace gothic::ic
