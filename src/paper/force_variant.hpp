#pragma once

#include <algorithm>
#include <memory>

#include "core/gravity/variation.hpp"

namespace gothic {

/// Where the ball that stands for a group has its centre.
enum class Ball {
  geo,  ///< centre of the bounding box
  com,  ///< centre of mass
  ebs,  ///< Ritter's efficient bounding sphere
  seb,  ///< smallest enclosing ball
  cmp   ///< whichever of geo and com is smaller
};

/// A kind of ball by its word on the command line.
struct BallWord {
  const char* name;
  Ball ball;
};
inline constexpr BallWord ball_words[] = {{"geo", Ball::geo},
                                          {"ebs", Ball::ebs},
                                          {"seb", Ball::seb},
                                          {"com", Ball::com},
                                          {"cmp", Ball::cmp}};
constexpr const char* name_of(Ball ball) {
  return std::ranges::find(ball_words, ball, &BallWord::ball)->name;
}

/// How sizes of cells are measured, how groups are made, which balls stand for them, and how they
/// walk.
struct ForceVariant {
  Ball ball = Ball::geo;
  float extent = 0;          ///< r_crit, largest half diagonal of a group; 0 for no limit
  bool tune_extent = false;  ///< whether simulations find it by trial
  bool exact_sizes = false;  ///< of cells, not upper bounds
  /// Whether walks go through the tree level by level; particles have one softening length then.
  bool breadth_first = false;

  bool operator==(const ForceVariant&) const = default;
};

/// Makes forces of a variant; null for the usual forces.
std::shared_ptr<const VariationMaker> variation(const ForceVariant& variant);

}  // namespace gothic
