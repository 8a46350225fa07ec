#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/fixed_list.hpp"
#include "core/device/flags.hpp"
#include "core/gravity/walk.hpp"
#include "core/ranks/opened_cells.hpp"
#include "core/ranks/outlines.hpp"
#include "core/tree/keys.hpp"
#include "core/tree/tree.hpp"

/// The part of a tree that distant particles need for their forces: the locally essential tree of
/// Warren & Salmon (1992), found as in Bonsai (Bedorf et al. 2014) for blocks of particles.
namespace gothic {

namespace detail {

/// Memory that a warp needs to find the cells that an outline opens; see StackScratch.
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
/// \param opened [cells] flags; those of other cells are left as they are
template <class Device>
void mark_opened(const Device& device, const Tree<Device>& tree, const Outline* outlines,
                 std::uint32_t count, const Acceptance& acceptance, std::uint8_t* opened) {
  using Warp = typename Device::Warp;
  using Scratch = detail::OpeningScratch<Warp>;
  const Vec4 *const center = tree.center.data(), *const reach = tree.reach.data();
  const std::uint32_t* const children = tree.children.data();
  device.template for_each_warp<Scratch>(count, [=] GOTHIC_HD(Scratch & scratch, std::size_t task) {
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

/// An essential tree as the owner of the whole tree keeps it. Its cells are stored as those of a
/// Tree. Cells whose children are left out, and leaves whose particles are, have neither.
template <class Device>
struct EssentialTree {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  Buffer<std::uint32_t> cells;      ///< [cells] of the whole tree, ascending
  Buffer<std::uint32_t> particles;  ///< [particles] of the whole tree, ascending in each leaf
  // of the essential tree
  Buffer<std::uint32_t> children;  ///< [cells] as `Family` packs them
  Buffer<Range> ranges;            ///< [cells] of `particles`, of opened leaves; else empty

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
  typename Device::template Buffer<std::uint8_t> sent;    ///< [cells] flags
  typename Device::template Buffer<std::uint32_t> place;  ///< [cells + 1] of those that are sent
};

/// Takes out of a tree what those need that open the marked cells.
/// \param opened [cells] flags; parents of flagged cells are flagged
template <class Device>
void make_essential(const Device& device, const Tree<Device>& tree, const std::uint8_t* opened,
                    PruningScratch<Device>& scratch, EssentialTree<Device>& essential) {
  const std::uint32_t all = tree.cells();
  const std::uint32_t* const children = tree.children.data();
  const Range* const particles = tree.particles.data();
  scratch.sent.resize(all);
  scratch.place.resize(all + 1);
  std::uint8_t* const sent = scratch.sent.data();
  std::uint32_t* const place = scratch.place.data();
  device.for_each(all, [=] GOTHIC_HD(std::size_t cell) {
    if (cell == 0) sent[cell] = 1;
    const Range family = Family::range(children[cell]);
    for (std::uint32_t k = 0; k < family.count; ++k) sent[family.first + k] = opened[cell];
  });
  const std::uint32_t count = device.exclusive_scan(
      all, [=] GOTHIC_HD(std::size_t cell) { return std::uint32_t(sent[cell]); }, place);
  essential.cells.resize(count);
  essential.children.resize(count);
  essential.ranges.resize(count);
  std::uint32_t *const cells = essential.cells.data(), *const families = essential.children.data();
  Range* const ranges = essential.ranges.data();
  device.for_each(all, [=] GOTHIC_HD(std::size_t cell) {
    if (sent[cell] == 0) return;
    const Range family = Family::range(children[cell]);
    const std::uint32_t own = place[cell];
    const bool inner = opened[cell] != 0 && family.count > 0;
    cells[own] = std::uint32_t(cell);
    families[own] = inner ? Family::pack({place[family.first], family.count}) : 0;
  });
  const auto particles_of = [=] GOTHIC_HD(std::size_t own) {
    const std::uint32_t cell = cells[own];
    return opened[cell] != 0 && children[cell] == 0 ? particles[cell].count : 0;
  };
  essential.particles.resize(device.exclusive_scan(count, particles_of, place));
  std::uint32_t* const listed = essential.particles.data();
  device.for_each(count, [=] GOTHIC_HD(std::size_t own) {
    const Range whole = particles[cells[own]], part{place[own], place[own + 1] - place[own]};
    ranges[own] = part;
    for (std::uint32_t k = 0; k < part.count; ++k) listed[part.first + k] = whole.first + k;
  });
}

/// Enlarges the sizes of the cells that a border of domains cuts, so that they are opened from
/// farther away. Whole cells are cubes, and their errors beyond the second moments are far below
/// the bounds of the criteria; those of a part of a cube are not. Without this the errors of NFW
/// grow by two fifths on 7 ranks.
///
/// \param n particles of the tree
/// \param low, high whether other ranks have lower and higher keys
template <class Device>
void enlarge_cut_cells(const Device& device, Tree<Device>& tree, std::uint32_t n, bool low,
                       bool high) {
  if (!low && !high) return;
  constexpr float factor = 1.5F;
  const Range* const particles = tree.particles.data();
  float* const size = tree.size.data();
  device.for_each(tree.cells(), [=] GOTHIC_HD(std::size_t cell) {
    const Range own = particles[cell];
    const bool is_cut = (low && own.first == 0) || (high && own.first + own.count == n);
    if (is_cut) size[cell] *= factor;
  });
}

/// Values of the cells and particles of essential trees at the present time, as they travel.
struct EssentialValues {
  Vec4* particles;                ///< positions and masses
  Vec4* center;                   ///< see Tree
  MomentArrays<Pointer> moments;  ///< see Tree
  float* size;                    ///< see Tree
  Order order;                    ///< to which cells act

  /// Bytes of so many, a multiple of a record's.
  static std::size_t bytes(std::size_t particles, std::size_t cells, Order order) {
    std::size_t cell = sizeof(Vec4) + sizeof(float);
    for_each_moment(order, [&]<Order own>() { cell += sizeof(Moments<own>); });
    const std::size_t records = (cells * cell + sizeof(Vec4) - 1) / sizeof(Vec4);
    return (particles + records) * sizeof(Vec4);
  }
  /// In that many bytes from `memory` on.
  static EssentialValues in(std::byte* memory, std::size_t particles, std::size_t cells,
                            Order order) {
    EssentialValues values{};
    values.order = order;
    const auto take = [&]<class T>(T*& values, std::size_t count) {
      values = reinterpret_cast<T*>(memory);
      memory += count * sizeof(T);
    };
    take(values.particles, particles);
    take(values.center, cells);
    for_each_moment(order, [&]<Order own>() { take(values.moments.template of<own>(), cells); });
    take(values.size, cells);
    return values;
  }
};

/// Copies the present values of an essential tree out of the whole tree.
/// \param position [n] of the particles of the whole tree
template <class Device>
void pack_values(const Device& device, const Tree<Device>& tree, const Vec4* position,
                 const EssentialTree<Device>& essential, EssentialValues values) {
  const std::uint32_t *const cells = essential.cells.data(), *const particles =
                                                                 essential.particles.data();
  device.for_each(essential.particles.size(),
                  [=] GOTHIC_HD(std::size_t i) { values.particles[i] = position[particles[i]]; });
  const Vec4* const center = tree.center.data();
  const MomentArrays<ConstPointer> moments = tree.moment_pointers();
  const float* const size = tree.size.data();
  device.for_each(essential.cells.size(), [=] GOTHIC_HD(std::size_t i) {
    const std::uint32_t cell = cells[i];
    values.center[i] = center[cell];
    copy_moments(values.order, moments, cell, values.moments, i);
    values.size[i] = size[cell];
  });
}

/// Where an essential tree of others lies behind the own tree and the own particles.
struct Attached {
  Range cells, particles;
};

/// Makes room for essential trees of others behind a tree, and roots of them.
/// \param own particles of the tree
/// \param counts of cells and of particles of each, no tree being without cells
/// \returns where they lie
template <class Device>
std::vector<Attached> attach(Tree<Device>& tree, std::uint32_t own,
                             std::span<const std::pair<std::uint32_t, std::uint32_t>> counts) {
  std::vector<Attached> result;
  std::vector<std::uint32_t> roots;
  std::uint32_t cells = tree.cells(), particles = own;
  if (cells > 0) roots.push_back(0);
  for (const auto& [more_cells, more_particles] : counts) {
    roots.push_back(cells);
    result.push_back({{cells, more_cells}, {particles, more_particles}});
    cells += more_cells;
    particles += more_particles;
  }
  if (cells > Family::most_cells) throw std::bad_alloc();
  tree.resize(cells);
  tree.roots.resize(roots.size());
  tree.roots.upload(roots);
  return result;
}

/// Writes the topology of an essential tree of others to its place. Where a walk opens a cell
/// whose children or particles are not there, it meets a source that makes its force NaN.
/// \param children, ranges [cells] see EssentialTree
/// \param nowhere place of that source among the positions
template <class Device>
void attach_topology(const Device& device, Tree<Device>& tree, const Attached& where,
                     const std::uint32_t* children, const Range* ranges, std::uint32_t nowhere) {
  std::uint32_t* const families = tree.children.data() + where.cells.first;
  Range* const particles = tree.particles.data() + where.cells.first;
  device.for_each(where.cells.count, [=] GOTHIC_HD(std::size_t i) {
    const Range family = Family::range(children[i]), own = ranges[i];
    families[i] =
        family.count > 0 ? Family::pack({family.first + where.cells.first, family.count}) : 0;
    particles[i] =
        own.count > 0 ? Range{own.first + where.particles.first, own.count} : Range{nowhere, 1};
  });
}

/// Writes the present values of an essential tree of others to their places.
/// \param position [own particles and those of others] result
template <class Device>
void attach_values(const Device& device, Tree<Device>& tree, const Attached& where,
                   EssentialValues values, Vec4* position) {
  const Range own = where.particles, cells = where.cells;
  device.for_each(own.count,
                  [=] GOTHIC_HD(std::size_t i) { position[own.first + i] = values.particles[i]; });
  Vec4* const center = tree.center.data();
  const MomentArrays<Pointer> moments = tree.moment_pointers();
  float* const size = tree.size.data();
  device.for_each(cells.count, [=] GOTHIC_HD(std::size_t i) {
    const std::size_t cell = cells.first + i;
    center[cell] = values.center[i];
    copy_moments(values.order, values.moments, i, moments, cell);
    size[cell] = values.size[i];
  });
}

/// The source at the place `nowhere`; see attach_topology.
inline Vec4 unknown_source() { return {0, 0, 0, std::numeric_limits<float>::quiet_NaN()}; }

/// Whether the walk for a target met that source.
GOTHIC_HD inline bool is_lacking(const Vec4& acceleration) {
  return !(acceleration.w == acceleration.w);
}

/// How many targets met it.
/// \param acceleration of the particles, targets [count]
template <class Device>
std::uint32_t count_lacking(const Device& device, const Vec4* acceleration,
                            const std::uint32_t* targets, std::uint32_t count) {
  return count_chosen(device, count, [=] GOTHIC_HD(std::uint32_t k) {
    return is_lacking(acceleration[targets[k]]);
  });
}

/// Lists those that met it.
/// \param listed result
/// \returns their number
template <class Device>
std::uint32_t list_lacking(const Device& device, const Vec4* acceleration,
                           const std::uint32_t* targets, std::uint32_t count,
                           typename Device::template Buffer<std::uint32_t>& listed) {
  list_chosen(
      device, count,
      [=] GOTHIC_HD(std::uint32_t k) { return is_lacking(acceleration[targets[k]]); }, listed);
  std::uint32_t* const out = listed.data();
  device.for_each(listed.size(), [=] GOTHIC_HD(std::size_t i) { out[i] = targets[out[i]]; });
  return std::uint32_t(listed.size());
}

}  // namespace gothic
