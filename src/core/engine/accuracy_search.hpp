#pragma once

#include <functional>

#include "core/gravity/acceptance.hpp"
#include "core/named_state.hpp"

/// Which accuracy parameter and order give the force error that is asked for.
namespace gothic {

/// What forces with some criterion have shown.
struct AccuracyTrial {
  double error = 0;  ///< 99 % of the relative errors are below
  double pairs = 0;  ///< equivalent pairs that were summed
};

/// A criterion for an error, and how to correct it when the error changes.
struct AccuracyChoice {
  /// The error that is aimed at, over the error that is asked for: samples are uncertain by some
  /// percent, and old trees are less exact than new ones.
  static constexpr double aim = 0.9;
  /// Errors within these bounds, over the error that is asked for, need no correction.
  static constexpr double least = 0.75, most = 1.05;

  Acceptance acceptance;
  double slope = 1;  ///< d ln(error) / d ln(accuracy), about

  /// The criterion for later forces, if the present one was found to give `found`.
  /// \param error that is asked for
  /// \returns whether it has changed
  bool correct(double error, double found);

  void visit(NamedState& all) {
    all("accuracy", acceptance.accuracy)("order", acceptance.order)("slope", slope);
  }
};

/// Tries accuracies, of all orders if the order is automatic, until the error is near the aim.
/// Errors follow power laws of the accuracy roughly, so few trials are enough.
/// \param wanted criterion whose accuracy is sought
/// \param error that is asked for
/// \param typical_acceleration the multipole criterion's accuracy is an acceleration
/// \param trial finds forces with a criterion
/// \returns a criterion whose error was near; of two orders the one with fewer equivalent pairs.
/// The accuracy stays as it is where forces have no errors
AccuracyChoice search_accuracy(const Acceptance& wanted, double error, double typical_acceleration,
                               const std::function<AccuracyTrial(const Acceptance&)>& trial);

}  // namespace gothic
