#pragma once

#include <functional>
#include <vector>

#include "ic/radial_table.hpp"

namespace gothic::ic {

/// The potential of a density that is symmetric about the z axis and the plane z = 0, by expansion
/// in Legendre polynomials of even order (Binney & Tremaine 2008, eq. 2.95), for G = 1:
///
///   Phi_l(r) = -4 pi / (2 l + 1) ( r^-(l+1) int_0^r rho_l s^(l+2) ds + r^l int_r^inf rho_l s^(1-l)
///   ds ).
///
/// Coefficients come by Gauss-Legendre quadrature over cos(theta) within the layer that holds the
/// density, up to the order at which a layer of that height has nothing left to resolve; the radial
/// integrals are exact for rho_l r^2 that are cubic in ln r between the radii, whatever the order.
class MultipolePotential {
 public:
  /// Properties of the density.
  struct Layer {
    double height;     ///< above which it falls noticeably, for example by e
    double thickness;  ///< above which it is zero
    double extent;     ///< distance from the axis beyond which it need not be resolved
  };

  /// \param inner, outer first and last of the log-spaced radii; the density is taken to be uniform
  ///        within `inner` and zero beyond `outer`
  MultipolePotential(double inner, double outer, std::size_t radii, const Layer& layer);

  const RadialGrid& radii() const { return radii_; }

  /// Computes the potential of a density, which several threads call.
  using Density = std::function<double(double axis_distance, double height)>;  // height >= 0
  void solve(const Density& density, unsigned threads);

  /// Density averaged over the sphere of radius number i.
  double mean_density(std::size_t i) const;

  /// Potential at distance R from the axis and each height z >= 0. Beyond `outer` it is taken to
  /// fall as 1 / r.
  std::vector<double> operator()(double axis_distance, const std::vector<double>& heights) const;

 private:
  void expand(std::size_t radius, const Density& density);
  void integrate();

  RadialGrid radii_;
  Layer layer_;
  std::size_t orders_;                   // number of orders l = 0, 2, 4, ...
  std::vector<double> cosine_, weight_;  // for the quadrature over cos(theta) on [0, 1]
  std::vector<double> source_;           // rho_l r^2, radius by radius
  std::vector<double> value_, slope_;    // Phi_l and d Phi_l / d ln r times the step
};

}  // namespace gothic::ic
