#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/gravity/pair.hpp"
#include "core/gravity/target_group.hpp"
#include "core/gravity/walk.hpp"

namespace gothic {

/// Memory that a warp needs for the walks of bundles.
template <class Warp>
struct BundleScratch {
  template <class T>
  using List = typename Warp::template List<T>;
  List<std::uint32_t> frontier;   ///< cells of the present level to be judged
  List<std::uint32_t> opened;     ///< cells of this level that may not act as a whole
  List<std::uint32_t> next;       ///< their children
  List<std::uint32_t> undecided;  ///< cells that each group of the bundle must judge by itself
  PerOrder<List<std::uint32_t>> cells;  ///< that act to each order
  List<std::uint32_t> leaves;           ///< opened leaves, whose particles become sources
  List<Vec4> sources;                   ///< records of cells or particles to be summed
  List<float> shares;                   ///< of them in the softening, if lengths are not equal
};

/// Bounds of the groups of a bundle, which may differ in their balls and scales; see GroupBounds.
struct BundleBounds {
  Vec4 ball{0, 0, 0, 0};  ///< centre, and radius that encloses the members' balls
  float margin = 0;       ///< largest distance of a member's centre, minus the smallest radius
  Scales smallest, largest;

  template <class Group>
  static BundleBounds around(const Group* groups, int size) {
    BundleBounds result;
    Vec4 low = groups[0].bounds.ball, high = low;
    for (int g = 0; g < size; ++g) {
      const Vec4 ball = groups[g].bounds.ball;
      low = {std::min(low.x, ball.x), std::min(low.y, ball.y), std::min(low.z, ball.z),
             std::min(low.w, ball.w)};
      high = {std::max(high.x, ball.x), std::max(high.y, ball.y), std::max(high.z, ball.z), 0};
    }
    result.ball = {0.5F * (low.x + high.x), 0.5F * (low.y + high.y), 0.5F * (low.z + high.z), 0};
    result.smallest = result.largest = groups[0].bounds.scales;
    float farthest = 0;
    for (int g = 0; g < size; ++g) {
      const auto& [ball, scales] = groups[g].bounds;
      const float dx = ball.x - result.ball.x, dy = ball.y - result.ball.y,
                  dz = ball.z - result.ball.z;
      const float distance = std::sqrt(dx * dx + dy * dy + dz * dz);
      farthest = std::max(farthest, distance);
      result.ball.w = std::max(result.ball.w, ball_safety * (distance + ball.w));
      result.smallest = {std::min(result.smallest.of_cells, scales.of_cells),
                         std::min(result.smallest.of_points, scales.of_points)};
      result.largest = {std::max(result.largest.of_cells, scales.of_cells),
                        std::max(result.largest.of_points, scales.of_points)};
    }
    result.margin = farthest - low.w;
    return result;
  }

  /// Whether cells may act on all members to an order.
  template <Order highest, Order order, class Warp>
  typename Warp::Mask beyond(const typename Warp::Float& d2,
                             const typename Warp::Float4& reach) const {
    return GroupBounds{ball, largest}.beyond<highest, order, Warp>(d2, reach);
  }
  /// Whether cells may act on no member to an order.
  template <Order highest, Order order, class Warp>
  typename Warp::Mask within(const typename Warp::Float& d2,
                             const typename Warp::Float4& reach) const {
    using Float = typename Warp::Float;
    const Float far = reach_of<highest, order, Warp>(reach, smallest);
    const Float all = Warp::max(Float(0), far - margin);
    return d2 < all * all;
  }
};

/// Breadth-first walk of one warp for a bundle of particle groups (Miki & Umemura 2017,
/// section 2.3), for the CPU, where lists may grow.
///
/// Each lane judges one cell of the present level, by its distance from the group's enclosing ball.
/// Accepted cells go to a list of sources, and so do the particles of leaves that are not accepted.
/// The children of the other cells are the next level. When the list is full, each lane takes a
/// particle and sums the list.
///
/// Neighbouring groups agree on most cells. So the groups of a bundle first walk together and
/// decide the cells on which all must agree. Each group then judges the remaining cells by itself.
/// Every group gets exactly the sources that it would get alone. A group that turns out to be wide
/// is given up, and its parts walk instead; see GroupWalk.
///
/// \tparam K particles per lane, \tparam B groups per bundle
template <class Warp, int K, int B, Root root, Order order, Lengths lengths>
class BundleWalk {
 public:
  using Group = TargetGroup<Warp, K, lengths>;
  using Float = typename Warp::Float;
  using Mask = typename Warp::Mask;
  using Index = typename Warp::Index;

