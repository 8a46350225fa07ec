#pragma once

namespace gothic {

/// Decides when the tree is built anew: after a fixed number of steps.
class RebuildPolicy {
 public:
  /// \param interval steps that one tree serves, at least 1
  explicit RebuildPolicy(int interval) : interval_(interval) {}

  /// Whether the coming step wants a new tree; to be asked once a step.
  bool due() {
    const bool rebuild = age_ == interval_;
    age_ = rebuild ? 1 : age_ + 1;
    return rebuild;
  }

 private:
  int interval_;
  int age_ = 0;  ///< steps that the present tree has served
};

}  // namespace gothic
