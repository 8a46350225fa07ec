#pragma once

#include <cmath>
#include <limits>

namespace gothic {

/// Minimum of a function of one variable in an interval by Brent's method (Brent 1973, chapter 5):
/// parabolas through the best points, golden sections where those do not help. The caller evaluates
/// the function when it can: asks for the next point, tells the value there, asks again.
class BrentMinimiser {
 public:
  /// \param tolerance half width to which the minimum is located
  BrentMinimiser(double lower, double upper, double tolerance)
      : lower_(lower),
        upper_(upper),
        tolerance_(tolerance),
        best_{lower + golden * (upper - lower)},
        second_(best_),
        third_(best_),
        next_(best_.x) {}

  /// Where the function is wanted.
  double next() const { return next_; }
  /// The best point so far and the value there.
  double best() const { return best_.x; }
  double best_value() const { return best_.value; }
  bool converged() const { return converged_; }

  /// The value at next().
  void tell(double value) {
    take({next_, value});
    choose_next();
  }

  /// See named_state.hpp.
  template <class Visitor>
  void visit(Visitor& all) {
    all("lower", lower_)("upper", upper_)("best", best_)("second", second_)("third", third_)(
        "next", next_)("last", last_)("before_last", before_last_)("converged", converged_);
  }

 private:
  static constexpr double golden = 0.3819660112501051;  // (3 - sqrt 5) / 2

  struct Point {
    double x;
    double value = std::numeric_limits<double>::infinity();

    template <class Visitor>
    void visit(Visitor& all) {
      all("x", x)("value", value);
    }
  };

  void take(Point point) {
    if (std::isinf(best_.value)) {
      best_ = second_ = third_ = point;
      return;
    }
    if (point.value <= best_.value) {
      (point.x >= best_.x ? lower_ : upper_) = best_.x;
      third_ = second_;
      second_ = best_;
      best_ = point;
      return;
    }
    (point.x < best_.x ? lower_ : upper_) = point.x;
    if (point.value <= second_.value || second_.x == best_.x) {
      third_ = second_;
      second_ = point;
    } else if (point.value <= third_.value || third_.x == best_.x || third_.x == second_.x) {
      third_ = point;
    }
  }

  void choose_next() {
    const double middle = 0.5 * (lower_ + upper_);
    if (std::abs(best_.x - middle) + 0.5 * (upper_ - lower_) <= 2 * tolerance_) {
      converged_ = true;
      return;
    }
    double step = 0;
    const bool parabola = parabolic_step(middle, step);
    if (!parabola) {
      before_last_ = best_.x >= middle ? lower_ - best_.x : upper_ - best_.x;
      step = golden * before_last_;
    }
    last_ = step;
    next_ = best_.x + (std::abs(step) >= tolerance_ ? step : std::copysign(tolerance_, step));
  }

  /// To the vertex of the parabola through the three points, if that lies inside and the steps
  /// become shorter fast enough.
  bool parabolic_step(double middle, double& step) {
    if (std::abs(before_last_) <= tolerance_) return false;
    const double r = (best_.x - second_.x) * (best_.value - third_.value);
    const double q = (best_.x - third_.x) * (best_.value - second_.value);
    const double above = (best_.x - third_.x) * q - (best_.x - second_.x) * r;
    const double below = 2 * (r - q);
    const double limit = before_last_;
    before_last_ = last_;
    if (below == 0) return false;
    step = above / below;
    const double target = best_.x + step;
    if (std::abs(step) >= 0.5 * std::abs(limit) || target <= lower_ || target >= upper_) {
      return false;
    }
    if (target - lower_ < 2 * tolerance_ || upper_ - target < 2 * tolerance_) {
      step = std::copysign(tolerance_, middle - best_.x);
    }
    return true;
  }

  double lower_, upper_, tolerance_;
  Point best_, second_, third_;
  double next_;
  double last_ = 0, before_last_ = 0;
  bool converged_ = false;
};

}  // namespace gothic
