#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "device/annotations.hpp"
#include "device/bits.hpp"
#include "device/vec4.hpp"

namespace gothic {

/// Levels of any tree, the root's own not counted: those of the longest keys.
inline constexpr int tree_levels_at_most = 21;

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
/// The topology is valid from one construction to the next; the moments are those of the positions
/// that `update_moments` saw last.
template <class Device>
struct Tree {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  std::vector<std::uint32_t> level;  ///< level l is cells level[l] ... level[l + 1] - 1
  Buffer<Range> particles;           ///< [cells]
  Buffer<std::uint32_t> children;    ///< [cells] as `Family` packs them

  Buffer<Vec4> center;              ///< [cells] centre of mass r_J and mass m_J
  Buffer<float> size;               ///< [cells] b_J, radius about r_J that encloses all particles
  Buffer<float> second_moment;      ///< [cells] B_2 = sum m_j |r_j - r_J|^2
  Buffer<float> acceptance_radius;  ///< [cells] set by gravity/acceptance.hpp

  Buffer<std::uint32_t> first_child;  ///< scratch of the construction

  std::uint32_t cells() const { return level.empty() ? 0 : level.back(); }
  std::size_t levels() const { return level.size() - 1; }
};

namespace detail {

/// The parts into which the particles of a cell fall by the first digit in which their keys differ.
template <class Key>
class KeySplitter {
 public:
  GOTHIC_HD KeySplitter(const Key* keys, Range particles)
      : keys_(keys), end_(particles.first + particles.count) {
    const Key difference = keys[particles.first] ^ keys[end_ - 1];
    shift_ = 3 * ((bit_width(difference) - 1) / 3);
  }

  /// First particle behind the part that begins at `first`.
  GOTHIC_HD std::uint32_t part_end(std::uint32_t first) const {
    const Key part = keys_[first] >> shift_;
    std::uint32_t low = first + 1, high = end_;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (keys_[middle] >> shift_ == part) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  GOTHIC_HD std::uint32_t parts(std::uint32_t first) const {
    std::uint32_t count = 0;
    for (; first < end_; first = part_end(first)) ++count;
    return count;
  }

 private:
  const Key* keys_;
  std::uint32_t end_;
  int shift_;
};

template <class Key>
GOTHIC_HD std::uint32_t child_count(const Key* keys, Range particles, std::uint32_t leaf_capacity) {
  const Key first = keys[particles.first], last = keys[particles.first + particles.count - 1];
  if (particles.count <= leaf_capacity || first == last) return 0;
  return KeySplitter<Key>(keys, particles).parts(particles.first);
}

}  // namespace detail

/// Builds the topology breadth first: all cells of a level count their children in parallel, a
/// prefix sum numbers the children, and they are written as the next level.
///
/// \param keys sorted keys of the n particles, 3 bits for every level of the cube's subdivision.
/// \param leaf_capacity largest number of particles in a leaf, at least 1.
/// \throws std::bad_alloc if the device has no room for the cells.
template <class Device, class Key>
void build_tree(Device& device, Tree<Device>& tree, const Key* keys, std::uint32_t n,
                std::uint32_t leaf_capacity) {
  const auto reserve = [&](std::uint32_t cells) {
    if (cells > Family::most_cells) throw std::bad_alloc();
    tree.particles.resize(cells);
    tree.children.resize(cells);
  };
  reserve(1);
  const Range root{0, n};
  tree.particles.upload(std::span(&root, 1));
  tree.level = {0, 1};
  for (;;) {
    const std::uint32_t begin = tree.level[tree.level.size() - 2], end = tree.level.back();
    tree.first_child.resize(end - begin + 1);
    const Range* particles = tree.particles.data() + begin;
    std::uint32_t* const first_child = tree.first_child.data();
    const std::uint32_t created = device.exclusive_scan(
        end - begin,
        [=] GOTHIC_HD(std::size_t i) {
          return detail::child_count(keys, particles[i], leaf_capacity);
        },
        first_child);
    reserve(end + created);
    Range* const all_particles = tree.particles.data();
    std::uint32_t* const all_children = tree.children.data();
    device.for_each(end - begin, [=] GOTHIC_HD(std::size_t i) {
      const Range children{end + first_child[i], first_child[i + 1] - first_child[i]};
      all_children[begin + i] = children.count == 0 ? 0 : Family::pack(children);
      if (children.count == 0) return;
      const Range own = all_particles[begin + i];
      const detail::KeySplitter<Key> splitter(keys, own);
      std::uint32_t first = own.first;
      for (std::uint32_t child = children.first; child < children.first + children.count; ++child) {
        const std::uint32_t part_end = splitter.part_end(first);
        all_particles[child] = {first, part_end - first};
        first = part_end;
      }
    });
    if (created == 0) break;
    tree.level.push_back(end + created);
  }
  const std::uint32_t cells = tree.cells();
  tree.center.resize(cells);
  tree.size.resize(cells);
  tree.second_moment.resize(cells);
  tree.acceptance_radius.resize(cells);
}

}  // namespace gothic
