#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "core/device/annotations.hpp"
#include "core/device/arrays.hpp"
#include "core/device/bits.hpp"
#include "core/device/vec4.hpp"
#include "core/tree/divided_cells.hpp"
#include "core/tree/keys.hpp"
#include "core/tree/multipole.hpp"

namespace gothic {

/// The children of a cell, at most 8, packed into 32 bits; 0 for a leaf.
struct Family {
  static constexpr std::uint32_t most_cells = 1U << 28;

  GOTHIC_HD static std::uint32_t pack(Range children) {
    return children.first << 4 | children.count;
  }
  GOTHIC_HD static Range range(std::uint32_t packed) { return {packed >> 4, packed & 15}; }
};

/// What walks read of a tree; all pointers to device memory. See Tree.
struct TreeView {
  const Vec4* center;
  MomentArrays<ConstPointer> moments;
  const Vec4* reach;
  const std::uint32_t* children;
  const Range* particles;
  const std::uint32_t* roots;             ///< [root_count]
  std::uint32_t root_count;               ///< at least 1
  const float* particle_share = nullptr;  ///< null if all have one softening length
  const float* cell_share = nullptr;
};

/// Oct-tree over particles that are sorted by their space-filling-curve keys.
///
/// Invariants:
///  * cell 0 is the root; cells are stored level by level, so that children follow their parent,
///    and the children of one cell are consecutive;
///  * a cell owns a range of the sorted particles, its children partition that range in order;
///  * a cell without children is a leaf; it owns at most `leaf_capacity` particles, or particles
///    that share one key;
///  * chains of cells with a single child are left out: every other cell has 2 to 8 children, so
///    there are fewer than 2 N cells, and a level of this tree may join several levels of the key.
///
/// The topology is valid from one construction to the next; the moments belong to the positions
/// that `update_moments` saw last.
template <class Device>
struct Tree {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  std::vector<std::uint32_t> level;  ///< level l is cells level[l] ... level[l + 1] - 1
  Buffer<Range> particles;           ///< [cells]
  Buffer<std::uint32_t> children;    ///< [cells] as `Family` packs them

  /// Cells at which a walk begins: the root of the own tree, and the roots of other ranks' trees,
  /// which are attached behind it; see ranks/attached_trees.hpp.
  Buffer<std::uint32_t> roots;

  Buffer<Vec4> center;           ///< [cells] centre of mass r_J and mass m_J
  Buffer<float> size;            ///< [cells] b_J, radius about r_J that encloses all particles
  MomentArrays<Buffer> moments;  ///< [cells] each, or [0] where an order does not want them
  Buffer<Vec4> reach;            ///< [cells] see gravity/acceptance.hpp, which sets it

  Lengths lengths = Lengths::equal;  ///< of the softening
  // [0] if lengths are equal
  Buffer<float> particle_share;  ///< [particles] share in the softening; see softening_share()
  Buffer<float> cell_share;      ///< [cells] its mean over the mass

  // scratch of the construction
  Buffer<Range> divided;
  Buffer<std::uint64_t> depth;
  Buffer<std::uint32_t> offset, octants, parent, order, count, first_child, cell;
  Buffer<float> cell_mass;  ///< scratch of share_softening

  std::uint32_t cells() const { return level.empty() ? 0 : level.back(); }
  /// Number of cells, including attached trees of other ranks.
  std::size_t all_cells() const { return center.size(); }
  std::size_t levels() const { return level.size() - 1; }
  /// Begins of the levels but the deepest, which has leaves alone, and the end of the last of them.
  std::span<const std::uint32_t> inner_levels() const { return std::span(level).first(levels()); }

  /// Makes room for the topology, the centres and the reach.
  void resize(std::size_t all_cells) {
    particles.resize(all_cells);
    children.resize(all_cells);
    center.resize(all_cells);
    size.resize(all_cells);
    reach.resize(all_cells);
  }
  /// Makes room for the moments of cells that act to an order, and for no others.
  void resize_moments(Order order) {
    for_each_order<Order::quadrupole, highest_order>([&]<Order own>() {
      moments.template of<own>().resize(own <= stored_order(order) ? all_cells() : 0);
    });
  }
  MomentArrays<Pointer> moment_pointers() { return pointers<Pointer>(*this); }
  MomentArrays<ConstPointer> moment_pointers() const { return pointers<ConstPointer>(*this); }
  TreeView view() const {
    return {.center = center.data(),
            .moments = moment_pointers(),
            .reach = reach.data(),
            .children = children.data(),
            .particles = particles.data(),
            .roots = roots.data(),
            .root_count = std::uint32_t(roots.size()),
            .particle_share = lengths == Lengths::own ? particle_share.data() : nullptr,
            .cell_share = lengths == Lengths::own ? cell_share.data() : nullptr};
  }

