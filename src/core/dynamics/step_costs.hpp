#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/device/bits.hpp"
#include "core/dynamics/growth.hpp"

namespace gothic {

/// Costs of the walks of block steps with a new tree, and their growth with the tree's age.
///
/// The cost depends mostly on the number of active particles. So a step is compared with steps of
/// its kind: steps with the same active block levels. Growth is fitted to the latest steps of all
/// kinds, each divided by the cost of its kind with a new tree.
class StepCosts {
 public:
  /// \param noisy whether costs are measured times
  explicit StepCosts(bool noisy) : noisy_(noisy) {}

  bool are_noisy() const { return noisy_; }

  /// Cost with a new tree of steps of the kind of the step to time `now`, in ticks; 0 if there were
  /// none.
  double fresh(std::int64_t now) const { return kinds_[kind_of(now)].fresh; }
  /// Steps of this kind since one of them had a new tree; many if none had.
  int fresh_for(std::int64_t now) const { return kinds_[kind_of(now)].fresh_for; }

  /// Whether steps of this kind cost more than `dear_ratio` times the mean of the latest steps.
  bool dear(std::int64_t now) const {
    double sum = 0;
    for (const WalkSample& sample : samples_) sum += std::sqrt(sample.weight);
    return fresh(now) * double(samples_.size()) > dear_ratio * sum;
  }

  /// Whether steps of different ages have told how costs grow.
  bool knows_growth() const { return growth_.has_value(); }
  /// Extra cost of a step whose tree has served `age` steps, as a share of fresh().
  double excess_share(double age) const {
    return growth_ ? std::max(0.0, growth_->cost(age) - 1) : 0;
  }

  /// Tells the cost of the step to time `now`, whose tree had served `age` steps, itself included.
  void record(std::int64_t now, int age, double cost) {
    Kind& kind = kinds_[kind_of(now)];
    if (kind.fresh_for < never) ++kind.fresh_for;
    if (age == 1) {
      kind.fresh = noisy_ && kind.fresh > 0 ? 0.5 * (kind.fresh + cost) : cost;
      kind.fresh_for = 0;
    } else if (kind.fresh == 0) {
      kind.fresh = cost / (1 + excess_share(age));
    }
    if (!(kind.fresh > 0)) return;
    if (samples_.size() == memory) samples_.erase(samples_.begin());
    samples_.push_back({double(age), cost / kind.fresh, kind.fresh * kind.fresh});
    if (const std::optional<Growth> growth = fit_growth(samples_)) growth_ = growth;
  }

  /// See named_state.hpp.
  void visit(NamedState& all) { all("kinds", kinds_)("samples", samples_)("growth", growth_); }

 private:
  static constexpr std::size_t memory = 48;  ///< steps to which growth is fitted
  static constexpr int never = 1 << 30;
  static constexpr double dear_ratio = 1.25;  ///< see dear()

  struct Kind {
    double fresh = 0;
    int fresh_for = never;

    void visit(NamedState& all) { all("fresh", fresh)("fresh_for", fresh_for); }
  };

  /// The power of two that divides the time says which block levels are active.
  static std::size_t kind_of(std::int64_t now) {
    return std::size_t(countr_zero(std::uint64_t(now) | (1ULL << 63)));
  }

  bool noisy_;
  std::array<Kind, 64> kinds_{};
  std::vector<WalkSample> samples_;
  std::optional<Growth> growth_;
};

}  // namespace gothic
