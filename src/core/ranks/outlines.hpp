#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/device/arrays.hpp"
#include "core/gravity/group_box.hpp"
#include "core/gravity/target_group.hpp"
#include "core/named_state.hpp"
#include "core/tree/tree.hpp"

/// What the ranks tell each other of their particles, so that they get what these need.
namespace gothic {

/// What others must know of some particles in order to find their essential tree.
struct Outline {
  float x, y, z, radius;  ///< a ball that encloses them
  float acceleration;     ///< the smallest of their accelerations, as TargetGroup::load counts them
};

/// How much outlines are widened, so that an essential tree lasts while particles move.
struct OutlineMargin {
  float radius = 0;        ///< fraction of the radius that is added to it
  float acceleration = 0;  ///< fraction of the acceleration that is taken off
  float time = 0;          ///< for which particles go on at their velocities

  void visit(NamedState& all) { all("radius", radius)("acceleration", acceleration)("time", time); }
};

/// Number of outlines of n particles in blocks of `size`.
constexpr std::uint32_t outline_count(std::uint32_t n, std::uint32_t size) {
  return (n + size - 1) / size;
}

namespace detail {

struct OutlineScratch {
  static constexpr int registers = 128;  ///< of a GPU thread
};

}  // namespace detail

/// Outlines of n particles, of `size` in the order of the tree each. Groups of particles that do
/// not cross these blocks lie within the outlines if `size` is a multiple of theirs.
/// \param position, acceleration [n], the latter with the potential
/// \param velocity [n]; null for particles that are not known to move
/// \param least see TargetGroup::load
/// \param outlines [outline_count] result
template <class Device>
void make_outlines(const Device& device, const Vec4* position, const Vec4* velocity,
                   const Vec4* acceleration, std::uint32_t n, std::uint32_t size, float least,
                   OutlineMargin margin, Outline* outlines) {
  using Warp = typename Device::Warp;
  device.template for_each_warp<detail::OutlineScratch>(
      outline_count(n, size), [=] GOTHIC_DEVICE(detail::OutlineScratch&, std::size_t block) {
        using Float = typename Warp::Float;
        const std::uint32_t first = std::uint32_t(block) * size, rest = n - first;
        const Range own{first, rest < size ? rest : size};
        const int some = own.count < Warp::width ? int(own.count) : Warp::width;
        const auto start = Warp::load(position + first, some);
        LaneBox<Warp> box(start.x, start.y, start.z);
        Float a2 = std::numeric_limits<float>::max();
        const auto moves = velocity != nullptr && margin.time > 0;
        const auto ahead = [&](std::uint32_t begin, int count) {
          const auto p = Warp::load(position + begin, count);
          const auto v = Warp::load(velocity + begin, count);
          return Targets<Warp, 1>{
              {p.x + margin.time * v.x}, {p.y + margin.time * v.y}, {p.z + margin.time * v.z}};
        };
        for_each_run<Warp>(own, [&](std::uint32_t begin, int count) {
          const auto p = Warp::load(position + begin, count);
          box.include(p.x, p.y, p.z);
          if (moves) {
            const auto later = ahead(begin, count);
            box.include(later.x[0], later.y[0], later.z[0]);
          }
          a2 =
              Warp::min(a2, effective_square<Warp>(Warp::load(acceleration + begin, count), least));
        });
        const Vec4 center = GroupBox::around(box).center();
        Float d2 = 0;
        for_each_run<Warp>(own, [&](std::uint32_t begin, int count) {
          const auto p = Warp::load(position + begin, count);
          d2 = Warp::max(d2, farthest2(Targets<Warp, 1>{{p.x}, {p.y}, {p.z}}, center));
          if (moves) d2 = Warp::max(d2, farthest2(ahead(begin, count), center));
        });
        const float radius = ball_safety * std::sqrt(Warp::max(d2));
        const float smallest = std::sqrt(Warp::min(a2));
        Warp::for_each(1, [=](std::uint32_t) {
          outlines[block] = {center.x, center.y, center.z, (1 + margin.radius) * radius,
                             (1 - margin.acceleration) * smallest};
        });
      });
}

/// Memory that join_outlines needs.
template <class Device>
struct JoiningScratch {
  typename Device::template Buffer<Outline> fine;          ///< to be joined
  typename Device::template Buffer<Outline> candidates;    ///< joined ones, then the fine ones
  typename Device::template Buffer<std::uint8_t> is_wide;  ///< [joined]
  typename Device::template Buffer<std::uint32_t> chosen;  ///< candidates
};

/// Joins each `joined` of the fine outlines that follow one another, where the ball around them
/// takes little more room than they do. Where the curve jumps they stay as they are: a wide ball
/// would open all that lies between.
///
/// \param outlines result
template <class Device>
void join_outlines(const Device& device, std::uint32_t joined, JoiningScratch<Device>& scratch,
                   typename Device::template Buffer<Outline>& outlines) {
  constexpr float most_room = 2;
  const auto n = std::uint32_t(scratch.fine.size()), blocks = outline_count(n, joined),
             all = blocks + n;
  scratch.candidates.resize(all);
  scratch.is_wide.resize(blocks);
  const Outline* const parts = scratch.fine.data();
  Outline* const candidates = scratch.candidates.data();
  std::uint8_t* const is_wide = scratch.is_wide.data();
  device.for_each(all, [=] GOTHIC_DEVICE(std::size_t i) {
    if (i >= blocks) {
      candidates[i] = parts[i - blocks];
      return;
    }
    const std::uint32_t begin = std::uint32_t(i) * joined,
                        end = begin + joined < n ? begin + joined : n;
    Outline whole = parts[begin];
    float low[3] = {whole.x, whole.y, whole.z}, high[3] = {whole.x, whole.y, whole.z}, room = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      const Outline part = parts[k];
      const float middle[3] = {part.x, part.y, part.z};
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::fmin(low[axis], middle[axis] - part.radius);
        high[axis] = std::fmax(high[axis], middle[axis] + part.radius);
      }
      whole.acceleration = std::fmin(whole.acceleration, part.acceleration);
      room += part.radius * part.radius * part.radius;
    }
    whole.x = 0.5F * (low[0] + high[0]);
    whole.y = 0.5F * (low[1] + high[1]);
    whole.z = 0.5F * (low[2] + high[2]);
    whole.radius = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      const Outline part = parts[k];
      const float x = part.x - whole.x, y = part.y - whole.y, z = part.z - whole.z;
      whole.radius =
          std::fmax(whole.radius, ball_safety * std::sqrt(x * x + y * y + z * z) + part.radius);
    }
    candidates[i] = whole;
    is_wide[i] = whole.radius * whole.radius * whole.radius > most_room * room ? 1 : 0;
  });
  const auto is_chosen = [=] GOTHIC_DEVICE(std::uint32_t i) {
    return i < blocks ? is_wide[i] == 0 : is_wide[(i - blocks) / joined] != 0;
  };
  list_chosen(device, all, is_chosen, scratch.chosen);
  outlines.resize(scratch.chosen.size());
  copy_in_order(device, candidates, scratch.chosen.data(), outlines.size(), outlines.data());
}

/// Finds the outlines of n particles, of 64 or 256 of them.
/// \param outlines result; see make_outlines
template <class Device>
void find_outlines(const Device& device, const Vec4* position, const Vec4* velocity,
                   const Vec4* acceleration, std::uint32_t n, float least, OutlineMargin margin,
                   JoiningScratch<Device>& scratch,
                   typename Device::template Buffer<Outline>& outlines) {
  constexpr std::uint32_t size = 64, joined = 4;
  scratch.fine.resize(outline_count(n, size));
  make_outlines(device, position, velocity, acceleration, n, size, least, margin,
                scratch.fine.data());
  join_outlines(device, joined, scratch, outlines);
}

}  // namespace gothic
