#pragma once

#include "core/gravity/walk_on.hpp"
#include "paper/breadth_first.hpp"

namespace gothic {

/// Forces on all targets by walks of single groups, level by level; particles have one softening
/// length. Compiled once for each device, in walk_by_levels_on_device.cpp.
template <class Device>
void walk_by_levels(const Device& device, Root root, const WalkData& data, const BreadthFirst& way);

}  // namespace gothic
