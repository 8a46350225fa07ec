#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>

#include "core/device/all_devices.hpp"
#include "core/gravity/walk.hpp"
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

/// Another way to find forces: what a solver asks it for takes the place of the usual (cells whose
/// sizes are upper bounds, groups of equal numbers of particles, balls of their boxes, the device's
/// walk). It may learn from the steps of a simulation.
template <class Device>
class Variation {
 public:
  virtual ~Variation() = default;

  /// Measures the sizes b_J of the cells anew; see update_moments.
  virtual void measure_cells(Device& device, Tree<Device>& tree, const Vec4* position) = 0;

  /// Groups n targets, in their order, by at most `size`, a power of two.
  virtual void make_groups(Device& device, Groups<Device>& groups, const Vec4* position,
                           const std::uint32_t* targets, std::uint32_t n, std::uint32_t size) = 0;
  /// [group_count] centres and radii in device memory; null for the balls of the boxes.
  virtual const Vec4* make_balls(Device& device, const GroupsOfTargets& groups) = 0;
  /// r_crit, above which the half diagonals of groups are cut; 0 for no limit.
  virtual float extent() const = 0;

  /// Walks for all groups, with counts as from the walk of single groups; false to leave it to the
  /// usual walk.
  virtual bool walk(Device& device, Root root, const Tree<Device>& tree, const WalkData& data) = 0;

  /// Tells the groups of the first force of a simulation, on all particles.
  virtual void begin(Device& device, const GroupsOfTargets& groups) = 0;
  /// Tells the seconds of making groups and walking in the step to time `now`, in ticks.
  /// \param age steps that the tree has served, this one included
  virtual void record(std::int64_t now, int age, double seconds) = 0;

  // what was learnt; see named_state.hpp
  virtual void visit(NamedState& all) = 0;
};

/// Makes variations for the solvers of each device.
class VariationMaker {
 public:
  /// \param make `make.operator()<Device>()` makes a variation
  template <class Make>
  explicit VariationMaker(Make make) {
    for_each_device([&]<class Kind>(const Kind&) {
      using Device = typename Kind::Device;
      std::get<MakeFor<Device>>(make_) = [=] { return make.template operator()<Device>(); };
    });
  }

  template <class Device>
  std::unique_ptr<Variation<Device>> make(const Device&) const {
    return std::get<MakeFor<Device>>(make_)();
  }

 private:
  template <class Device>
  using MakeFor = std::function<std::unique_ptr<Variation<Device>>()>;

  OfEachDevice<MakeFor> make_;
};

}  // namespace gothic
