#pragma once

#include <algorithm>
#include <memory>

#include "core/gravity/grouping.hpp"

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

/// How groups are made, and which balls stand for them.
struct GroupVariant {
  Ball ball = Ball::geo;
  float extent = 0;          ///< r_crit, largest half diagonal of a group; 0 for no limit
  bool tune_extent = false;  ///< whether simulations find it by trial

  bool operator==(const GroupVariant&) const = default;
};

/// Makes such groups; null for the usual groups.
std::shared_ptr<const GroupingMaker> grouping(const GroupVariant& variant);

}  // namespace gothic
