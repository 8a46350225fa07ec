#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/dynamics/rebuild.hpp"

namespace gothic {

/// What decides when a tree is built anew.
enum class RebuildRule {
  pairs,      ///< growth of the pairs summed, each kind of step against its like
  seconds,    ///< growth of the walk's time, each kind of step against its like
  unweighted  ///< growth of the walk's time from step to step, as published
};
inline constexpr std::pair<const char*, RebuildRule> rebuild_rules[] = {
    {"pairs", RebuildRule::pairs},
    {"seconds", RebuildRule::seconds},
    {"unweighted", RebuildRule::unweighted}};

/// Makes policies by a rule; null for `pairs`, the usual one.
std::function<std::unique_ptr<RebuildPolicy>()> rebuild_policy(RebuildRule rule);

}  // namespace gothic