  BundleWalk(const WalkData& data, BundleScratch<Warp>& scratch, std::uint32_t bundle)
      : data_(data), scratch_(scratch), bundle_(bundle) {
    const std::uint32_t first = bundle * B, rest = data.group_count - first;
    size_ = int(rest < B ? rest : B);
    for (int g = 0; g < size_; ++g) {
      load(groups_[g], data.groups[first + g], data.group_size, data.neighbours,
           data.balls != nullptr ? data.balls + first + g : nullptr);
    }
    scratch.sources.clear();
    scratch.sources.reserve(Multipole<order>::records * stride());
    scratch.shares.clear();
    scratch.shares.reserve(stride());
  }

  void run() {
    scratch_.undecided.clear();
    start(data_.tree.roots, data_.tree.root_count);
    if (size_ > 1) {
      walk_together();
    } else {
      std::swap(scratch_.undecided, scratch_.frontier);
    }
    for (int g = 0; g < size_; ++g) {
      const auto& cells = scratch_.undecided;
      if (!walk_alone(groups_[g], cells.data(), cells.size())) {
        walk_parts(Parts{data_.groups[bundle_ * B + std::uint32_t(g)]});
      }
    }
    data_.counts[bundle_] = count_;
  }

 private:
  /// \param size largest number of particles in such a group
  void load(Group& group, Range targets, std::uint32_t size, const Neighbourhood& neighbours = {},
            const Vec4* ball = nullptr) const {
    group.load(data_.position, data_.tree.particle_share, data_.softening, data_.old_acceleration,
               data_.targets, targets, data_.acceptance, least_acceleration(data_),
               lanes_sharing<Warp, K>(size), neighbours, ball);
  }

  void walk_together() {
    const BundleBounds bounds = BundleBounds::around(groups_, size_);
    while (scratch_.frontier.size() > 0) {
      judge_frontier([&](const std::uint32_t* cells, int n) { judge_together(bounds, cells, n); });
      expand_opened();
    }
    sum(groups_, size_);
  }

  /// Completes the walk of a group from cells that are left to judge. Returns false, and leaves the
  /// accelerations alone, if the group should be split.
  bool walk_alone(Group& group, const std::uint32_t* cells, std::uint32_t n) {
    constexpr int few = 256;  // a walk by levels first meets what the extent opens
    const bool may_be_split = data_.split_ratio > 0 && group.count > 1;
    start(cells, n);
    excess_ = 0;
    while (scratch_.frontier.size() > 0) {
      descend(group);
      if (may_be_split && is_wide(data_, excess_, few)) return false;
    }
    sum(&group, 1);
    group.template store<root>(data_.position, data_.acceleration, data_.acceptance.gravity);
    return true;
  }

  /// Walks of the parts of a group.
  void walk_parts(const Parts& parts) {
    for (std::uint32_t k = 0; k < parts.count(); ++k) {
      Group group;
      load(group, parts[k], parts.size);
      if (!walk_alone(group, data_.tree.roots, data_.tree.root_count)) walk_parts(Parts{parts[k]});
    }
  }

  void start(const std::uint32_t* cells, std::uint32_t n) {
    auto& frontier = scratch_.frontier;
    frontier.clear();
    frontier.reserve(n);
    Warp::copy(frontier.data(), cells, n);
    frontier.resize(n);
    for (auto& list : scratch_.cells.value) list.clear();
    scratch_.leaves.clear();
  }

  /// One level of the tree for one group.
  void descend(const Group& group) {
    judge_frontier([&](const std::uint32_t* cells, int n) { judge_alone(group, cells, n); });
    expand_opened();
  }

  template <class Judge>
  void judge_frontier(Judge judge_some) {
    auto& frontier = scratch_.frontier;
    const std::uint32_t n = frontier.size();
    scratch_.opened.clear();
    scratch_.opened.reserve(n);
    for (auto& list : scratch_.cells.value) list.reserve(n);
    scratch_.undecided.reserve(n);
    for (std::uint32_t q = 0; q < n; q += Warp::width) judge_some(frontier.data() + q, int(n - q));
    count_.cells_judged += n;
  }

  void judge_alone(const Group& group, const std::uint32_t* cells, int n) {
    const Index cell = Warp::load(cells, n);
    const auto center = Warp::gather(data_.tree.center, cell);
    const auto reach = Warp::gather(data_.tree.reach, cell);
    const Judgement<Warp> judged = list_judged(group.bounds, cell, center, reach, n);
    excess_ += excess_of<Warp>(data_, group.first, center, reach, Warp::first(n) && judged.opened);
  }

