#include "core/engine/accuracy_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace gothic {
namespace {

/// Where 99 % errors of M31, NFW and King models with 2^17 particles lie: one pair of accuracy and
/// error, and the power of the accuracy with which errors vary. The accuracy of the multipole
/// criterion is in units of the typical acceleration.
struct TypicalError {
  double accuracy, error, slope;
};

TypicalError typical_error(Mac mac, Order order) {
  static constexpr TypicalError acceleration[] = {
      {0x1p-7, 2.8e-3, 0.57}, {1.6e-3, 9.5e-4, 0.61}, {1.4e-3, 2.7e-4, 0.63}};
  static constexpr TypicalError opening[] = {
      {0.5, 2e-3, 3}, {0.35, 2.7e-4, 3.4}, {0.47, 2.7e-4, 4}};
  static constexpr TypicalError multipole[] = {
      {0x1p-7, 2.8e-3, 0.5}, {1.6e-3, 9.5e-4, 0.5}, {1.4e-3, 2.7e-4, 0.5}};
  return (mac == Mac::acceleration ? acceleration
          : mac == Mac::opening    ? opening
                                   : multipole)[int(order)];
}

/// Pairs grow with about this power of 1 / error.
double growth_of_pairs(Order order) { return order == Order::octupole ? 0.45 : 0.6; }

/// The search for the accuracy of one order.
class Search {
 public:
  /// \param aim error at which trials aim
  Search(const Acceptance& wanted, Order order, double aim, double typical_acceleration)
      : aim_(aim),
        unit_(wanted.mac == Mac::multipole ? typical_acceleration : 1),
        typical_(typical_error(wanted.mac, order)),
        acceptance_(wanted) {
    acceptance_.order = order;
    set_accuracy(unit_ * typical_.accuracy * std::pow(aim / typical_.error, 1 / typical_.slope));
    choice_ = {acceptance_, typical_.slope};
  }

  /// Takes one trial, nearer to the aim than those before.
  void advance(const std::function<AccuracyTrial(const Acceptance&)>& trial) {
    const AccuracyTrial found = trial(acceptance_);
    if (!(found.error > 0)) {
      is_exact_ = true;
      return;
    }
    const double x = std::log(double(acceptance_.accuracy)), y = std::log(found.error);
    if (has_trial_ && std::abs(x - x_) > least_change) {
      choice_.slope = std::clamp((y - y_) / (x - x_), typical_.slope / 2, 2 * typical_.slope);
    }
    x_ = x;
    y_ = y;
    if (!has_trial_ || std::abs(miss(found)) < std::abs(miss(best_))) {
      best_ = found;
      choice_.acceptance = acceptance_;
    }
    has_trial_ = true;
    set_accuracy(std::exp(x - std::clamp(miss(found) / choice_.slope, -farthest, farthest)));
    is_at_bound_ = std::abs(std::log(double(acceptance_.accuracy)) - x) < least_change;
  }

  bool is_done() const { return is_exact_ || is_at_bound_ || std::abs(miss(best_)) < near; }
  /// Whether forces had no errors, whatever the accuracy.
  bool is_exact() const { return is_exact_; }
  bool reaches_aim() const { return is_exact_ || miss(best_) < near || !is_at_bound_; }
  /// Pairs at the error that is aimed at, about.
  double expected_pairs() const {
    return best_.pairs * std::pow(best_.error / aim_, growth_of_pairs(acceptance_.order));
  }
  const AccuracyChoice& choice() const { return choice_; }

 private:
  static constexpr double near = 0.08;          ///< ln(error / aim) that needs no further trial
  static constexpr double farthest = 6;         ///< largest change of ln(accuracy) at once
  static constexpr double least_change = 0.02;  ///< of ln(accuracy) that tells something

  double miss(const AccuracyTrial& trial) const { return std::log(trial.error / aim_); }

  void set_accuracy(double accuracy) {
    const bool is_angle = acceptance_.mac == Mac::opening;
    const double finest = is_angle ? 0.02 : 0x1p-26 * unit_, coarsest = is_angle ? 1 : 0.5 * unit_;
    acceptance_.accuracy = float(std::clamp(accuracy, finest, coarsest));
  }

  double aim_, unit_;
  TypicalError typical_;
  Acceptance acceptance_;  ///< of the next trial
  AccuracyChoice choice_;
  AccuracyTrial best_;
  double x_ = 0, y_ = 0;  ///< logarithms of accuracy and error of the last trial
  bool has_trial_ = false, is_exact_ = false, is_at_bound_ = false;
};

}  // namespace

bool AccuracyChoice::correct(double error, double found) {
  constexpr double most_change = 4;
  const bool is_fine = found >= least * error && found <= most * error;
  if (is_fine || !(found > 0) || !std::isfinite(found)) return false;
  const double factor = std::pow(aim * error / found, 1 / slope);
  acceptance.accuracy *= float(std::clamp(factor, 1 / most_change, most_change));
  if (acceptance.mac == Mac::opening) acceptance.accuracy = std::min(acceptance.accuracy, 1.0F);
  return true;
}

AccuracyChoice search_accuracy(const Acceptance& wanted, double error, double typical_acceleration,
                               const std::function<AccuracyTrial(const Acceptance&)>& trial) {
  constexpr int most_trials = 4;
  std::vector<Search> searches;
  for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
    const bool is_candidate =
        wanted.order == Order::automatic ? order != Order::point : order == wanted.order;
    if (!is_candidate) continue;
    searches.emplace_back(wanted, order, AccuracyChoice::aim * error, typical_acceleration);
    searches.back().advance(trial);
  }
  Search& best = *std::ranges::min_element(searches, [](const Search& a, const Search& b) {
    if (a.reaches_aim() != b.reaches_aim()) return a.reaches_aim();
    return a.expected_pairs() < b.expected_pairs();
  });
  for (int k = 1; k < most_trials && !best.is_done(); ++k) best.advance(trial);
  AccuracyChoice choice = best.choice();
  if (best.is_exact()) choice.acceptance.accuracy = wanted.accuracy;
  return choice;
}

}  // namespace gothic
