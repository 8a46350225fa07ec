#include "paper/extent_tuner.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <optional>

namespace gothic {
namespace {

/// Where in [0, 1] Brent's method wants the value of a function next; nothing once it has found the
/// minimum. The method runs again from the start with the values that are known.
/// \param values in the order in which the method asked for them
std::optional<double> next_of_brent(const std::vector<double>& values) {
  constexpr int bits = 4;  // about a tenth of the interval
  struct Unknown {
    double place;
  };
  auto known = values.begin();
  const auto value = [&](double place) {
    if (known == values.end()) throw Unknown{place};
    return *known++;
  };
  try {
    boost::math::tools::brent_find_minima(value, 0.0, 1.0, bits);
  } catch (const Unknown& next) {
    return next.place;
  }
  return {};
}

}  // namespace

void ExtentTuner::record(std::int64_t now, int age, double seconds) {
  constexpr int learning = 16, trial_length = 4, holding = 60;
  const double fresh = costs_.fresh(now);
  const double expected = fresh * (1 + costs_.excess_share(age));
  ++steps_;
  if (!is_trial() || fresh == 0) {
    costs_.record(now, age, seconds / best_ratio_);
    if (steps_ >= (state_ == State::learn ? learning : holding)) begin_trial();
    return;
  }
  measured_ += seconds;
  expected_ += expected;
  if (steps_ < trial_length) return;
  const double ratio = measured_ / expected_;
  steps_ = 0;
  measured_ = expected_ = 0;
  end_trial(ratio);
}

void ExtentTuner::begin_trial() {
  constexpr double perturbation = 0.35;  // of the logarithm
  steps_ = 0;
  measured_ = expected_ = 0;
  if (state_ == State::learn) {
    state_ = State::scan;
    trial_ = lower_ + 0.5 * spacing_;
  } else {
    state_ = State::perturb;
    direction_ = -direction_;
    trial_ = std::min(best_, largest_) + direction_ * perturbation;
  }
}

void ExtentTuner::end_trial(double ratio) {
  constexpr double noticeable = 0.01;  // share of the time that is worth a change
  // Having no limit is the safe choice, so a first or a perturbed one must gain noticeably.
  if (ratio < best_ratio_ - (best_ratio_ == 1 || state_ == State::perturb ? noticeable : 0)) {
    best_ = trial_;
    best_ratio_ = ratio;
  }
  if (state_ == State::perturb) {
    state_ = State::hold;
    return;
  }
  ratios_.push_back(ratio);
  if (state_ == State::scan) {
    scan_on();
  } else {
    search_on();
  }
}

void ExtentTuner::scan_on() {
  trial_ += spacing_;
  if (ratios_.size() < scanned) return;
  const auto best = std::ranges::min_element(ratios_) - ratios_.begin();
  bracketed_ = lower_ + (double(best) + 0.5) * spacing_;
  ratios_.clear();
  state_ = State::search;
  search_on();
}

/// Searches within one spacing of the best of the extents that were scanned.
void ExtentTuner::search_on() {
  if (const std::optional<double> place = next_of_brent(ratios_)) {
    trial_ = bracketed_ + (2 * *place - 1) * spacing_;
  } else {
    state_ = State::hold;
  }
}

}  // namespace gothic