  void judge_together(const BundleBounds& bounds, const std::uint32_t* cells, int n) {
    const Index cell = Warp::load(cells, n);
    const Judgement<Warp> judged = list_judged(bounds, cell, Warp::gather(data_.tree.center, cell),
                                               Warp::gather(data_.tree.reach, cell), n);
    Mask decided = judged.opened;
    for_each_order<Order::point, order>(
        [&]<Order own>() { decided = decided || judged.acts[own]; });
    Warp::append(scratch_.undecided, Warp::first(n) && !decided, cell);
  }

  /// Judges cells and appends them to the lists of opened cells and of each order.
  template <class Bounds>
  Judgement<Warp> list_judged(const Bounds& bounds, const Index& cell,
                              const typename Warp::Float4& center,
                              const typename Warp::Float4& reach, int n) {
    const Float d2 = squared_distance<Warp>(center, bounds.ball);
    const Judgement<Warp> judged = judge<order, Warp>(bounds, d2, reach);
    const Mask valid = Warp::first(n);
    for_each_order<Order::point, order>(
        [&]<Order own>() { Warp::append(scratch_.cells[own], valid && judged.acts[own], cell); });
    Warp::append(scratch_.opened, valid && judged.opened, cell);
    return judged;
  }

  void expand_opened() {
    const auto& opened = scratch_.opened;
    scratch_.next.clear();
    scratch_.next.reserve(8 * opened.size());
    scratch_.leaves.reserve(opened.size());
    Warp::template append_ranges<Family>(scratch_.next, scratch_.leaves, data_.tree.children,
                                         opened.data(), opened.size());
    std::swap(scratch_.frontier, scratch_.next);
  }

  /// Sums the sources for some groups.
  void sum(Group* groups, int n) {
    sum_orders<order>(groups, n);
    sum_leaves(groups, n);
  }

  /// Sums cells of an order, then cells of the lower orders.
  template <Order own>
  void sum_orders(Group* groups, int n) {
    sum_cells<own>(scratch_.cells[own], groups, n);
    if constexpr (own != Order::point) sum_orders<below(own)>(groups, n);
  }

  template <Order own>
  void sum_cells(const typename BundleScratch<Warp>::template List<std::uint32_t>& cells,
                 Group* groups, int size) {
    for (std::uint32_t done = 0; done < cells.size(); done += data_.list_capacity) {
      const std::uint32_t n = std::min(cells.size() - done, data_.list_capacity);
      list_cells<Warp, own, lengths>(data_, cells.data() + done, n, source_list());
      scratch_.sources.resize(n);
      flush<own>(groups, size);
    }
  }

  /// Sums the particles of the opened leaves.
  void sum_leaves(Group* groups, int size) {
    auto& sources = scratch_.sources;
    for (std::uint32_t leaf = 0; leaf < scratch_.leaves.size(); ++leaf) {
      Range rest = data_.tree.particles[scratch_.leaves.data()[leaf]];
      while (rest.count > 0) {
        if (sources.size() == data_.list_capacity) flush<Order::point>(groups, size);
        const std::uint32_t n = std::min(rest.count, data_.list_capacity - sources.size());
        Warp::copy(sources.data() + sources.size(), data_.position + rest.first, n);
        if constexpr (lengths == Lengths::own) {
          Warp::copy(scratch_.shares.data() + sources.size(),
                     data_.tree.particle_share + rest.first, n);
        }
        sources.resize(sources.size() + n);
        rest = {rest.first + n, rest.count - n};
      }
    }
    flush<Order::point>(groups, size);
  }

  template <Order own>
  void flush(Group* groups, int size) {
    const std::uint32_t n = scratch_.sources.size();
    for (int g = 0; g < size; ++g) {
      // Parts of groups that were split are smaller, and have more lanes to a particle.
      with_power_of_two<1, Warp::most_sharing>(groups[g].sharing, [&]<int sharing>() {
        groups[g].template add<root, own, sharing>(source_list(), n);
      });
      count_.pairs[own] += std::uint64_t(n) * groups[g].count;
    }
    scratch_.sources.clear();
  }

  SourceList source_list() { return {scratch_.sources.data(), stride(), scratch_.shares.data()}; }

  /// Distance between the records of a source.
  std::uint32_t stride() const { return data_.list_capacity + Warp::width; }

  const WalkData& data_;
  BundleScratch<Warp>& scratch_;
  std::uint32_t bundle_;
  int size_ = 0;      ///< groups in this bundle
  float excess_ = 0;  ///< of the group that walks alone; see excess_of
  Group groups_[B];
  WalkCount count_;
};

}  // namespace gothic