 private:
  template <template <class> class Array, class Self>
  static MomentArrays<Array> pointers(Self& tree) {
    MomentArrays<Array> result;
    for_each_order<Order::quadrupole, highest_order>(
        [&]<Order own>() { result.template of<own>() = tree.moments.template of<own>().data(); });
    return result;
  }
};

namespace detail {

/// The divided cells in a list, those of one sample after those of another; see DividedCells.
struct DividedList {
  DividedCells cells;
  const std::uint32_t* offset;   ///< [samples + 1] where the cells of a sample begin
  const Range* particles;        ///< [divided]
  const std::uint32_t* octants;  ///< [8 divided] results of octant_begin

  /// Index of the first particle of a cell that lies in an octant, or a later one, of the smallest
  /// cube around the cell's keys.
  GOTHIC_HD std::uint32_t octant_begin(std::uint32_t cell, std::uint32_t octant) const {
    const tree::Key* const keys = cells.keys;
    const std::uint32_t first = particles[cell].first, end = first + particles[cell].count;
    const int shift = 3 * ((bit_width(keys[first] ^ keys[end - 1]) - 1) / 3);
    if (octant == 0) return first;
    return first_of(first, end, [=](std::uint32_t i) { return (keys[i] >> shift & 7) >= octant; });
  }

  /// Calls f(child) for the particles of every child.
  template <class F>
  GOTHIC_HD void for_each_child(std::uint32_t cell, F f) const {
    const std::uint32_t* const begin = octants + 8 * std::size_t(cell);
    const std::uint32_t all_end = particles[cell].first + particles[cell].count;
    for (int octant = 0; octant < 8; ++octant) {
      const std::uint32_t end = octant < 7 ? begin[octant + 1] : all_end;
      if (end > begin[octant]) f(Range{begin[octant], end - begin[octant]});
    }
  }

