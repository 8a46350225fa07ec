#pragma once

#include "ic/shape.hpp"

namespace gothic::ic {

/// The density whose projection is the profile of Sersic (1963),
///
///   I(X) = exp(-b (X^(1/n) - 1)),
///
/// with b such that half of it lies within X = 1 (Ciotti 1991), by Abel's integral
///
///   g(x) = -1/pi integral_0^inf I'(x cosh u) du
///
/// and the same integral of the derivatives, tabulated in ln x.
class SersicShape final : public Shape {
 public:
  /// The index n, above 0.5 and up to 10.
  explicit SersicShape(double n);

  Jet jet(double x) const override;
  Slopes slopes() const override;

 private:
  double n_;
  HermiteTable log_density_;
};

/// b of Sersic's profile: P(2 n, b) = 1/2, P the regularised incomplete gamma function.
double sersic_b(double n);

}  // namespace gothic::ic
