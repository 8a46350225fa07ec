#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>

#include "core/device/all_devices.hpp"
#include "core/gravity/group_box.hpp"
#include "core/named_state.hpp"
#include "core/tree/groups.hpp"

namespace gothic {

/// Groups and their targets; all pointers to device memory.
struct GroupsOfTargets {
  const Vec4* position;          ///< [n] positions and masses
  const std::uint32_t* targets;  ///< particles that want a force
  const Range* groups;           ///< [group_count] parts of `targets`
  std::uint32_t group_count;
  std::uint32_t group_size;  ///< largest number of particles in a group
  Neighbourhood neighbours;  ///< that count for a ball
};

/// A way to make groups and the balls that stand for them, in place of the usual one (equal numbers
/// of particles, and the balls of their boxes). It may learn from the steps of a simulation.
template <class Device>
class Grouping {
 public:
  virtual ~Grouping() = default;

  /// Groups n targets, in their order, by at most `size`, a power of two.
  /// \param smallest groups are not cut into parts smaller than this
  virtual void make_groups(Device& device, Groups<Device>& groups, const Vec4* position,
                           const std::uint32_t* targets, std::uint32_t n, std::uint32_t size,
                           std::uint32_t smallest) = 0;
  /// [group_count] centres and radii in device memory; null for the balls of the boxes.
  virtual const Vec4* make_balls(Device& device, const GroupsOfTargets& groups) = 0;
  /// r_crit, above which the half diagonals of groups are cut; 0 for no limit.
  virtual float extent() const = 0;

  /// Tells the groups of the first force of a simulation, on all particles.
  virtual void begin(Device& device, const GroupsOfTargets& groups) = 0;
  /// Tells the seconds of making groups and walking in the step to time `now`, in ticks.
  /// \param age steps that the tree has served, this one included
  virtual void record(std::int64_t now, int age, double seconds) = 0;

  // what was learnt; see named_state.hpp
  virtual void visit(NamedState& all) = 0;
};

/// Makes groupings for the solvers of each device.
class GroupingMaker {
 public:
  /// \param make make.operator()<Device>() makes a grouping
  template <class Make>
  explicit GroupingMaker(Make make) {
    for_each_device([&]<class Kind>(const Kind&) {
      using Device = typename Kind::Device;
      std::get<MakeFor<Device>>(make_) = [=] { return make.template operator()<Device>(); };
    });
  }

  template <class Device>
  std::unique_ptr<Grouping<Device>> make(const Device&) const {
    return std::get<MakeFor<Device>>(make_)();
  }

 private:
  template <class Device>
  using MakeFor = std::function<std::unique_ptr<Grouping<Device>>()>;

  OfEachDevice<MakeFor> make_;
};

}  // namespace gothic
