#pragma once

#include <cstdint>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/fixed_list.hpp"
#include "core/device/flags.hpp"
#include "core/gravity/judgement.hpp"
#include "core/ranks/outlines.hpp"
#include "core/ranks/packed_trees.hpp"
#include "core/tree/keys.hpp"
#include "core/tree/tree.hpp"

/// The part of a tree that distant particles need for their forces: the locally essential tree of
/// Warren & Salmon (1992), found as in Bonsai (Bedorf et al. 2014) for blocks of particles.
namespace gothic {

namespace detail {

/// Memory that a warp needs to find the cells that an outline opens; see GroupScratch.
template <class Warp>
struct alignas(Vec4) OpeningScratch {
  static constexpr int registers = 64;  ///< of a GPU thread
  static constexpr std::uint32_t stack_capacity = Warp::width * (tree::key_levels + 1);
  std::uint32_t stack[stack_capacity + Warp::width];
  std::uint32_t opened[2 * Warp::width];
};

}  // namespace detail

/// Raises the flags of the cells that may not act as a whole on all particles of some outlines.
/// \param outlines [count]
/// \param opened [cells] flags; the flags of other cells are left as they are
template <class Device>
void mark_opened(const Device& device, const Tree<Device>& tree, const Outline* outlines,
                 std::uint32_t count, const Acceptance& acceptance, std::uint8_t* opened) {
  using Warp = typename Device::Warp;
  using Scratch = detail::OpeningScratch<Warp>;
  const Vec4 *const center = tree.center.data(), *const reach = tree.reach.data();
  const std::uint32_t* const children = tree.children.data();
  device.template for_each_warp<Scratch>(
      count, [=] GOTHIC_DEVICE(Scratch & scratch, std::size_t task) {
        const Outline own = outlines[task];
        const GroupBounds bounds{{own.x, own.y, own.z, own.radius},
                                 {acceptance.scale(own.acceleration), 0}};
        FixedList<std::uint32_t> stack(scratch.stack), cells(scratch.opened);
        typename Warp::Index cell{};
        for (int n = 1;;) {
          const auto family = Warp::gather(children, cell);
          const auto d2 = squared_distance<Warp>(Warp::gather(center, cell), bounds.ball);
          const auto judged = judge<Order::point, Warp>(bounds, d2, Warp::gather(reach, cell));
          const typename Warp::Mask open = Warp::first(n) && judged.opened;
          Warp::append(stack, open && Warp::nonzero(family), family);
          Warp::append(cells, open, cell);
          const std::uint32_t* const found = cells.data();
          Warp::for_each(cells.size(), [=](std::uint32_t i) { raise(opened[found[i]]); });
          cells.clear();
          if (stack.size() == 0) break;
          n = Warp::template take<Family>(stack, cell);
        }
      });
}

/// An essential tree as the owner of the whole tree keeps it. Its cells are stored as in a Tree.
/// Cells whose children are left out, and leaves whose particles are left out, have neither.
template <class Device>
struct EssentialTree {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  Buffer<std::uint32_t> cells;      ///< [cells] of the whole tree, ascending
  Buffer<std::uint32_t> particles;  ///< [particles] of the whole tree, ascending in each leaf
  // of the essential tree
  Buffer<std::uint32_t> children;  ///< [cells] as `Family` packs them
  Buffer<Range> ranges;            ///< [cells] of `particles`, of opened leaves; else empty
  // shares in the softening, of which a tree with equal lengths has none
  Buffer<float> cell_shares;      ///< [cells]
  Buffer<float> particle_shares;  ///< [particles]

  EssentialSize size() const {
    return {std::uint32_t(cells.size()), std::uint32_t(particles.size())};
  }

  /// Those cells of the whole tree that may be opened here, ascending.
  std::vector<std::uint32_t> opened() const {
    const auto own = cells.downloaded(), family = children.downloaded();
    const auto listed = ranges.downloaded();
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (family[i] != 0 || listed[i].count > 0) result.push_back(own[i]);
    }
    return result;
  }
};

/// Memory that pruning needs.
template <class Device>
struct PruningScratch {
  typename Device::template Buffer<std::uint8_t> opened;  ///< [cells] flags
  typename Device::template Buffer<std::uint8_t> sent;    ///< [cells] flags
  typename Device::template Buffer<std::uint32_t> place;  ///< [cells + 1] of those that are sent
};

namespace detail {

template <class Device>
void lower_flags(const Device& device, const Tree<Device>& tree, PruningScratch<Device>& scratch) {
  scratch.opened.resize(tree.cells());
  fill(device, scratch.opened.data(), scratch.opened.size(), std::uint8_t(0));
}

}  // namespace detail

