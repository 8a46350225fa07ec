#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/vec4.hpp"

/// How the mass of a cell acts on distant particles: its moments, and the pull that they add to the
/// pull of its mass in one point.
///
/// A further order is an enumerator of `Order`, its `Moments` and its `Multipole` here, and a line
/// in the tables of acceptance.hpp and of each device's defaults.
namespace gothic {

/// Highest multipole that an accepted cell contributes.
enum class Order {
  automatic = -1,  ///< one of the following, by the accuracy
  point,           ///< the mass in its centre, as in Miki & Umemura (2017)
  quadrupole,      ///< the second moments, too, unless the cell is far enough to act as a point
  octupole         ///< the third moments, too, unless the cell is so far that a lower order will do
};

inline constexpr Order highest_order = Order::octupole;
inline constexpr int order_count = int(highest_order) + 1;
inline constexpr const char* order_names[order_count] = {"point", "quadrupole", "octupole"};

/// The next lower order, and the next higher one.
constexpr Order below(Order order) { return Order(int(order) - 1); }
constexpr Order above(Order order) { return Order(int(order) + 1); }

/// One value for each order.
template <class T>
struct PerOrder {
  T value[order_count]{};

  GOTHIC_HD T& operator[](Order order) { return value[int(order)]; }
  GOTHIC_HD const T& operator[](Order order) const { return value[int(order)]; }
};

/// Turns an order into one that the compiler knows: returns `f.operator()<order>()`.
template <Order last = highest_order, class F>
GOTHIC_HD auto with_order(Order order, const F& f) {
  if constexpr (last != Order::point) {
    if (order != last) return with_order<below(last)>(order, f);
  }
  return f.template operator()<last>();
}

/// Calls `f.operator()<order>()` for first, ... last, from the lowest order on.
template <Order first, Order last, class F>
GOTHIC_HD void for_each_order(const F& f) {
  if constexpr (first <= last) {
    f.template operator()<first>();
    for_each_order<above(first), last>(f);
  }
}

/// The moments that an order adds to the moments of the order below: sums over the particles of a
/// cell, about its centre of mass r_J.
template <Order order>
struct Moments;

/// Second moments: sums of m_j x_j x_j, m_j x_j y_j, ...
template <>
struct alignas(8) Moments<Order::quadrupole> {
  float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  /// B_2 = sum m_j |r_j - r_J|^2
  GOTHIC_HD float trace() const { return xx + yy + zz; }

  /// Second moments of a mass in one point.
  GOTHIC_HD static Moments of_point(float mass, float x, float y, float z) {
    return {mass * x * x, mass * y * y, mass * z * z, mass * x * y, mass * x * z, mass * y * z};
  }
  GOTHIC_HD void add(const Moments& other) {
    xx += other.xx;
    yy += other.yy;
    zz += other.zz;
    xy += other.xy;
    xz += other.xz;
    yz += other.yz;
  }
};

/// Third moments: sums of m_j x_j x_j x_j, ...
template <>
struct alignas(8) Moments<Order::octupole> {
  float xxx = 0, yyy = 0, zzz = 0, xxy = 0, xxz = 0, xyy = 0, yyz = 0, xzz = 0, yzz = 0, xyz = 0;

  /// Adds a part of the mass by the parallel-axis theorem.
  /// \param own, q third and second moments of the part about its centre (x, y, z)
  GOTHIC_HD void add(const Moments& own, const Moments<Order::quadrupole>& q, float mass, float x,
                     float y, float z) {
    const auto c = Moments<Order::quadrupole>::of_point(mass, x, y, z);
    xxx += own.xxx + x * (3 * q.xx + c.xx);
    yyy += own.yyy + y * (3 * q.yy + c.yy);
    zzz += own.zzz + z * (3 * q.zz + c.zz);
    xxy += own.xxy + (y * (q.xx + c.xx) + 2 * x * q.xy);
    xxz += own.xxz + (z * (q.xx + c.xx) + 2 * x * q.xz);
    xyy += own.xyy + (x * (q.yy + c.yy) + 2 * y * q.xy);
    yyz += own.yyz + (z * (q.yy + c.yy) + 2 * y * q.yz);
    xzz += own.xzz + (x * (q.zz + c.zz) + 2 * z * q.xz);
    yzz += own.yzz + (y * (q.zz + c.zz) + 2 * z * q.yz);
    xyz += own.xyz + (x * (q.yz + c.yz) + (y * q.xz + z * q.xy));
  }
};

/// One `Array<Moments<order>>` for the quadrupole and every order above it.
template <template <class> class Array, Order order = highest_order>
struct MomentArrays : MomentArrays<Array, below(order)> {
  Array<Moments<order>> moments{};

