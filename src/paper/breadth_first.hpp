#pragma once

#include <cstdint>

#include "core/device/fixed_list.hpp"
#include "core/tree/keys.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// The published way through a tree (Miki & Umemura 2017, section 2.3): level by level. A small
/// part of the families of a level lies in the warp's scratch, on a GPU its shared memory, and the
/// rest in the warp's piece of a buffer in the device's memory.
///
/// The original gives a piece to a block by the number of its multiprocessor. Here every warp that
/// runs has a piece of its own.
struct BreadthFirst {
  std::uint32_t* buffer;  ///< [warps * 2 * piece] for two levels of each warp
  std::uint32_t piece;    ///< families, more than `reserve`

  /// Families that may come on top of a level that is taken depth first; see DepthFirst.
  template <class Warp>
  static constexpr std::uint32_t reserve = Warp::width*(tree::key_levels + 3);

  template <class Warp>
  struct Memory {
    static constexpr std::uint32_t capacity = 4 * Warp::width;  ///< of a level

    std::uint32_t families[2][capacity + Warp::width];
  };

  /// The families of one level.
  template <class Warp>
  class Level {
   public:
    Level() = default;
    GOTHIC_HD Level(std::uint32_t* near, std::uint32_t* far) : near_(near), far_(far) {}

    GOTHIC_HD bool is_empty() const { return near_.size() + far_.size() == 0; }
    GOTHIC_HD std::uint32_t far() const { return far_.size(); }
    GOTHIC_HD void append(const typename Warp::Mask& mask, const typename Warp::Index& family) {
      const bool has_room = near_.size() + Warp::width <= Memory<Warp>::capacity;
      Warp::append(has_room ? near_ : far_, mask, family);
    }
    GOTHIC_HD int take(typename Warp::Index& cell) {
      return Warp::template take<Family>(far_.size() > 0 ? far_ : near_, cell);
    }

   private:
    FixedList<std::uint32_t> near_, far_;
  };

  /// The families of opened cells: those of the present level that are left, and the next level. If
  /// the next level is more than the piece holds, the walk goes down there first.
  template <class Warp>
  class Families {
   public:
    GOTHIC_HD Families(const BreadthFirst& way, Memory<Warp>& memory, std::uint32_t warp)
        : present_(memory.families[0], way.buffer + std::size_t(2 * warp) * way.piece),
          next_(memory.families[1], way.buffer + std::size_t(2 * warp + 1) * way.piece),
          fullest_(way.piece - reserve<Warp>) {}

    GOTHIC_HD bool is_empty() const { return present_.is_empty() && next_.is_empty(); }
    GOTHIC_HD void append(const typename Warp::Mask& mask, const typename Warp::Index& family) {
      next_.append(mask, family);
    }
    /// See DepthFirst.
    GOTHIC_HD int take(typename Warp::Index& cell) {
      if (present_.is_empty()) {
        const Level<Warp> empty = present_;
        present_ = next_;
        next_ = empty;
      }
      return (next_.far() > fullest_ ? next_ : present_).take(cell);
    }

   private:
    Level<Warp> present_, next_;
    std::uint32_t fullest_;
  };
};

}  // namespace gothic
