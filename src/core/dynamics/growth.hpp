#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>

#include "core/named_state.hpp"

namespace gothic {

/// Cost of a walk whose tree has served `age` = 1, 2, ... steps, in any unit.
struct WalkSample {
  double age;
  double cost;
  double weight = 1;  ///< one over the variance of the cost, up to a factor

  void visit(NamedState& all) { all("age", age)("cost", cost)("weight", weight); }
};

/// How walks become dearer as their tree ages: one of the models of Miki & Umemura (2017), section
/// 2.6 and appendix C, fitted to samples.
struct Growth {
  enum class Law {
    linear,    ///< t_i = t_1 + (i - 1) b
    power,     ///< t_i = t_1 r^(i - 1)
    parabolic  ///< t_i = t_1 + (i - 1) b + (i - 1)^2 a
  };
  Law law = Law::linear;
  double first = 0;         ///< t_1
  double slope = 0;         ///< b of the linear and the parabolic law
  double curvature = 0;     ///< a of the parabolic law
  double ratio = 1;         ///< r of the power law
  double reduced_chi2 = 0;  ///< sum of weighted squares of the deviations over degrees of freedom

  /// t_i of step i.
  double cost(double i) const {
    const double x = i - 1;
    if (law == Law::power) return first * std::pow(ratio, x);
    return first + x * (slope + x * curvature);
  }

  /// The number of steps with one tree, whose construction costs `make`, that minimises the mean
  /// cost of a step where each costs `slope` more than the one before.
  static double best_interval(double slope, double make) { return std::sqrt(2 * make / slope); }

  /// Whether n steps with one tree, whose construction costs `make`, are more than the number that
  /// minimises the mean cost of a step. False for models without a minimum.
  bool past_optimum(double n, double make) const {
    if (law == Law::power) {
      if (!(ratio > 1) || !(first > 0)) return false;
      return (n * std::log(ratio) - 1) * std::pow(ratio, n) + 1 >= (ratio - 1) * make / first;
    }
    if (slope + (2 * n - 1) * curvature <= 0) return false;
    return n * n * (slope / 2 + (4 * n - 3) / 6 * curvature) >= make;
  }

  void visit(NamedState& all) {
    all("law", law)("first", first)("slope", slope)("curvature", curvature)("ratio", ratio)(
        "reduced_chi2", reduced_chi2);
  }
};

namespace detail {

/// Coefficients of the polynomial in age - 1, of a degree below `terms`, that fits the samples
/// best; nothing if they do not determine it. `value` and `weight` are functions of a sample.
template <std::size_t terms, class Value, class Weight>
std::optional<std::array<double, terms>> fit_polynomial(std::span<const WalkSample> samples,
                                                        Value value, Weight weight) {
  std::array<std::array<double, terms + 1>, terms> rows{};  // the normal equations
  for (const WalkSample& sample : samples) {
    std::array<double, 2 * terms - 1> powers{1};
    for (std::size_t p = 1; p < powers.size(); ++p) powers[p] = powers[p - 1] * (sample.age - 1);
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t j = 0; j < terms; ++j) rows[i][j] += weight(sample) * powers[i + j];
      rows[i][terms] += weight(sample) * powers[i] * value(sample);
    }
  }
  constexpr double singular = 1e-9;
  for (std::size_t i = 0; i < terms; ++i) {  // a positive matrix needs no pivots
    const double size = rows[i][i];
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= terms; ++j) rows[i][j] -= factor * rows[k][j];
    }
    if (!(rows[i][i] > singular * size)) return {};
  }
  std::array<double, terms> result{};
  for (std::size_t i = terms; i-- > 0;) {
    double rest = rows[i][terms];
    for (std::size_t j = i + 1; j < terms; ++j) rest -= rows[i][j] * result[j];
    result[i] = rest / rows[i][i];
  }
  return result;
}

inline double cost_of(const WalkSample& sample) { return sample.cost; }
inline double weight_of(const WalkSample& sample) { return sample.weight; }

/// The parameters of a law that fit best. The power law is fitted to the logarithms of the costs.
inline std::optional<Growth> fit_law(Growth::Law law, std::span<const WalkSample> samples) {
  Growth growth{.law = law};
  if (law == Growth::Law::parabolic) {
    const auto fit = fit_polynomial<3>(samples, cost_of, weight_of);
    if (!fit) return {};
    std::tie(growth.first, growth.slope, growth.curvature) = std::tuple_cat(*fit);
  } else if (law == Growth::Law::linear) {
    const auto fit = fit_polynomial<2>(samples, cost_of, weight_of);
    if (!fit) return {};
    std::tie(growth.first, growth.slope) = std::tuple_cat(*fit);
  } else {
    const auto positive = [](const WalkSample& sample) { return sample.cost > 0; };
    if (!std::ranges::all_of(samples, positive)) return {};
    const auto fit = fit_polynomial<2>(
        samples, [](const WalkSample& sample) { return std::log(sample.cost); },
        [](const WalkSample& sample) { return sample.weight * sample.cost * sample.cost; });
    if (!fit) return {};
    growth.first = std::exp((*fit)[0]);
    growth.ratio = std::exp((*fit)[1]);
  }
  return growth;
}

}  // namespace detail

/// The law with the smallest reduced chi^2. Nothing without samples of enough ages: a law needs one
/// more sample than it has parameters.
inline std::optional<Growth> fit_growth(std::span<const WalkSample> samples) {
  std::optional<Growth> best;
  for (const Growth::Law law : {Growth::Law::linear, Growth::Law::power, Growth::Law::parabolic}) {
    const std::size_t parameters = law == Growth::Law::parabolic ? 3 : 2;
    if (samples.size() <= parameters) continue;
    std::optional<Growth> growth = detail::fit_law(law, samples);
    if (!growth) continue;
    double chi2 = 0;
    for (const WalkSample& sample : samples) {
      const double deviation = growth->cost(sample.age) - sample.cost;
      chi2 += sample.weight * deviation * deviation;
    }
    growth->reduced_chi2 = chi2 / double(samples.size() - parameters);
    if (!best || growth->reduced_chi2 < best->reduced_chi2) best = growth;
  }
  return best;
}

}  // namespace gothic
