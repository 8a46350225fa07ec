#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gothic {

/// The parts of the algorithm of Miki & Umemura (2017) that the usual algorithm has replaced.
enum class PublishedPart {
  steps,     ///< the step follows the present acceleration alone
  groups,    ///< groups of 32 particles advance as a whole
  sizes,     ///< b_J is the largest distance of a particle, not an upper bound
  criteria,  ///< neither least distances of cells nor least accelerations of particles
  points,    ///< cells act as points
  rebuild,   ///< the tree is built anew when walks take longer from step to step
  extents,   ///< wide groups are not split, but cut by r_crit, which is found by trial
  walk       ///< walks go through the tree level by level
};
inline constexpr const char* published_parts[] = {"steps",  "groups",  "sizes",   "criteria",
                                                  "points", "rebuild", "extents", "walk"};

/// Some of the parts.
class PublishedParts {
 public:
  /// \param text "none", "all", or names with commas between them
  /// \throws std::invalid_argument that names a part which is unknown
  static PublishedParts named(std::string_view text);

  bool has(PublishedPart part) const { return parts_ >> int(part) & 1; }

 private:
  std::uint32_t parts_ = 0;
};

/// Particles of a published group: the threads of a warp.
inline constexpr std::uint32_t published_group = 32;

}  // namespace gothic
