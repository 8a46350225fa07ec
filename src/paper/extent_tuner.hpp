#pragma once

#include <cmath>
#include <cstdint>

#include "core/dynamics/step_costs.hpp"
#include "paper/brent.hpp"

namespace gothic {

/// Finds the extent r_crit above which groups are cut (Miki & Umemura 2017, section 2.4) by Brent's
/// minimisation of the measured time of the walk, and follows it as the system evolves: now and
/// then it tries one a little smaller or larger.
///
/// Times of block steps differ by orders of magnitude because of the number of active particles. So
/// a trial lasts a few steps, and what counts is their time over that of such steps without a
/// limit, the age of the tree taken into account (StepCosts); those are made first.
class ExtentTuner {
 public:
  /// \param mean_log2, largest_log2 mean and largest logarithm to base 2 of the groups' extents at
  ///        the start, when all particles are active
  ExtentTuner(double mean_log2, double largest_log2)
      : largest_(largest_log2),
        lower_(mean_log2 - 1),
        spacing_((largest_log2 - lower_) / scanned),
        brent_(lower_, largest_log2, tolerance) {}

  /// r_crit for the coming step.
  float extent() const {
    const double chosen = is_trial() ? trial_ : best_;
    return chosen > largest_ ? no_limit : float(std::exp2(chosen));
  }

  /// Tells the seconds of making groups and walking in the step to time `now`, in ticks.
  /// \param age steps that the tree has served, this one included
  void record(std::int64_t now, int age, double seconds) {
    const double fresh = costs_.fresh(now);
    const double expected = fresh * (1 + costs_.excess_share(age));
    if (!is_trial() || fresh == 0) {
      costs_.record(now, age, seconds / best_ratio_);
      if (++steps_ >= (state_ == State::learn ? learning : holding)) begin_trial();
      return;
    }
    measured_ += seconds;
    expected_ += expected;
    if (++steps_ >= trial_length) end_trial(measured_ / expected_);
  }

  /// See named_state.hpp.
  template <class Visitor>
  void visit(Visitor& all) {
    all("state", state_)("largest", largest_)("lower", lower_)("spacing", spacing_)(
        "bracketed", bracketed_)("bracketed_ratio", bracketed_ratio_)("brent", brent_)(
        "costs", costs_)("best", best_)("best_ratio", best_ratio_)("trial", trial_)(
        "direction", direction_)("steps", steps_)("measured", measured_)("expected", expected_);
  }

 private:
  static constexpr float no_limit = 3e38F;
  static constexpr double tolerance = 0.2;      ///< of the logarithm
  static constexpr double perturbation = 0.35;  ///< the same
  static constexpr double noticeable = 0.01;    ///< share of the time that is worth a change
  static constexpr int learning = 16, trial_length = 4, holding = 60;
  static constexpr int scanned = 5;  ///< extents that are tried to bracket the minimum

  enum class State { learn, scan, search, hold, perturb };

  bool is_trial() const { return state_ != State::learn && state_ != State::hold; }

  void begin_trial() {
    if (state_ == State::learn) {
      state_ = State::scan;
      trial_ = lower_ + 0.5 * spacing_;
    } else {
      state_ = State::perturb;
      direction_ = -direction_;
      trial_ = (best_ > largest_ ? largest_ : best_) + direction_ * perturbation;
    }
    start_counting();
  }

  void end_trial(double ratio) {
    start_counting();
    // Without a limit nothing is lost; a change must be worth it.
    if (ratio < best_ratio_ - (best_ratio_ == 1 || state_ == State::perturb ? noticeable : 0)) {
      best_ = trial_;
      best_ratio_ = ratio;
    }
    if (state_ == State::scan) {
      scan_on(ratio);
    } else if (state_ == State::search) {
      brent_.tell(ratio);
      trial_ = brent_.next();
      if (brent_.converged()) state_ = State::hold;
    } else {
      state_ = State::hold;
    }
  }

  /// The minimum is searched for around the best of the extents that were scanned.
  void scan_on(double ratio) {
    if (ratio < bracketed_ratio_) {
      bracketed_ = trial_;
      bracketed_ratio_ = ratio;
    }
    trial_ += spacing_;
    if (trial_ < largest_) return;
    brent_ = BrentMinimiser(bracketed_ - spacing_, bracketed_ + spacing_, tolerance);
    trial_ = brent_.next();
    state_ = State::search;
  }

  void start_counting() {
    steps_ = 0;
    measured_ = expected_ = 0;
  }

  State state_ = State::learn;
  double largest_, lower_, spacing_;
  double bracketed_ = 0, bracketed_ratio_ = 1e30;
  BrentMinimiser brent_;
  StepCosts costs_{true};  ///< without a limit
  double best_ = 1e30;     ///< logarithm of the extent; beyond the largest for no limit
  double best_ratio_ = 1;  ///< time over that without a limit
  double trial_ = 0;
  double direction_ = 1;
  int steps_ = 0;
  double measured_ = 0, expected_ = 0;
};

}  // namespace gothic
