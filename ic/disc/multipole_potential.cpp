#include "ic/disc/multipole_potential.hpp"

#include <algorithm>
#include <boost/math/special_functions/legendre.hpp>
#include <numbers>

#include "core/device/host_pieces.hpp"

namespace gothic::ic {
namespace {

constexpr double four_pi = 4 * std::numbers::pi;

/// Number of points that evaluate() treats side by side.
constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

/// Weights of the source at the radii i - 1, i, i + 1, i + 2 in integrals from radius i to i + 1.
struct Weights {
  std::array<std::vector<double>, 4> inner, outer;  // integrals with exp((l + 1) t), exp(-l t)
};

/// Lagrange's cubic polynomials with nodes -1, 0, 1, 2.
std::array<double, 4> cubic_basis(double x) {
  return {-x * (x - 1) * (x - 2) / 6, (x + 1) * (x - 1) * (x - 2) / 2, -(x + 1) * x * (x - 2) / 2,
          (x + 1) * x * (x - 1) / 6};
}

Weights radial_weights(std::size_t orders, double step) {
  static const GaussRule<30> rule;
  Weights weights;
  for (std::size_t k = 0; k < 4; ++k) {
    weights.inner[k].resize(orders);
    weights.outer[k].resize(orders);
  }
  for (std::size_t m = 0; m < orders; ++m) {
    const double l = 2 * static_cast<double>(m);
    for (std::size_t q = 0; q < rule.node.size(); ++q) {
      const double x = rule.node[q], w = rule.weight[q] * step;
      const auto basis = cubic_basis(x);
      for (std::size_t k = 0; k < 4; ++k) {
        weights.inner[k][m] += w * basis[k] * std::exp(-(l + 1) * step * (1 - x));
        weights.outer[k][m] += w * basis[k] * std::exp(-l * step * x);
      }
    }
  }
  return weights;
}

/// The step from the Legendre polynomials of the orders l = 2 m and l + 1 to the next two.
struct Recurrence {
  double a, b, c, d;

  explicit Recurrence(std::size_t m) {
    const double l = 2 * static_cast<double>(m);
    a = (2 * l + 3) / (l + 2);
    b = (l + 1) / (l + 2);
    c = (2 * l + 5) / (l + 3);
    d = (l + 2) / (l + 3);
  }

  void advance(double x, double& even, double& odd) const {
    even = a * x * odd - b * even;
    odd = c * x * even - d * odd;
  }
};

/// Orders beyond some r / h do not matter for a layer of height h at radius r: the coefficients of
/// a Gaussian exp(-(z / h)^2) fall with the order as exp(-(l h / 2 r)^2).
constexpr double orders_per_height = 10;
constexpr double nodes_per_height = 6;  // pairs of nodes, on either side of the middle
constexpr double fewest_orders = 16, most_orders = 4096;

/// Number of even orders that matter at radius r.
std::size_t orders_at(double radius, const MultipolePotential::Layer& layer) {
  const double highest = orders_per_height * radius / layer.height;
  return static_cast<std::size_t>(std::clamp(highest / 2, fewest_orders, most_orders));
}

}  // namespace

MultipolePotential::MultipolePotential(double inner, double outer, std::size_t radii,
                                       const Layer& layer)
    : radii_(inner, outer, radii), layer_(layer), orders_(orders_at(layer.extent, layer)) {
  source_.resize(radii * orders_);
  value_.resize(radii * orders_);
  slope_.resize(radii * orders_);

  const auto nodes = static_cast<int>(
      std::ceil(nodes_per_height * std::min(layer.thickness, layer.extent) / layer.height));
  for (const double x : boost::math::legendre_p_zeros<double>(2 * nodes)) {
    const double slope = boost::math::legendre_p_prime(2 * nodes, x);
    const double weight = 1 / ((1 - x) * (1 + x) * slope * slope);
    for (const double side : {-1.0, 1.0}) {
      cosine_.push_back((1 + side * x) / 2);
      weight_.push_back(weight);
    }
  }
}

void MultipolePotential::solve(const Density& density, unsigned threads) {
  for_pieces(radii_.size(), 8, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) expand(i, density);
  });
  integrate();
}

void MultipolePotential::expand(std::size_t radius, const Density& density) {
  const double r = radii_.radius(radius), top = std::min(1.0, layer_.thickness / r);
  const std::size_t resolved = std::min(orders_, orders_at(r, layer_)), count = cosine_.size();
  std::vector<double> cosine(count), even(count), odd(count);  // P_l and P_(l+1) times the weight
  for (std::size_t j = 0; j < count; ++j) {
    const double x = cosine[j] = cosine_[j] * top;
    even[j] = weight_[j] * top * density(r * std::sqrt((1 - x) * (1 + x)), r * x);
    odd[j] = even[j] * x;
  }
  double* const source = &source_[radius * orders_];
  std::fill_n(source, orders_, 0.0);
  for (std::size_t m = 0; m < resolved; ++m) {
    const Recurrence next(m);
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
      sum += even[j];
      next.advance(cosine[j], even[j], odd[j]);
    }
    source[m] = static_cast<double>(4 * m + 1) * r * r * sum;
  }
}

