#pragma once

#include <cmath>
#include <cstdint>

#include "gravity/acceptance.hpp"
#include "gravity/pair.hpp"
#include "tree/tree.hpp"

namespace gothic {

/// What a tree walk reads and writes; all pointers to device memory.
struct WalkData {
  // the tree
  const Vec4* center;
  const float* acceptance_radius;
  const Range* children;
  const Range* particles;
  // the particles, in the order of the tree
  const Vec4* position;          ///< [n] positions and masses
  const Vec4* old_acceleration;  ///< [n] for the acceleration criterion
  // the targets
  const std::uint32_t* targets;  ///< particles that want a force
  const Range* groups;           ///< parts of `targets`, at most K * Warp::width long
  Vec4* acceleration;            ///< [n] written for the targets: acceleration and potential
  std::uint32_t* interactions;   ///< [groups] pairs that were summed
  std::uint32_t* cells_judged;   ///< [groups]

  Acceptance acceptance;
  float softening2;  ///< square of the softening length, positive
};

/// Memory that a warp needs for its walks.
template <class Warp>
struct WalkScratch {
  template <class T>
  using List = typename Warp::template List<T>;
  List<std::uint32_t> frontier;  ///< cells of the present level to be judged
  List<std::uint32_t> opened;    ///< those that may not act as a whole
  List<std::uint32_t> next;      ///< their children
  List<std::uint32_t> accepted;  ///< cells that act as a whole
  List<std::uint32_t> leaves;    ///< opened cells whose particles act
  List<Vec4> sources;            ///< position and mass of what acts, until it is summed
};

/// Breadth-first walk of one warp for one group of particles (Miki & Umemura 2017, section 2.3).
///
/// The lanes judge the cells of a level of the tree side by side, against the nearest point of the
/// ball that encloses the group. Cells that may act as a whole and the particles of leaves that may
/// not are appended to a list of sources; the children of other cells make the next level. When
/// the list is full, lanes become particles and sum it.
///
/// \tparam K particles per lane.
template <class Warp, int K, Root root>
class GroupWalk {
 public:
  using Float = typename Warp::Float;
  using Mask = typename Warp::Mask;
  using Index = typename Warp::Index;

  GOTHIC_HD GroupWalk(const WalkData& data, WalkScratch<Warp>& scratch, std::uint32_t group)
      : data_(data), scratch_(scratch), group_(group), own_(data.groups[group]) {
    load_targets();
  }

  GOTHIC_HD void run() {
    auto& frontier = scratch_.frontier;
    scratch_.sources.reserve(list_capacity);
    frontier.clear();
    scratch_.leaves.clear();
    scratch_.accepted.clear();
    frontier.reserve(1);
    *frontier.data() = 0;
    frontier.resize(1);
    std::uint32_t judged = 0;
    while (frontier.size() > 0) {
      judged += frontier.size();
      judge_frontier();
      expand_opened();
      std::swap(frontier, scratch_.next);
    }
    sum_accepted();
    sum_leaves();
    flush();
    store();
    data_.interactions[group_] = pairs_;
    data_.cells_judged[group_] = judged;
  }

 private:
  /// Sources that are summed at a time; a quarter of a first-level cache.
  static constexpr std::uint32_t list_capacity = 512;

  /// Positions of the targets, idle lanes repeating the last of them, and their enclosing ball
  /// about the centre of their bounding box (GEO).
  GOTHIC_HD void load_targets() {
    float smallest = 0;
    Float low[3], high[3], a2_min;
    for (int k = 0; k < K; ++k) {
      const int n = int(own_.count) - k * Warp::width;
      index_[k] = n > 0 ? Warp::load(data_.targets + own_.first + k * Warp::width, n) : index_[0];
      const auto p = Warp::gather(data_.position, index_[k]);
      const auto a = Warp::gather(data_.old_acceleration, index_[k]);
      targets_.x[k] = p.x;
      targets_.y[k] = p.y;
      targets_.z[k] = p.z;
      mass_[k] = p.w;
      const Float a2 = a.x * a.x + (a.y * a.y + a.z * a.z);
      a2_min = k == 0 ? a2 : Warp::min(a2_min, a2);
      low[0] = k == 0 ? p.x : Warp::min(low[0], p.x);
      low[1] = k == 0 ? p.y : Warp::min(low[1], p.y);
      low[2] = k == 0 ? p.z : Warp::min(low[2], p.z);
      high[0] = k == 0 ? p.x : Warp::max(high[0], p.x);
      high[1] = k == 0 ? p.y : Warp::max(high[1], p.y);
      high[2] = k == 0 ? p.z : Warp::max(high[2], p.z);
    }
    smallest = Warp::min(a2_min);
    ball_.x = 0.5F * (Warp::min(low[0]) + Warp::max(high[0]));
    ball_.y = 0.5F * (Warp::min(low[1]) + Warp::max(high[1]));
    ball_.z = 0.5F * (Warp::min(low[2]) + Warp::max(high[2]));
    Float d2_max = 0;
    for (int k = 0; k < K; ++k) {
      const Float dx = targets_.x[k] - ball_.x, dy = targets_.y[k] - ball_.y,
                  dz = targets_.z[k] - ball_.z;
      d2_max = Warp::max(d2_max, dx * dx + (dy * dy + dz * dz));
    }
    ball_.w = Warp::sqrt(Warp::max(d2_max));
    scale_ = data_.acceptance.scale(Warp::sqrt(smallest));
  }

