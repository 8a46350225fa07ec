#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/dynamics/step_costs.hpp"

namespace gothic {

/// Finds the extent r_crit above which groups are cut (Miki & Umemura 2017, section 2.4) by Brent's
/// minimisation of the measured time of the walk, and follows it as the system evolves: now and
/// then it tries an extent that is a little smaller or larger.
///
/// Times of block steps differ by orders of magnitude because of the number of active particles. So
/// a trial lasts a few steps, and what counts is their time over the time of such steps without a
/// limit, with the age of the tree taken into account (StepCosts). Steps without a limit are made
/// first.
class ExtentTuner {
 public:
  /// \param mean_log2, largest_log2 mean and largest logarithm to base 2 of the groups' extents at
  ///        the start, when all particles are active
  ExtentTuner(double mean_log2, double largest_log2)
      : largest_(largest_log2),
        lower_(mean_log2 - 1),
        spacing_((largest_log2 - lower_) / scanned) {}

  /// r_crit for the coming step.
  float extent() const {
    constexpr float no_limit = 3e38F;
    const double chosen = is_trial() ? trial_ : best_;
    return chosen > largest_ ? no_limit : float(std::exp2(chosen));
  }

  /// Tells the seconds of making groups and walking in the step to time `now`, in ticks.
  /// \param age steps that the tree has served, this one included
  void record(std::int64_t now, int age, double seconds);

  /// See named_state.hpp.
  void visit(NamedState& all) {
    all("state", state_)("largest", largest_)("lower", lower_)("spacing", spacing_)(
        "bracketed", bracketed_)("ratios", ratios_)("costs", costs_)("best", best_)(
        "best_ratio", best_ratio_)("trial", trial_)("direction", direction_)("steps", steps_)(
        "measured", measured_)("expected", expected_);
  }

 private:
  static constexpr int scanned = 5;  ///< extents that are tried to bracket the minimum

  enum class State { learn, scan, search, hold, perturb };

  bool is_trial() const { return state_ != State::learn && state_ != State::hold; }
  void begin_trial();
  void end_trial(double ratio);
  void scan_on();
  void search_on();

  State state_ = State::learn;
  double largest_, lower_, spacing_;
  double bracketed_ = 0;        ///< the best of the extents that were scanned
  std::vector<double> ratios_;  ///< of the trials of the scan, then of the search
  StepCosts costs_{true};       ///< without a limit
  double best_ = 1e30;          ///< logarithm of the extent; beyond the largest for no limit
  double best_ratio_ = 1;       ///< time over the time without a limit
  double trial_ = 0;
  double direction_ = 1;
  int steps_ = 0;
  double measured_ = 0, expected_ = 0;
};

}  // namespace gothic
