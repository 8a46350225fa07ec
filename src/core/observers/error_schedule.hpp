#pragma once

#include <cstdint>

#include "core/named_state.hpp"

namespace gothic {

/// After which steps the errors of the forces are measured. It counts pairs, not seconds, so that a
/// run can be repeated exactly.
class ErrorSchedule {
 public:
  /// \param interval number of steps; 0: so rarely that samples take 0.5 % of the time at most
  /// \param looks_early whether trees that have grown old for the first time are looked at
  ErrorSchedule(int interval, bool looks_early) : interval_(interval), looks_early_(looks_early) {}

  /// Tells of a step, and whether a sample is due after it.
  /// \param pairs that the step has summed, \param sample_pairs that a sample takes
  bool due(std::int64_t step, double pairs, double sample_pairs) {
    pairs_ += pairs;
    const bool is_early = looks_early_ && step == early_step;
    const bool is_due = interval_ > 0 ? step % interval_ == 0 : share * pairs_ >= sample_pairs;
    if (is_due) pairs_ = 0;
    return is_due || is_early;
  }

  void visit(NamedState& all) { all("pairs", pairs_); }

 private:
  /// A pair of a direct sum takes a third of the time of a pair in a step, whatever belongs to that
  /// step included.
  static constexpr double share = 0.01;
  static constexpr std::int64_t early_step = 16;

  int interval_;
  bool looks_early_;
  double pairs_ = 0;  ///< since the last regular sample
};

}  // namespace gothic