/// Takes out of a tree what those need that open the marked cells.
/// \param scratch whose flags `opened` are raised for these cells and for their parents
template <class Device>
void make_essential(const Device& device, const Tree<Device>& tree, PruningScratch<Device>& scratch,
                    EssentialTree<Device>& essential) {
  const std::uint32_t all = tree.cells();
  const std::uint32_t* const children = tree.children.data();
  const Range* const particles = tree.particles.data();
  const std::uint8_t* const opened = scratch.opened.data();
  scratch.sent.resize(all);
  scratch.place.resize(all + 1);
  std::uint8_t* const sent = scratch.sent.data();
  std::uint32_t* const place = scratch.place.data();
  device.for_each(all, [=] GOTHIC_DEVICE(std::size_t cell) {
    if (cell == 0) sent[cell] = 1;
    const Range family = Family::range(children[cell]);
    for (std::uint32_t k = 0; k < family.count; ++k) sent[family.first + k] = opened[cell];
  });
  const std::uint32_t count = device.exclusive_scan(
      all, [=] GOTHIC_DEVICE(std::size_t cell) { return std::uint32_t(sent[cell]); }, place);
  essential.cells.resize(count);
  essential.children.resize(count);
  essential.ranges.resize(count);
  std::uint32_t *const cells = essential.cells.data(), *const families = essential.children.data();
  Range* const ranges = essential.ranges.data();
  device.for_each(all, [=] GOTHIC_DEVICE(std::size_t cell) {
    if (sent[cell] == 0) return;
    const Range family = Family::range(children[cell]);
    const std::uint32_t own = place[cell];
    const bool inner = opened[cell] != 0 && family.count > 0;
    cells[own] = std::uint32_t(cell);
    families[own] = inner ? Family::pack({place[family.first], family.count}) : 0;
  });
  const auto particles_of = [=] GOTHIC_DEVICE(std::size_t own) {
    const std::uint32_t cell = cells[own];
    return opened[cell] != 0 && children[cell] == 0 ? particles[cell].count : 0;
  };
  essential.particles.resize(device.exclusive_scan(count, particles_of, place));
  std::uint32_t* const listed = essential.particles.data();
  device.for_each(count, [=] GOTHIC_DEVICE(std::size_t own) {
    const Range whole = particles[cells[own]], part{place[own], place[own + 1] - place[own]};
    ranges[own] = part;
    for (std::uint32_t k = 0; k < part.count; ++k) listed[part.first + k] = whole.first + k;
  });
  if (tree.lengths == Lengths::equal) return;
  essential.cell_shares.resize(count);
  essential.particle_shares.resize(essential.particles.size());
  copy_in_order(device, tree.cell_share.data(), cells, count, essential.cell_shares.data());
  copy_in_order(device, tree.particle_share.data(), listed, essential.particles.size(),
                essential.particle_shares.data());
}

/// Prunes a tree for those who have some outlines.
/// \param outlines [count]
template <class Device>
void prune(const Device& device, const Tree<Device>& tree, const Outline* outlines,
           std::uint32_t count, const Acceptance& acceptance, PruningScratch<Device>& scratch,
           EssentialTree<Device>& essential) {
  detail::lower_flags(device, tree, scratch);
  if (tree.cells() > 0) {
    mark_opened(device, tree, outlines, count, acceptance, scratch.opened.data());
  }
  make_essential(device, tree, scratch, essential);
}

/// Prunes a tree for those who may open some cells.
/// \param cells [count] none of which is there twice, with their parents
template <class Device>
void prune(const Device& device, const Tree<Device>& tree, const std::uint32_t* cells,
           std::uint64_t count, PruningScratch<Device>& scratch, EssentialTree<Device>& essential) {
  detail::lower_flags(device, tree, scratch);
  raise_flags(device, cells, count, scratch.opened.data());
  make_essential(device, tree, scratch, essential);
}

/// Copies the present values of an essential tree out of the whole tree.
/// \param position [n] of the particles of the whole tree
template <class Device>
void pack_values(const Device& device, const Tree<Device>& tree, const Vec4* position,
                 const EssentialTree<Device>& essential, EssentialValues values) {
  const std::uint32_t *const cells = essential.cells.data(), *const particles =
                                                                 essential.particles.data();
  device.for_each(essential.particles.size(), [=] GOTHIC_DEVICE(std::size_t i) {
    values.particles[i] = position[particles[i]];
  });
  const Vec4* const center = tree.center.data();
  const MomentArrays<ConstPointer> moments = tree.moment_pointers();
  const float* const size = tree.size.data();
  device.for_each(essential.cells.size(), [=] GOTHIC_DEVICE(std::size_t i) {
    const std::uint32_t cell = cells[i];
    values.center[i] = center[cell];
    copy_moments(values.order, moments, cell, values.moments, i);
    values.size[i] = size[cell];
  });
}

}  // namespace gothic