  template <Order wanted>
  GOTHIC_HD auto& of() {
    return MomentArrays<Array, wanted>::moments;
  }
  template <Order wanted>
  GOTHIC_HD const auto& of() const {
    return MomentArrays<Array, wanted>::moments;
  }
};
template <template <class> class Array>
struct MomentArrays<Array, Order::point> {};

template <class T>
using Pointer = T*;
template <class T>
using ConstPointer = const T*;

/// What a pair adds to the pull of a point, before factors that all orders share; see `interact`.
template <class Float>
struct Expansion {
  Float radial, potential;  ///< beside the mass of the point
  Float x, y, z;            ///< not along the line of sight
};

/// Softening lengths: all particles have the same, or each has its own.
enum class Lengths { equal, own };

/// The share of a particle in the squared softening of its pairs: eps_ij^2 is the mean of eps_i^2
/// and eps_j^2 (Saitoh & Makino 2012, with the factor that leaves equal lengths as they are). So a
/// cell pulls with the mean of its particles' shares, to first order in their differences.
GOTHIC_HD constexpr float softening_share(float length) { return 0.5F * length * length; }

/// A source and a target.
template <class Float, Lengths lengths = Lengths::equal>
struct Separation {
  Float x, y, z;  ///< R, from the target to the source
  Float g2;       ///< g^2 = 1 / (R^2 + eps^2)
  Float eps2;     ///< eps^2 of the pair; only for own lengths

  /// eps^2 times a number of a record. Records hold the product if lengths are equal.
  GOTHIC_HD auto times_eps2(const auto& number) const {
    if constexpr (lengths == Lengths::own) {
      return eps2 * number;
    } else {
      return number;
    }
  }
};

/// The moments of a cell up to an order. A source has `records` of four numbers: first its place
/// and its mass, then what `record` makes of the moments. `expand` is a part of the loop over
/// pairs, whose vectors must stay in registers.
template <Order order>
struct Multipole;

template <>
struct Multipole<Order::point> {
  static constexpr int records = 1;

  GOTHIC_HD void add_particle(float, float, float, float) {}
  GOTHIC_HD void add_child(const Multipole&, float, float, float, float) {}
  template <class Arrays>
  GOTHIC_HD void read(const Arrays&, std::size_t) {}
  template <class Arrays>
  GOTHIC_HD void write(const Arrays&, std::size_t) const {}
  GOTHIC_HD Vec4 record(int, float) const { return {}; }
};

/// Records: E_xx, E_yy, E_zz and c, then E_xy, E_xz, E_yz and a place that is left free. E = 3 Q -
/// tr Q is 3 times the traceless part of the second moments Q, and c = eps^2 tr Q.
template <>
struct Multipole<Order::quadrupole> : Multipole<Order::point> {
  static constexpr int records = 3;
  static constexpr int free_record = 2;  ///< whose w is free, for the cell's share in the softening
  Moments<Order::quadrupole> second;

  GOTHIC_HD void add_particle(float mass, float x, float y, float z) {
    second.add(Moments<Order::quadrupole>::of_point(mass, x, y, z));
  }
  /// Adds a child whose mass has its centre at (x, y, z) by the parallel-axis theorem.
  GOTHIC_HD void add_child(const Multipole& child, float mass, float x, float y, float z) {
    add_particle(mass, x, y, z);
    second.add(child.second);
  }

  /// \param arrays MomentArrays of pointers
  template <class Arrays>
  GOTHIC_HD void read(const Arrays& arrays, std::size_t cell) {
    second = arrays.template of<Order::quadrupole>()[cell];
  }
  template <class Arrays>
  GOTHIC_HD void write(const Arrays& arrays, std::size_t cell) const {
    arrays.template of<Order::quadrupole>()[cell] = second;
  }

  /// \param k number of the record, from 1 on
  /// \param softening2 eps^2 of all pairs; 1 if they differ
  GOTHIC_HD Vec4 record(int k, float softening2) const {
    const auto& q = second;
    if (k == 2) return {3 * q.xy, 3 * q.xz, 3 * q.yz, 0};
    const float trace = q.trace();
    return {3 * q.xx - trace, 3 * q.yy - trace, 3 * q.zz - trace, softening2 * trace};
  }

  /// The softened potential of a cell to second order in its extent. With u = R E R - c:
  ///   acceleration R 5/2 u g^7 - g^5 E R,  potential -u g^5 / 2.
  /// The softened potential is not harmonic. So even a round cell does not act as a point: c
  /// remains.
  /// \param record function of the number of a record, \param e result
  /// \returns u g^4
  template <class Float, Lengths lengths, class Record>
  [[gnu::always_inline]] GOTHIC_HD static Float expand(const Separation<Float, lengths>& r,
                                                       const Record& record, Expansion<Float>& e) {
    const auto diagonal = record(1), mixed = record(2);
    const Float qx = diagonal.x * r.x + (mixed.x * r.y + mixed.y * r.z);
    const Float qy = mixed.x * r.x + (diagonal.y * r.y + mixed.z * r.z);
    const Float qz = mixed.y * r.x + (mixed.z * r.y + diagonal.z * r.z);
    const Float u = r.x * qx + (r.y * qy + (r.z * qz - r.times_eps2(diagonal.w)));
    const Float f = (r.g2 * r.g2) * u;
    e.radial = 2.5F * f;
    e.potential = 0.5F * f;
    e.x = -qx;
    e.y = -qy;
    e.z = -qz;
    return f;
  }
};

/// Further records: F_xxx, F_xyy, F_xxy, F_xxz, then F_xyz, F_yyy, F_yyz, C_x, then F_xzz, F_yzz,
/// C_y, C_z. F is 7.5 times the traceless part of the third moments S, and C_i = 1.5 eps^2 sum
/// S_ijj.
template <>
struct Multipole<Order::octupole> : Multipole<Order::quadrupole> {
  using Lower = Multipole<Order::quadrupole>;
  static constexpr int records = 6;
  Moments<Order::octupole> third;

