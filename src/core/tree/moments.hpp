#pragma once

#include <cmath>
#include <cstdint>

#include "core/tree/tree.hpp"

namespace gothic {

namespace detail {

/// Factor that widens cells, so that rounding cannot put a cell's outermost particle outside of it.
inline constexpr float size_safety = 1 + 1e-6F;

/// Adds m (r - origin) and m of a body.
GOTHIC_HD inline void add_mass(Vec4& sum, const Vec4& body, const Vec4& origin) {
  sum.x += body.w * (body.x - origin.x);
  sum.y += body.w * (body.y - origin.y);
  sum.z += body.w * (body.z - origin.z);
  sum.w += body.w;
}

/// The sums over bodies[0..n).
GOTHIC_HD inline Vec4 mass_sums(const Vec4* bodies, std::uint32_t n, const Vec4& origin) {
  Vec4 sum;
  for (std::uint32_t i = 0; i < n; ++i) add_mass(sum, bodies[i], origin);
  return sum;
}

/// The same for a leaf of many bodies with one key: blocks are added up in double precision, so
/// that rounding does not grow with the number of bodies.
GOTHIC_HD inline Vec4 many_mass_sums(const Vec4* bodies, std::uint32_t n, const Vec4& origin,
                                     std::uint32_t block) {
  double x = 0, y = 0, z = 0, mass = 0;
  for (std::uint32_t begin = 0; begin < n; begin += block) {
    const std::uint32_t rest = n - begin;
    const Vec4 part = mass_sums(bodies + begin, rest < block ? rest : block, origin);
    x += part.x;
    y += part.y;
    z += part.z;
    mass += part.w;
  }
  return {float(x), float(y), float(z), float(mass)};
}

/// Calls f(k) for k = 0 ... n - 1, where n is at most 8. The loop has a fixed length, so that a GPU
/// waits once for what all of them read.
template <class F>
GOTHIC_HD void for_each_of_few(std::uint32_t n, F f) {
  for (std::uint32_t k = 0; k < 8; ++k) {
    if (k < n) f(k);
  }
}

/// Centre of mass and mass of bodies, from their sums of m (r - origin) and m.
GOTHIC_HD inline Vec4 center_from_sums(const Vec4& origin, const Vec4& sum) {
  const float inverse_mass = sum.w > 0 ? 1 / sum.w : 0;
  return {origin.x + sum.x * inverse_mass, origin.y + sum.y * inverse_mass,
          origin.z + sum.z * inverse_mass, sum.w};
}

/// Centre of mass and mass of count >= 1 bodies; the sums are taken about the first body, so that
/// rounding does not grow with the distance from the origin. The first body's place if all
/// masses are zero.
GOTHIC_HD inline Vec4 center_of_mass(const Vec4* bodies, std::uint32_t count) {
  constexpr std::uint32_t block = 64;
  const Vec4 origin = bodies[0];
  const Vec4 sum = count <= block ? mass_sums(bodies, count, origin)
                                  : many_mass_sums(bodies, count, origin, block);
  return center_from_sums(origin, sum);
}

}  // namespace detail

/// Recomputes mass, centre of mass, size b_J and moments of every cell: first the leaves, then the
/// other cells, level by level from the deepest (Miki & Umemura 2017, section 2.1).
///
/// The size of a leaf is the largest distance of its particles from r_J. The size of another cell
/// is the largest |r_child - r_J| + b_child, which encloses all particles and is at most a little
/// larger than need be. Moments follow from the children's by the parallel-axis theorem.
///
/// \param positions [n] positions and masses in the order of the keys.
/// \tparam order to which cells act
/// \throws std::bad_alloc if the device has no room for the moments
template <Order order, class Device>
void update_moments(Device& device, Tree<Device>& tree, const Vec4* positions) {
  using Own = Multipole<stored_order(order)>;
  tree.resize_moments(order);
  const Range* const particles = tree.particles.data();
  const std::uint32_t* const children = tree.children.data();
  Vec4* const center = tree.center.data();
  float* const size = tree.size.data();
  const MomentArrays<Pointer> moments = tree.moment_pointers();
  device.for_each(tree.cells(), [=] GOTHIC_DEVICE(std::size_t cell) {
    if (children[cell] != 0) return;
    const Range own = particles[cell];
    const Vec4* const bodies = positions + own.first;
    const Vec4 middle = detail::center_of_mass(bodies, own.count);
    float d2 = 0;
    Own multipole;
    for (std::uint32_t i = 0; i < own.count; ++i) {
      const Vec4 body = bodies[i];
      const float x = body.x - middle.x, y = body.y - middle.y, z = body.z - middle.z;
      const float own_d2 = x * x + y * y + z * z;
      multipole.add_particle(body.w, x, y, z);
      d2 = d2 > own_d2 ? d2 : own_d2;
    }
    center[cell] = middle;
    size[cell] = detail::size_safety * std::sqrt(d2);
    multipole.write(moments, cell);
  });
  device.for_each_in_turn(tree.inner_levels(), [=] GOTHIC_DEVICE(std::size_t cell) {
    if (children[cell] == 0) return;
    const Range own = Family::range(children[cell]);
    const Vec4 origin = center[own.first];
    Vec4 sum;
    detail::for_each_of_few(
        own.count, [&](std::uint32_t k) { detail::add_mass(sum, center[own.first + k], origin); });
    const Vec4 middle = detail::center_from_sums(origin, sum);
    float reach = 0;
    Own multipole;
    detail::for_each_of_few(own.count, [&](std::uint32_t k) {
      const std::uint32_t child = own.first + k;
      const Vec4 body = center[child];
      const float x = body.x - middle.x, y = body.y - middle.y, z = body.z - middle.z;
      const float far_side = std::sqrt(x * x + y * y + z * z) + size[child];
      Own part;
      part.read(moments, child);
      multipole.add_child(part, body.w, x, y, z);
      reach = reach > far_side ? reach : far_side;
    });
    center[cell] = middle;
    size[cell] = detail::size_safety * reach;
    multipole.write(moments, cell);
  });
}

/// Gives particles and cells their shares in the softening, which hold as long as the topology. The
/// share of a cell is the mean of its particles' over their mass; a cell without mass has that of
/// its first particle.
/// \param length [n] softening lengths of the particles
/// \param position [n] positions and masses
template <class Device>
void share_softening(Device& device, Tree<Device>& tree, const float* length, const Vec4* position,
                     std::uint32_t n) {
  tree.lengths = Lengths::own;
  tree.particle_share.resize(n);
  float* const own_share = tree.particle_share.data();
  device.for_each(n,
                  [=] GOTHIC_DEVICE(std::size_t i) { own_share[i] = softening_share(length[i]); });
  tree.cell_share.resize(tree.cells());
  tree.cell_mass.resize(tree.cells());
  const Range* const particles = tree.particles.data();
  const std::uint32_t* const children = tree.children.data();
  const float* const particle_share = tree.particle_share.data();
  float *const share = tree.cell_share.data(), *const mass = tree.cell_mass.data();
  device.for_each_in_turn(tree.level, [=] GOTHIC_DEVICE(std::size_t cell) {
    const bool is_leaf = children[cell] == 0;
    const Range own = is_leaf ? particles[cell] : Family::range(children[cell]);
    const float* const shares = is_leaf ? particle_share : share;
    double sum = 0, all = 0;
    for (std::uint32_t k = own.first; k < own.first + own.count; ++k) {
      const double part = is_leaf ? position[k].w : mass[k];
      sum += part * shares[k];
      all += part;
    }
    share[cell] = all > 0 ? float(sum / all) : shares[own.first];
    mass[cell] = float(all);
  });
}

}  // namespace gothic
