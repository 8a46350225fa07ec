#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace gothic {

/// When snapshots are written; times in the units of the input.
struct OutputTimes {
  double interval = 0;        ///< between two; 0 for none
  std::vector<double> times;  ///< of the system, ascending; where there is no interval

  bool any() const { return interval > 0 || !times.empty(); }
};

/// The times at which a run has something to do besides its steps.
class OutputSchedule {
 public:
  /// \param start time of the initial state, \param end of the last one; infinite for none
  OutputSchedule(double start, double end, OutputTimes outputs)
      : start_(start), end_(end), outputs_(std::move(outputs)) {}

  double end() const { return end_; }

  /// The next time after `time` at which all particles are to be synchronised: the time of an
  /// output or the end; infinite if there is none.
  double next(double time) const {
    const double next = end_ > time ? end_ : none;
    const double output = next_output(time);
    return output < next - slack(next) ? output : next;
  }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();

  /// An output so shortly before the end is the output of the end.
  double slack(double end) const { return end < none ? 1e-9 * (end - start_) : 0; }

  /// Multiples of the interval are found by their number, so that a run that was interrupted has
  /// the very same times.
  double next_output(double time) const {
    if (outputs_.interval > 0) {
      const double done = std::floor((time - start_) / outputs_.interval);
      for (const double number : {done, done + 1, done + 2}) {
        const double output = start_ + number * outputs_.interval;
        if (output > time) return output;
      }
      return std::nextafter(time, none);  // the interval is below the resolution of times
    }
    for (const double output : outputs_.times) {
      if (output > time) return output;
    }
    return none;
  }

  double start_, end_;
  OutputTimes outputs_;
};

}  // namespace gothic