  GOTHIC_HD void add_particle(float mass, float x, float y, float z) {
    Lower::add_particle(mass, x, y, z);
    third.add({}, {}, mass, x, y, z);
  }
  GOTHIC_HD void add_child(const Multipole& child, float mass, float x, float y, float z) {
    Lower::add_child(child, mass, x, y, z);
    third.add(child.third, child.second, mass, x, y, z);
  }

  template <class Arrays>
  GOTHIC_HD void read(const Arrays& arrays, std::size_t cell) {
    Lower::read(arrays, cell);
    third = arrays.template of<Order::octupole>()[cell];
  }
  template <class Arrays>
  GOTHIC_HD void write(const Arrays& arrays, std::size_t cell) const {
    Lower::write(arrays, cell);
    arrays.template of<Order::octupole>()[cell] = third;
  }

  GOTHIC_HD Vec4 record(int k, float softening2) const {
    if (k < Lower::records) return Lower::record(k, softening2);
    const auto& s = third;
    const float x = 1.5F * (s.xxx + s.xyy + s.xzz), y = 1.5F * (s.xxy + s.yyy + s.yzz),
                z = 1.5F * (s.xxz + s.yyz + s.zzz);
    if (k == 3) {
      return {7.5F * s.xxx - 3 * x, 7.5F * s.xyy - x, 7.5F * s.xxy - y, 7.5F * s.xxz - z};
    }
    if (k == 4) return {7.5F * s.xyz, 7.5F * s.yyy - 3 * y, 7.5F * s.yyz - z, softening2 * x};
    return {7.5F * s.xzz - x, 7.5F * s.yzz - y, softening2 * y, softening2 * z};
  }

  /// The expansion to third order. With V = F R R - C and U = R V - 2 C R it adds
  ///   acceleration g^7 V - 7/3 g^9 U R,  potential U g^7 / 3.
  template <class Float, Lengths lengths, class Record>
  [[gnu::always_inline]] GOTHIC_HD static Float expand(const Separation<Float, lengths>& r,
                                                       const Record& record, Expansion<Float>& e) {
    const Float f = Lower::expand(r, record, e);
    const auto a = record(3), b = record(4), c = record(5);
    const auto cx = r.times_eps2(b.w), cy = r.times_eps2(c.z), cz = r.times_eps2(c.w);
    const Float zz = r.z * r.z, xx = r.x * r.x - zz, yy = r.y * r.y - zz;
    const Float x2 = r.x + r.x, xy = x2 * r.y, xz = x2 * r.z, yz = (r.y + r.y) * r.z;
    const Float vx = a.x * xx + (a.y * yy + (a.z * xy + (a.w * xz + (b.x * yz - cx))));
    const Float vy = a.z * xx + (b.y * yy + (a.y * xy + (b.x * xz + (b.z * yz - cy))));
    const Float vz = a.w * xx + (b.z * yy + (b.x * xy + (c.x * xz + (c.y * yz - cz))));
    const Float v = r.x * (vx - 2 * cx) + (r.y * (vy - 2 * cy) + r.z * (vz - 2 * cz));
    const Float h = ((r.g2 * r.g2) * r.g2) * v;
    e.radial = 2.5F * f - (7.0F / 3) * h;
    e.potential = 0.5F * f - (1.0F / 3) * h;
    e.x = r.g2 * vx + e.x;
    e.y = r.g2 * vy + e.y;
    e.z = r.g2 * vz + e.z;
    return f;
  }
};

/// The order to which moments are stored for cells that act to `order`. The criteria ask for B_2,
/// so points have second moments, too.
GOTHIC_HD constexpr Order stored_order(Order order) {
  return order == Order::point ? Order::quadrupole : order;
}

/// Calls `f.operator()<own>()` for each order whose moments are stored where cells act to `order`.
template <class F>
GOTHIC_HD void for_each_moment(Order order, const F& f) {
  for_each_order<Order::quadrupole, highest_order>([order, &f]<Order own>() {
    if (own <= stored_order(order)) f.template operator()<own>();
  });
}

/// Gives cell k the moments of cell i, where cells act to some order.
GOTHIC_HD inline void copy_moments(Order order, const auto& from, std::size_t i, const auto& to,
                                   std::size_t k) {
  for_each_moment(order, [&from, i, &to, k]<Order own>() {
    to.template of<own>()[k] = from.template of<own>()[i];
  });
}

}  // namespace gothic
