#include <boost/math/special_functions/gamma.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <numbers>
#include <utility>

#include "ic/profiles/profiles.hpp"

/// King's model, f ~ exp(E / sigma^2) - 1, where E is the energy above the energy of the edge. Its
/// density depends on W = (Psi - Psi(edge)) / sigma^2 as
///
///   rho ~ exp(W) erf(sqrt(W)) - sqrt(4 W / pi) (1 + 2 W / 3) = exp(W) P(5/2, W),
///
/// where P is the regularised incomplete gamma function, and W obeys Poisson's equation
///
///   d(x^2 dW/dx)/dx = -9 x^2 rho(W) / rho(W0)
///
/// where x is the radius in units of the core radius r_0, r_0^2 = 9 sigma^2 / (4 pi G rho_0).
namespace gothic::ic {
namespace {

using State = std::array<double, 2>;
using Stepper = boost::numeric::odeint::runge_kutta_fehlberg78<State>;

constexpr double start = 1e-3;  // below it the series is exact to rounding
constexpr double step = 1.0 / 128;

/// exp(W) P(5/2, W) with its first two derivatives, exp(W) P(3/2, W) and exp(W) P(1/2, W).
Jet density_of(double w) {
  if (w <= 0) return {};
  const double exponential = std::exp(w), root = std::sqrt(w);
  const double value = exponential * boost::math::gamma_p(2.5, w);
  const double last_term = w * root * 4 / (3 * std::sqrt(std::numbers::pi));
  return {value, value + last_term, exponential * std::erf(root)};
}

/// W0 - W near the centre, to x^4, with its derivatives with respect to ln x.
Jet series(double w0, double x) {
  const Jet rho = density_of(w0);
  const double second = 1.5 * x * x, fourth = -0.675 * rho.first / rho.value * x * x * x * x;
  return {second + fourth, 2 * second + 4 * fourth, 4 * second + 16 * fourth};
}

/// W0 - W as a table over ln x, from `start` on.
class Integration {
 public:
  explicit Integration(double w0) : w0_(w0), centre_(density_of(w0).value) {
    const Jet first = series(w0, start);
    state_ = {first.value, first.first};
  }

  Jet jet() const { return {state_[0], state_[1], curvature(log_x_, state_[0], state_[1])}; }

  void advance(double h) {
    const auto rates = [&](const State& at, State& rate, double log_x) {
      rate = {at[1], curvature(log_x, at[0], at[1])};
    };
    stepper_.do_step(rates, state_, log_x_, h);
    log_x_ += h;
  }

  /// ln x of the edge. The last step has W as the independent variable, so that it ends at the
  /// edge.
  double edge() {
    State before = state_;
    for (; state_[0] < w0_; advance(step)) before = state_;
    const auto rates = [&](const State& at, State& rate, double deficit) {
      rate = {1 / at[1], curvature(at[0], deficit, at[1]) / at[1]};
    };
    constexpr int steps = 64;
    const double h = (w0_ - before[0]) / steps;
    State last{log_x_ - step, before[1]};
    for (int k = 0; k < steps; ++k) stepper_.do_step(rates, last, before[0] + k * h, h);
    return last[0];
  }

 private:
  /// d^2 (W0 - W) / d(ln x)^2 by Poisson's equation.
  double curvature(double log_x, double deficit, double slope) const {
    return 9 * std::exp(2 * log_x) * density_of(w0_ - deficit).value / centre_ - slope;
  }

  double w0_;
  double centre_;
  double log_x_ = std::log(start);
  State state_{};
  Stepper stepper_;
};

HermiteTable tabulate(double w0) {
  const double log_edge = Integration(w0).edge();
  const auto intervals = static_cast<std::size_t>((log_edge - std::log(start)) / step) + 1;
  const RadialGrid grid(start, std::exp(log_edge), intervals + 1);
  Integration solution(w0);
  std::vector<Jet> jets{solution.jet()};
  while (jets.size() < grid.size()) {
    solution.advance(grid.step());
    jets.push_back(solution.jet());
  }
  return {grid, std::move(jets)};
}

class KingShape final : public Shape {
 public:
  explicit KingShape(double w0)
      : w0_(w0),
        centre_(density_of(w0).value),
        deficit_(tabulate(w0)),
        edge_(std::exp(deficit_.grid().last_t())) {}

  Jet jet(double x) const override {
    if (x >= edge_) return {};
    const Jet d = x < start ? series(w0_, x) : deficit_(std::log(x));
    Jet rho = density_of(w0_ - d.value);
    rho = {rho.value / centre_, rho.first / centre_, rho.second / centre_};
    const double w1 = -d.first / x;
    const double w2 = -9 * rho.value - 2 * w1 / x;
    return {rho.value, rho.first * w1, rho.second * w1 * w1 + rho.first * w2};
  }

  double reach() const override { return edge_; }

 private:
  double w0_;
  double centre_;         // exp(W0) P(5/2, W0)
  HermiteTable deficit_;  // W0 - W over ln x
  double edge_;           // r_t / r_0
};

}  // namespace

ShapePointer king_shape(double w0) { return std::make_shared<KingShape>(w0); }

}  // namespace gothic::ic
