#include "ic/shape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ic/king.hpp"
#include "ic/shape_sersic.hpp"
#include "ic/shape_table.hpp"

namespace gothic::ic {
namespace {

class DoublePower : public Shape {
 public:
  DoublePower(double alpha, double beta, double gamma)
      : alpha_(alpha), beta_(beta), gamma_(gamma) {}

  Jet jet(double x) const override {
    // With exponentials that cannot overflow, however sharp the transition.
    const double log_x = std::log(x), log_y = alpha_ * log_x;
    const double small = std::exp(-std::abs(log_y));
    const double log_sum = std::max(log_y, 0.0) + std::log1p(small);  // ln(1 + x^alpha)
    const double outer = (log_y > 0 ? 1 : small) / (1 + small);
    const double inner = (log_y > 0 ? small : 1) / (1 + small);
    const double bend = gamma_ - beta_;
    return from_logarithm(x, {-gamma_ * log_x + bend / alpha_ * log_sum, -gamma_ + bend * outer,
                              bend * alpha_ * outer * inner});
  }

 private:
  double alpha_, beta_, gamma_;
};

/// Other components decide how far the tables reach around a black hole.
class SoftenedPoint : public DoublePower {
 public:
  SoftenedPoint() : DoublePower(2, 5, 0) {}
  double reach() const override { return 1e3; }
};

class Burkert : public Shape {
 public:
  Jet jet(double x) const override {
    const double y = 1 + x, z = 1 + x * x, p = x / y, q = x * x / z;
    return from_logarithm(x, {-std::log(y * z), -p - 2 * q, -p / y - 4 * q / z});
  }
};

class Einasto : public Shape {
 public:
  explicit Einasto(double alpha) : alpha_(alpha) {}

  Jet jet(double x) const override {
    const double power = std::pow(x, alpha_);
    return from_logarithm(x, {-2 / alpha_ * (power - 1), -2 * power, -2 * alpha_ * power});
  }

 private:
  double alpha_;
};

/// What Sersic's profile of index 1/2 deprojects to. A table could not resolve its flat core.
class Gaussian : public Shape {
 public:
  Jet jet(double x) const override {
    const double z = b_ * x * x;
    return from_logarithm(x, {log_centre_ - z, -2 * z, -4 * z});
  }

 private:
  double b_ = sersic_b(0.5);
  double log_centre_ = b_ + std::log(b_ / std::numbers::pi) / 2;
};

}  // namespace

double Shape::reach() const {
  constexpr double step = 0.05, negligible = 1e-16, far = 1e7;
  constexpr int farthest = 1000;  // a factor of 5e21
  double highest = 0, x_highest = 0, x = 1e-5 * size();
  for (int k = 0; k < farthest; ++k) {
    const double mass = x * x * x * jet(x).value;
    if (mass > highest) {
      highest = mass;
      x_highest = x;
    } else if (mass < negligible * highest || x > far * x_highest) {
      break;
    }
    x *= 1 + step;
  }
  return x;
}

Jet from_logarithm(double x, const Jet& logarithm) {
  const double g = std::exp(logarithm.value), slope = logarithm.first;
  return {g, g * slope / x, g * (logarithm.second + slope * (slope - 1)) / (x * x)};
}

std::shared_ptr<const Shape> make_shape(const Component& component) {
  switch (component.profile) {
    case ProfileKind::plummer:
      return std::make_shared<DoublePower>(2, 5, 0);
    case ProfileKind::king:
      return std::make_shared<KingShape>(component.w0);
    case ProfileKind::hernquist:
      return std::make_shared<DoublePower>(1, 4, 1);
    case ProfileKind::nfw:
      return std::make_shared<DoublePower>(1, 3, 1);
    case ProfileKind::burkert:
      return std::make_shared<Burkert>();
    case ProfileKind::moore:
      return std::make_shared<DoublePower>(1.5, 3, 1.5);
    case ProfileKind::einasto:
      return std::make_shared<Einasto>(component.alpha);
    case ProfileKind::double_power:
      return std::make_shared<DoublePower>(component.alpha, component.beta, component.gamma);
    case ProfileKind::sersic:
      if (component.n == 0.5) return std::make_shared<Gaussian>();
      return std::make_shared<SersicShape>(component.n);
    case ProfileKind::table:
      return std::make_shared<TabulatedShape>(tabulated_shape(component.table));
    case ProfileKind::black_hole:
      return std::make_shared<SoftenedPoint>();
    case ProfileKind::exponential_disc:
    case ProfileKind::sersic_disc:
    case ProfileKind::table_disc:
      break;
  }
  throw std::invalid_argument("a disc has no spherical shape");
}

}  // namespace gothic::ic
