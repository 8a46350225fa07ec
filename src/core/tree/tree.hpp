#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "core/device/annotations.hpp"
#include "core/device/bits.hpp"
#include "core/device/vec4.hpp"
#include "core/tree/keys.hpp"
#include "core/tree/multipole.hpp"

namespace gothic {

/// Consecutive elements first ... first + count - 1 of some array.
struct Range {
  std::uint32_t first = 0, count = 0;
};

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

  Buffer<std::uint32_t> octants, first_child;  ///< scratch of the construction
  Buffer<float> cell_mass;                     ///< scratch of share_softening

  std::uint32_t cells() const { return level.empty() ? 0 : level.back(); }
  /// Number of cells, including attached trees of other ranks.
  std::size_t all_cells() const { return center.size(); }
  std::size_t levels() const { return level.size() - 1; }

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

/// Index of the first particle of a cell that lies in octant `octant`, or a later one, of the
/// smallest cube around the cell's keys. The end of the particles if the cell is not divided.
GOTHIC_HD inline std::uint32_t octant_begin(const tree::Key* keys, Range particles,
                                            std::uint32_t leaf_capacity, std::uint32_t octant) {
  const std::uint32_t end = particles.first + particles.count;
  const tree::Key first = keys[particles.first], difference = first ^ keys[end - 1];
  if (particles.count <= leaf_capacity || difference == 0) return end;
  const int shift = 3 * ((bit_width(difference) - 1) / 3);  // the first digit that differs
  std::uint32_t low = particles.first, high = end;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if ((keys[middle] >> shift & 7) < octant) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Calls f(first, count) for each octant of a cell that has particles; for none if the cell is not
/// divided.
/// \param begin [8] results of octant_begin
template <class F>
GOTHIC_HD void for_each_octant(const std::uint32_t* begin, Range particles, F f) {
  const std::uint32_t all_end = particles.first + particles.count;
  if (begin[0] == all_end) return;
  for (int octant = 0; octant < 8; ++octant) {
    const std::uint32_t end = octant < 7 ? begin[octant + 1] : all_end;
    if (end > begin[octant]) f(begin[octant], end - begin[octant]);
  }
}

}  // namespace detail

/// Builds the topology breadth first: all cells of a level find the particles of their octants in
/// parallel, a prefix sum numbers the children, and they are written as the next level.
///
/// \param keys sorted keys of the n particles, 3 bits for every level of the cube's subdivision.
/// \param leaf_capacity largest number of particles in a leaf, at least 1.
/// \throws std::bad_alloc if the device has no room for the cells.
template <class Device>
void build_tree(Device& device, Tree<Device>& tree, const tree::Key* keys, std::uint32_t n,
                std::uint32_t leaf_capacity) {
  const auto reserve = [&](std::uint32_t cells) {
    if (cells > Family::most_cells) throw std::bad_alloc();
    tree.particles.resize(cells);
    tree.children.resize(cells);
  };
  if (n == 0) {
    tree.level = {0, 0};
    tree.resize(0);
    tree.roots.resize(0);
    return;
  }
  reserve(1);
  const Range root{0, n};
  tree.particles.upload(std::span(&root, 1));
  tree.level = {0, 1};
  for (;;) {
    const std::uint32_t begin = tree.level[tree.level.size() - 2], end = tree.level.back();
    const std::uint32_t cells = end - begin;
    tree.octants.resize(8 * std::size_t(cells));
    tree.first_child.resize(cells + 1);
    const Range* const own = tree.particles.data() + begin;
    std::uint32_t* const octants = tree.octants.data();
    std::uint32_t* const first_child = tree.first_child.data();
    device.for_each(8 * std::size_t(cells), [=] GOTHIC_HD(std::size_t i) {
      octants[i] = detail::octant_begin(keys, own[i / 8], leaf_capacity, std::uint32_t(i % 8));
    });
    const std::uint32_t created = device.exclusive_scan(
        cells,
        [=] GOTHIC_HD(std::size_t i) {
          std::uint32_t count = 0;
          detail::for_each_octant(octants + 8 * i, own[i],
                                  [&](std::uint32_t, std::uint32_t) { ++count; });
          return count;
        },
        first_child);
    reserve(end + created);
    Range* const all_particles = tree.particles.data();
    std::uint32_t* const children = tree.children.data() + begin;
    device.for_each(cells, [=] GOTHIC_HD(std::size_t i) {
      const std::uint32_t first = end + first_child[i];
      Range* child = all_particles + first;
      detail::for_each_octant(octants + 8 * i, all_particles[begin + i],
                              [&](std::uint32_t from, std::uint32_t count) {
                                *child++ = {from, count};
                              });
      const auto count = std::uint32_t(child - all_particles) - first;
      children[i] = count == 0 ? 0 : Family::pack({first, count});
    });
    if (created == 0) break;
    tree.level.push_back(end + created);
  }
  tree.resize(tree.cells());
  const std::uint32_t only = 0;
  tree.roots.resize(1);
  tree.roots.upload(std::span(&only, 1));
}

}  // namespace gothic