double MultipolePotential::mean_density(std::size_t i) const {
  const double r = radii_.radius(i);
  return source_[i * orders_] / (r * r);
}

void MultipolePotential::integrate() {
  const std::size_t n = orders_, count = radii_.size();
  const Weights weights = radial_weights(n, radii_.step());
  std::vector<double> nothing(n), centre(source_.begin(), source_.begin() + n);
  for (double& source : centre) source *= std::exp(-2 * radii_.step());
  const auto source = [&](std::size_t i, std::size_t k) -> const double* {  // at radius i + k - 1
    if (i + k == 0) return centre.data();
    return i + k > count ? nothing.data() : &source_[(i + k - 1) * n];
  };

  // The integral over the inside goes to value_, the integral over the outside to slope_. Both are
  // decaying sums, one from either end.
  std::vector<double> inner_decay(n), outer_decay(n);
  for (std::size_t m = 0; m < n; ++m) {
    const double l = 2 * static_cast<double>(m);
    inner_decay[m] = std::exp(-(l + 1) * radii_.step());
    outer_decay[m] = std::exp(-l * radii_.step());
    value_[m] = source_[m] / (l + 3);  // uniform density within the first radius
    slope_[(count - 1) * n + m] = 0;
  }
  const auto add = [&](double* to, const double* from, const std::vector<double>& decay,
                       const std::array<std::vector<double>, 4>& weight, std::size_t i) {
    const double *a = source(i, 0), *b = source(i, 1), *c = source(i, 2), *d = source(i, 3);
    for (std::size_t m = 0; m < n; ++m) {
      to[m] = decay[m] * from[m] + weight[0][m] * a[m] + weight[1][m] * b[m] + weight[2][m] * c[m] +
              weight[3][m] * d[m];
    }
  };
  for (std::size_t i = 0; i + 1 < count; ++i) {
    add(&value_[(i + 1) * n], &value_[i * n], inner_decay, weights.inner, i);
  }
  for (std::size_t i = count - 1; i-- > 0;) {
    add(&slope_[i * n], &slope_[(i + 1) * n], outer_decay, weights.outer, i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t m = 0; m < n; ++m) {
      const double l = 2 * static_cast<double>(m), factor = -four_pi / (2 * l + 1);
      const double inside = value_[i * n + m], outside = slope_[i * n + m];
      value_[i * n + m] = factor * (inside + outside);
      slope_[i * n + m] = factor * (l * outside - (l + 1) * inside) * radii_.step();
    }
  }
}

std::vector<double> MultipolePotential::operator()(double axis_distance,
                                                   const std::vector<double>& heights) const {
  const std::size_t n = orders_;
  std::vector<double> potentials(heights.size());
  for (std::size_t first = 0; first < heights.size(); first += lanes) {
    const std::size_t used = std::min(lanes, heights.size() - first);
    Lanes x{}, fall{}, even, odd, sum{};
    std::array<Lanes, 4> weight{};
    std::array<const double*, lanes> value, slope;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double z = heights[first + std::min(k, used - 1)];
      const double r = std::max(std::hypot(axis_distance, z), radii_.radius(0));
      const auto [i, s] = radii_.place(std::log(r));
      const double y = 1 - s;
      fall[k] = std::min(1.0, std::exp(radii_.last_t()) / r);
      x[k] = std::min(z / r, 1.0);
      weight[0][k] = y * y * (1 + 2 * s);
      weight[1][k] = s * s * (1 + 2 * y);
      weight[2][k] = y * y * s;
      weight[3][k] = -s * s * y;
      value[k] = &value_[i * n];
      slope[k] = &slope_[i * n];
      even[k] = 1;
      odd[k] = x[k];
    }
    for (std::size_t m = 0; m < n; ++m) {
      const Recurrence next(m);
      for (std::size_t k = 0; k < lanes; ++k) {
        const double phi = weight[0][k] * value[k][m] + weight[1][k] * value[k][m + n] +
                           weight[2][k] * slope[k][m] + weight[3][k] * slope[k][m + n];
        sum[k] += phi * even[k];
        next.advance(x[k], even[k], odd[k]);
      }
    }
    for (std::size_t k = 0; k < used; ++k) potentials[first + k] = fall[k] * sum[k];
  }
  return potentials;
}

}  // namespace gothic::ic