  /// Where a child is in the list that is divided itself.
  GOTHIC_HD std::uint32_t index_of(Range child, std::uint32_t parent) const {
    const std::uint32_t sample = cells.sample_behind(child.first);
    const bool same = sample == cells.sample_behind(particles[parent].first);
    return same ? parent - 1 : offset[sample + 1] - 1;
  }
};

/// Lists the divided cells and their octants.
template <class Device>
DividedList list_divided(Device& device, Tree<Device>& tree, const DividedCells& cells) {
  tree.offset.resize(cells.samples() + 1);
  tree.count.resize(cells.samples());
  std::uint32_t *const offset = tree.offset.data(), *const count = tree.count.data();
  device.for_each(cells.samples(), [=] GOTHIC_DEVICE(std::size_t sample) {
    std::uint32_t own = 0;
    cells.for_each(std::uint32_t(sample), [&](Range) { ++own; });
    count[sample] = own;
  });
  const std::uint32_t divided = device.exclusive_scan(
      cells.samples(), [=] GOTHIC_DEVICE(std::size_t sample) { return count[sample]; }, offset);
  tree.divided.resize(divided);
  tree.octants.resize(8 * std::size_t(divided));
  Range* const particles = tree.divided.data();
  std::uint32_t* const octants = tree.octants.data();
  device.for_each(cells.samples(), [=] GOTHIC_DEVICE(std::size_t sample) {
    Range* next = particles + offset[sample];
    cells.for_each(std::uint32_t(sample), [&](Range cell) { *next++ = cell; });
  });
  const DividedList list{cells, offset, particles, octants};
  device.for_each(8 * std::size_t(divided), [=] GOTHIC_DEVICE(std::size_t i) {
    octants[i] = list.octant_begin(std::uint32_t(i / 8), std::uint32_t(i % 8));
  });
  return list;
}

/// Counts the children of the divided cells, and sorts these by their depth: `order` lists them,
/// those of one depth as they were.
template <class Device>
void sort_by_depth(Device& device, Tree<Device>& tree, const DividedList& list) {
  constexpr int depth_bits = 5;
  static_assert(tree::key_levels < 1 << depth_bits);
  const std::size_t divided = tree.divided.size();
  tree.parent.resize(divided);
  tree.depth.resize(divided);
  tree.order.resize(divided);
  tree.count.resize(divided);
  std::uint32_t *const parent = tree.parent.data(), *const count = tree.count.data();
  std::uint64_t* const depth = tree.depth.data();
  std::uint32_t* const order = tree.order.data();
  device.for_each(divided, [=] GOTHIC_DEVICE(std::size_t i) {
    const auto own = std::uint32_t(i);
    std::uint32_t children = 0;
    if (list.particles[own].count == list.cells.n) parent[own] = own;
    list.for_each_child(own, [&](Range child) {
      if (list.cells.is_divided(child)) parent[list.index_of(child, own)] = own;
      ++children;
    });
    count[own] = children;
  });
  device.for_each(divided, [=] GOTHIC_DEVICE(std::size_t i) {
    std::uint64_t above = 0;
    for (auto at = std::uint32_t(i); parent[at] != at; at = parent[at]) ++above;
    depth[i] = above;
    order[i] = std::uint32_t(i);
  });
  device.sort_pairs(tree.depth, tree.order, depth_bits);
}

}  // namespace detail

/// Builds the topology. The cells that are divided are found first, each by itself; their numbers
/// follow from how deep they lie and how many children come before theirs.
///
/// \param keys sorted keys of the n particles, 3 bits for every level of the cube's subdivision.
/// \param leaf_capacity largest number of particles in a leaf, at least 1.
/// \throws std::bad_alloc if the device has no room for the cells.
template <class Device>
void build_tree(Device& device, Tree<Device>& tree, const tree::Key* keys, std::uint32_t n,
                std::uint32_t leaf_capacity) {
  if (n == 0) {
    tree.level = {0, 0};
    tree.resize(0);
    tree.roots.resize(0);
    return;
  }
  const detail::DividedList list =
      detail::list_divided(device, tree, DividedCells{keys, n, leaf_capacity});
  detail::sort_by_depth(device, tree, list);
  const std::size_t divided = tree.divided.size();
  const std::uint32_t* const order = tree.order.data();
  const std::uint64_t* const depth = tree.depth.data();
  const std::uint32_t* const count = tree.count.data();
  const auto born = device.template start_histogram<tree::key_levels, std::uint64_t>(
      divided, [=] GOTHIC_DEVICE(std::size_t k) {
        return WeighedBin{int(depth[k]), count[order[k]]};
      });
  tree.first_child.resize(divided + 1);
  std::uint32_t* const first_child = tree.first_child.data();
  const std::uint32_t all =
      1 + device.exclusive_scan(
              divided, [=] GOTHIC_DEVICE(std::size_t k) { return count[order[k]]; }, first_child);
  if (all > Family::most_cells) throw std::bad_alloc();
  tree.level = {0, 1};
  for (const std::uint64_t cells : born.get()) {
    if (cells > 0) tree.level.push_back(tree.level.back() + std::uint32_t(cells));
  }

  tree.resize(all);
  tree.cell.resize(divided);
  Range* const particles = tree.particles.data();
  std::uint32_t *const children = tree.children.data(), *const cell = tree.cell.data();
  fill(device, particles, 1, Range{0, n});
  fill(device, children, 1, 0U);
  device.for_each(divided, [=] GOTHIC_DEVICE(std::size_t k) {
    const std::uint32_t own = order[k];
    if (k == 0) cell[own] = 0;
    std::uint32_t next = 1 + first_child[k];
    list.for_each_child(own, [&](Range child) {
      particles[next] = child;
      children[next] = 0;
      if (list.cells.is_divided(child)) cell[list.index_of(child, own)] = next;
      ++next;
    });
  });
  device.for_each(divided, [=] GOTHIC_DEVICE(std::size_t k) {
    children[cell[order[k]]] = Family::pack({1 + first_child[k], count[order[k]]});
  });
  tree.roots.resize(1);
  fill(device, tree.roots.data(), 1, 0U);
}

}  // namespace gothic
