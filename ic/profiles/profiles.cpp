#include "ic/profiles/profiles.hpp"

#include <algorithm>
#include <numbers>

#include "files/toml.hpp"

namespace gothic::ic {
namespace {

/// x^-gamma (1 + x^alpha)^((gamma - beta) / alpha) (Zhao 1996, eq. 1).
class DoublePower : public Shape {
 public:
  DoublePower(double alpha, double beta, double gamma)
      : alpha_(alpha), beta_(beta), gamma_(gamma) {}

  Jet jet(double x) const override {
    // These exponentials cannot overflow, however sharp the transition is.
    const double log_x = std::log(x), log_y = alpha_ * log_x;
    const double small = std::exp(-std::abs(log_y));
    const double log_sum = std::max(log_y, 0.0) + std::log1p(small);  // ln(1 + x^alpha)
    const double outer = (log_y > 0 ? 1 : small) / (1 + small);
    const double inner = (log_y > 0 ? small : 1) / (1 + small);
    const double bend = gamma_ - beta_;
    return from_logarithm(x, {-gamma_ * log_x + bend / alpha_ * log_sum, -gamma_ + bend * outer,
                              bend * alpha_ * outer * inner});
  }

  Slopes slopes() const override { return {gamma_, beta_}; }

 private:
  double alpha_, beta_, gamma_;
};

/// A Plummer sphere, the density with the potential of a softened point mass. The other components
/// decide how far the tables reach around it.
class SoftenedPoint : public DoublePower {
 public:
  SoftenedPoint() : DoublePower(2, 5, 0) {}
  double reach() const override { return 1e3; }
};

/// 1 / ((1 + x) (1 + x^2)) (Burkert 1995, eq. 2).
class Burkert : public Shape {
 public:
  Jet jet(double x) const override {
    const double y = 1 + x, z = 1 + x * x, p = x / y, q = x * x / z;
    return from_logarithm(x, {-std::log(y * z), -p - 2 * q, -p / y - 4 * q / z});
  }

  Slopes slopes() const override { return {0, 3}; }
};

/// exp(-2 / alpha (x^alpha - 1)) (Einasto 1965).
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

/// exp(log_centre - rate x^power).
class StretchedExponential : public Shape {
 public:
  StretchedExponential(double rate, double power, double log_centre = 0)
      : rate_(rate), power_(power), log_centre_(log_centre) {}

  Jet jet(double x) const override {
    const double z = rate_ * std::pow(x, power_);
    return from_logarithm(x, {log_centre_ - z, -power_ * z, -power_ * power_ * z});
  }

 private:
  double rate_, power_, log_centre_;
};

using Keys = const files::TomlSection&;
using Folder = const std::filesystem::path&;

/// The `read` of a profile without keys of its own.
template <class OneShape, class... Parameters>
auto fixed(Parameters... parameters) {
  return [=](Keys, Folder) { return std::make_shared<OneShape>(parameters...); };
}

ShapePointer read_king(Keys keys, Folder) { return king_shape(keys.between("w0", 0.1, 16)); }

ShapePointer read_einasto(Keys keys, Folder) {
  return std::make_shared<Einasto>(keys.between("alpha", 0.05, 10));
}

ShapePointer read_double_power(Keys keys, Folder) {
  constexpr double steepest = 100;  // tables of radii can follow no steeper density
  const double alpha = keys.between("alpha", 0.1, 100);
  const double gamma = keys.between("gamma", 0, steepest);
  const double beta = keys.between("beta", 0, steepest);
  if (beta <= gamma) keys.fail("beta", "is " + files::in_words(beta) + "; it must exceed gamma");
  return std::make_shared<DoublePower>(alpha, beta, gamma);
}

double read_index(Keys keys) { return keys.between("n", 0.5, 10); }

ShapePointer read_sersic(Keys keys, Folder) {
  const double n = read_index(keys);
  if (n != 0.5) return sersic_shape(n);
  const double b = sersic_b(n);  // n = 0.5 is a Gaussian, whose core is too flat for a table
  return std::make_shared<StretchedExponential>(b, 2, b + std::log(b / std::numbers::pi) / 2);
}

ShapePointer read_sersic_disc(Keys keys, Folder) {
  const double n = read_index(keys);
  return std::make_shared<StretchedExponential>(sersic_b(n), 1 / n);
}

ShapePointer read_table(Keys keys, Folder folder) {
  return table_shape(read_density_table(folder / keys.text("table")));
}

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

const std::vector<Profile>& profiles() {
  using enum Kind;
  static const std::vector<Profile> all{
      {"plummer", sphere, {}, fixed<DoublePower>(2, 5, 0)},  // Plummer 1911
      {"king", sphere, {"w0"}, read_king, true},
      {"hernquist", sphere, {}, fixed<DoublePower>(1, 4, 1)},  // Hernquist 1990, eq. 2
      {"nfw",
       sphere,
       {"scale_mass", "m200", "concentration", "h0"},
       fixed<DoublePower>(1, 3, 1)},  // Navarro et al. 1997, eq. 1
      {"burkert", sphere, {}, fixed<Burkert>()},
      {"moore", sphere, {}, fixed<DoublePower>(1.5, 3, 1.5)},  // Moore et al. 1999
      {"einasto", sphere, {"alpha", "m200", "concentration", "h0"}, read_einasto},
      {"double_power", sphere, {"alpha", "beta", "gamma"}, read_double_power},
      {"sersic", sphere, {"n"}, read_sersic},
      {"table", sphere, {"table"}, read_table},
      {"black_hole", black_hole, {}, fixed<SoftenedPoint>()},
      {"exponential_disc", disc, {}, fixed<StretchedExponential>(1, 1)},
      {"sersic_disc", disc, {"n"}, read_sersic_disc},
      {"table_disc", disc, {"table"}, read_table}};
  return all;
}

}  // namespace gothic::ic
