#pragma once

#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <vector>

#include "ic/radial_table.hpp"

namespace gothic::ic {

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
      const unsigned right = N / 2 + k;  // of an odd rule, k = 0 is the middle
      const unsigned left = N - 1 - right;
      node[right] = (1 + x) / 2;
      node[left] = (1 - x) / 2;
      weight[right] = weight[left] = w;
    }
  }
};

/// The integrals of f over t = ln r from the centre to every radius of the grid, to rounding for a
/// smooth f. `centre` is the part within the first radius.
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
