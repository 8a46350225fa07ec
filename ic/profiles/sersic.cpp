#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <numbers>
#include <utility>

#include "ic/profiles/profiles.hpp"

/// The density whose projection is I(X) = exp(-b (X^(1/n) - 1)), with b such that half of it lies
/// within X = 1 (Ciotti 1991), by Abel's integral
///
///   g(x) = -1/pi integral_0^inf I'(x cosh u) du
///
/// and the same integral of the derivatives, tabulated in ln x.
namespace gothic::ic {
namespace {

/// -I'(X) with its first two derivatives with respect to ln X.
Jet surface_slope(double n, double b, double log_x) {
  const double z = b * std::exp(log_x / n);
  const double value = z / n * std::exp(b - z - log_x);
  const double slope = (1 - z) / n - 1;
  return {value, value * slope, value * (slope * slope - z / (n * n))};
}

/// g with its derivatives with respect to ln x, by the trapezoidal rule, which converges faster
/// than any power of the step for a smooth even integrand.
Jet deproject(double n, double b, double log_x) {
  constexpr double step = 1.0 / 32;
  Jet sum = surface_slope(n, b, log_x);
  sum = {sum.value / 2, sum.first / 2, sum.second / 2};
  for (double u = step;; u += step) {
    const Jet term = surface_slope(n, b, log_x + std::log(std::cosh(u)));
    sum.value += term.value;
    sum.first += term.first;
    sum.second += term.second;
    if (term.value < 1e-18 * sum.value && std::abs(term.second) < 1e-18 * std::abs(sum.second)) {
      break;
    }
  }
  const double weight = step / std::numbers::pi;
  return {weight * sum.value, weight * sum.first, weight * sum.second};
}

HermiteTable tabulate(double n) {
  const double b = sersic_b(n);
  constexpr double innermost = 1e-9, exponent = 100, nodes_per_unit = 32;
  const double outermost = std::pow(1 + exponent / b, n);  // where I = exp(-exponent)
  const double range = std::log(outermost / innermost);
  const RadialGrid grid(innermost, outermost, static_cast<std::size_t>(range * nodes_per_unit));
  std::vector<Jet> jets;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Jet g = deproject(n, b, grid.t(i));
    const double slope = g.first / g.value;
    jets.push_back({std::log(g.value), slope, g.second / g.value - slope * slope});
  }
  return {grid, std::move(jets)};
}

class SersicShape final : public Shape {
 public:
  explicit SersicShape(double n) : n_(n), log_density_(tabulate(n)) {}

  Jet jet(double x) const override { return from_logarithm(x, log_density_(std::log(x))); }
  Slopes slopes() const override { return {.inner = std::max(1 - 1 / n_, 0.0)}; }  // Ciotti (1991)

 private:
  double n_;
  HermiteTable log_density_;
};

}  // namespace

ShapePointer sersic_shape(double n) { return std::make_shared<SersicShape>(n); }

double sersic_b(double n) { return boost::math::gamma_p_inv(2 * n, 0.5); }

}  // namespace gothic::ic