  GOTHIC_HD void judge_frontier() {
    auto& frontier = scratch_.frontier;
    scratch_.opened.clear();
    scratch_.opened.reserve(frontier.size());
    scratch_.accepted.reserve(frontier.size());
    for (std::uint32_t q = 0; q < frontier.size(); q += Warp::width) {
      judge(frontier.data() + q, int(frontier.size() - q));
    }
  }

  /// A cell may act as a whole if |r_J - r'_I| >= R_J s_I; r'_I is the point of the group's ball
  /// that is nearest to the cell, so that this is |r_J - r_I| >= b_I + R_J s_I.
  GOTHIC_HD void judge(const std::uint32_t* cells, int n) {
    const Index cell = Warp::load(cells, n);
    const auto center = Warp::gather(data_.center, cell);
    const Float radius = Warp::gather(data_.acceptance_radius, cell);
    const Float dx = center.x - ball_.x, dy = center.y - ball_.y, dz = center.z - ball_.z;
    const Float reach = ball_.w + radius * scale_;
    const Mask valid = Warp::first(n);
    const Mask accepted = dx * dx + (dy * dy + dz * dz) >= reach * reach;
    Warp::append(scratch_.accepted, valid && accepted, cell);
    Warp::append(scratch_.opened, valid && !accepted, cell);
  }

  GOTHIC_HD void expand_opened() {
    const auto& opened = scratch_.opened;
    scratch_.next.clear();
    scratch_.next.reserve(8 * opened.size());
    scratch_.leaves.reserve(opened.size());
    Warp::append_ranges(scratch_.next, scratch_.leaves, data_.children, opened.data(),
                        opened.size());
  }

  GOTHIC_HD void sum_accepted() {
    auto& sources = scratch_.sources;
    const std::uint32_t* const cells = scratch_.accepted.data();
    for (std::uint32_t begin = 0; begin < scratch_.accepted.size(); begin += list_capacity) {
      const std::uint32_t rest = scratch_.accepted.size() - begin;
      const std::uint32_t n = rest < list_capacity ? rest : list_capacity;
      flush();
      Vec4* const out = sources.data();
      const Vec4* const center = data_.center;
      Warp::for_each(n, [=](std::uint32_t i) { out[i] = center[cells[begin + i]]; });
      sources.resize(n);
    }
  }

  GOTHIC_HD void sum_leaves() {
    auto& sources = scratch_.sources;
    for (std::uint32_t leaf = 0; leaf < scratch_.leaves.size(); ++leaf) {
      Range rest = data_.particles[scratch_.leaves.data()[leaf]];
      while (rest.count > 0) {
        if (sources.size() == list_capacity) flush();
        const std::uint32_t room = list_capacity - sources.size();
        const std::uint32_t n = rest.count < room ? rest.count : room;
        Warp::copy(sources.data() + sources.size(), data_.position + rest.first, n);
        sources.resize(sources.size() + n);
        rest = {rest.first + n, rest.count - n};
      }
    }
  }

  /// Sums the list with as few registers as the group fills.
  GOTHIC_HD void flush() {
    const std::uint32_t n = scratch_.sources.size();
    pairs_ += n * own_.count;
    sum_registers<1>(n);
    scratch_.sources.clear();
  }

  template <int used>
  GOTHIC_HD void sum_registers(std::uint32_t n) {
    if constexpr (used < K) {
      if (int(own_.count) > used * Warp::width) return sum_registers<used + 1>(n);
    }
    Targets<Warp, used> targets;
    Sums<Warp, used> sums;
    for (int k = 0; k < used; ++k) {
      targets.x[k] = targets_.x[k];
      targets.y[k] = targets_.y[k];
      targets.z[k] = targets_.z[k];
    }
    interact<root>(targets, scratch_.sources.data(), n, data_.softening2, sums);
    for (int k = 0; k < used; ++k) {
      sums_.x[k] += sums.x[k];
      sums_.y[k] += sums.y[k];
      sums_.z[k] += sums.z[k];
      sums_.potential[k] += sums.potential[k];
    }
  }

  /// The potential without the particle's own contribution, -G m_i / eps.
  GOTHIC_HD void store() {
    const float gravity = data_.acceptance.gravity;
    const float inverse_softening = 1 / std::sqrt(data_.softening2);
    for (int k = 0; k < K; ++k) {
      const int n = int(own_.count) - k * Warp::width;
      if (n <= 0) return;
      Warp::scatter(data_.acceleration, index_[k], n < Warp::width ? n : Warp::width,
                    {gravity * sums_.x[k], gravity * sums_.y[k], gravity * sums_.z[k],
                     gravity * (mass_[k] * inverse_softening - sums_.potential[k])});
    }
  }

  const WalkData& data_;
  WalkScratch<Warp>& scratch_;
  std::uint32_t group_;
  Range own_;
  Index index_[K];
  Targets<Warp, K> targets_;
  Float mass_[K];
  Vec4 ball_;  ///< centre and radius of the group's enclosing ball
  float scale_ = 1;
  Sums<Warp, K> sums_;
  std::uint32_t pairs_ = 0;
};

/// Forces on all targets of the groups 0 ... groups - 1.
template <int K, Root root, class Device>
void walk(const Device& device, const WalkData& data, std::uint32_t groups) {
  using Warp = typename Device::Warp;
  device.for_each_warp(
      groups, [] GOTHIC_HD(Warp&) { return WalkScratch<Warp>(); },
      [=] GOTHIC_HD(Warp&, WalkScratch<Warp>& scratch, std::size_t group) {
        GroupWalk<Warp, K, root>(data, scratch, std::uint32_t(group)).run();
      });
}

}  // namespace gothic
