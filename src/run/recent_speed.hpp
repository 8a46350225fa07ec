#pragma once

#include <cstdint>
#include <deque>

#include "core/engine/simulation.hpp"

namespace gothic {

/// Time after which the work of the steps repeats itself but for a tenth: the shortest step beyond
/// which all longer ones cause at most a tenth of the forces. A particle of step dt has a share of
/// 1 / dt in them. 0 without particles.
double work_period(const StepLevels& levels);

/// How far a run has come, or how far it came in some time.
struct Advance {
  double wall = 0;  ///< seconds, of any origin
  double time = 0;  ///< simulated
  std::int64_t step = 0;
  std::uint64_t interactions = 0;  ///< of all steps so far

  /// Means; not numbers where nothing was advanced.
  double steps_per_second() const;
  double interactions_per_second() const;
  double time_per_step() const;
};

/// How fast a run has been of late.
///
/// Block steps differ in cost by orders of magnitude, but all kinds of them return after the
/// longest step that matters. So speed is measured over the last whole number of such periods that
/// takes at least ten seconds: there every kind of step has its share, and an estimate of what
/// remains does not swing with the kind that happens to be under way.
class RecentSpeed {
 public:
  explicit RecentSpeed(const Advance& start) : marks_{start}, latest_(start) {}

  /// Tells how far the run is now.
  /// \param period simulated time after which the kinds of steps repeat themselves, see work_period
  void add(const Advance& now, double period);

  /// What was done in the time over which speed is measured.
  Advance window() const;

  /// Seconds until the simulated time or the number of steps is reached. Not numbers before the
  /// window holds a whole period, and where nothing advances.
  double seconds_to_time(double end) const;
  double seconds_to_step(std::int64_t last) const;

 private:
  static constexpr double least_window = 10;       ///< seconds
  static constexpr double least_spacing = 0.02;    ///< of marks, in seconds
  static constexpr double most_per_window = 1024;  ///< about as many marks are kept

  bool holds_period() const;
  const Advance& window_start() const;

  std::deque<Advance> marks_;  ///< the first is before the window or begins it
  Advance latest_;
  double period_ = 0;
};

}  // namespace gothic
