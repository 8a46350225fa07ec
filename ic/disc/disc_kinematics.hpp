#pragma once

#include <cstddef>
#include <vector>

#include "ic/disc/disc_system.hpp"

namespace gothic::ic {

/// How the stars of a disc move. The velocity ellipsoid is aligned with the axes R, phi, z:
///
/// * v_z has the distribution of the lowered isothermal sheet, see ThickDisc,
/// * sigma_R(R) falls as exp(-R / 2 h), h being the scale of the exponential disc with the same
///   half-mass radius, from sigma_r or from Q = kappa sigma_R / (3.36 G Sigma) where the model says
///   (Toomre 1964; Hernquist 1993),
/// * sigma_phi = sigma_R kappa / (2 Omega), the epicycle ratio,
/// * <v_phi^2> = R dPhi/dR + sigma_R^2 (1 + d ln(rho sigma_R^2) / d ln R), all at (R, z), from the
///   Jeans equation (Binney & Tremaine 2008, eq. 4.222a): asymmetric drift.
///
/// Within a few heights of the centre a disc is no thinner than wide, and motions along R and z
/// mix. There sigma_R and sigma_phi rise to sigma_z if sigma_z is larger, as in systems whose
/// distribution function depends on energy and angular momentum alone. Where there is not enough
/// rotation, sigma_phi^2 is <v_phi^2>.
class DiscKinematics {
 public:
  /// \param number of the disc in `discs`
  DiscKinematics(const DiscSystem& discs, std::size_t number);

  /// The arguments of the constructor, and the disc that they name.
  const DiscSystem& discs() const { return *discs_; }
  std::size_t number() const { return number_; }
  const ThickDisc& disc() const { return *disc_; }

  /// State of motion at one place.
  struct Motion {
    double sigma_r, sigma_phi;
    double mean_rotation;
    LoweredIsothermal sheet;  ///< distribution of the vertical motion
    double rise;              ///< Phi(R, z) - Phi(R, 0)
    double escape_speed;
  };
  Motion motion(double axis_distance, double height) const;

  /// Circular speed and Toomre's Q in the mid-plane.
  double circular_speed(double axis_distance) const;
  double toomre_q(double axis_distance) const;

  /// The least Q within the radius that holds 99 % of the mass, and its radius.
  struct LowestQ {
    double value, radius;
  };
  LowestQ lowest_q() const;

  /// Root of the mean of z^2 of the stars at this distance.
  double thickness(double axis_distance) const;

  /// Fraction of the disc's mass where <v_phi^2> would be negative: no such disc can be in
  /// equilibrium. It is taken to be zero there.
  double too_hot() const { return too_hot_; }
  /// Whether most of this mass is so hot because the disc is thick: sigma_z has raised sigma_R.
  bool is_too_thick() const { return too_thick_ > too_hot_ / 2; }

  /// -(r . a) of a star at (R, z), z >= 0.
  double virial(double axis_distance, double height) const;

  /// 2 K / -W of the disc, where W = sum m r . a.
  double virial_ratio() const { return virial_ratio_; }

 private:
  void measure_rotation_curve();
  void scale_dispersion();
  void set_dispersion();
  void balance();
  double mixing(double axis_distance) const;
  double unmixed_square(double axis_distance) const;      // of sigma_R
  double epicycle_frequency(double axis_distance) const;  // kappa

  const DiscSystem* discs_;
  std::size_t number_;
  const ThickDisc* disc_;
  double dispersion_scale_;
  double central_dispersion_ = 0;
  std::vector<double> mid_plane_;        // Phi(R, 0)
  std::vector<double> circular_square_;  // v_c^2
  std::vector<double> epicycle_ratio_;   // kappa^2 / (4 Omega^2)
  std::vector<double> radial_square_;    // sigma_R^2
  std::vector<double> vertical_square_;  // sigma_z^2
  std::vector<double> rotation_square_;  // <v_phi^2>
  std::vector<double> virial_;           // -(r . a)
  double too_hot_ = 0, too_thick_ = 0, virial_ratio_ = 0;
};

}  // namespace gothic::ic
