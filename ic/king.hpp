#pragma once

#include "ic/shape.hpp"

namespace gothic::ic {

/// The model of King (1966), f ~ exp(E / sigma^2) - 1 with E the energy above that of the edge. Its
/// density depends on W = (Psi - Psi(edge)) / sigma^2 as
///
///   rho ~ exp(W) erf(sqrt(W)) - sqrt(4 W / pi) (1 + 2 W / 3) = exp(W) P(5/2, W),
///
/// P the regularised incomplete gamma function, and W obeys Poisson's equation
///
///   d(x^2 dW/dx)/dx = -9 x^2 rho(W) / rho(W0)
///
/// with x the radius in units of the core radius r_0, r_0^2 = 9 sigma^2 / (4 pi G rho_0).
class KingShape final : public Shape {
 public:
  /// W0 > 0 is W at the centre.
  explicit KingShape(double w0);

  /// The density, one at the centre.
  Jet jet(double x) const override;

  /// Where the density ends, r_t / r_0.
  double reach() const override { return edge_; }

  /// W at x up to the edge.
  double potential(double x) const { return w0_ - deficit(x).value; }

 private:
  Jet deficit(double x) const;  // W0 - W with its derivatives with respect to ln x

  double w0_;
  double centre_;  // exp(W0) P(5/2, W0)
  HermiteTable deficit_;
  double edge_;
};

}  // namespace gothic::ic
