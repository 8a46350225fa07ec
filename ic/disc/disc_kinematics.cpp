#include "ic/disc/disc_kinematics.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "files/error.hpp"
#include "files/text.hpp"

namespace gothic::ic {
namespace {

/// Half-mass radius of a thin exponential disc of unit scale.
constexpr double exponential_half_mass = 1.678347;

constexpr double toomre = 3.36;

/// Densities lower than this many e-foldings below the mid-plane do not matter.
constexpr double faintest = 40;

/// The least sigma_R^2 / s^2, practically zero.
constexpr double coldest = 1e-20;

/// Distance from the axis, in heights, within which motions along R and z mix.
constexpr double mixed_heights = 4;

}  // namespace

DiscKinematics::DiscKinematics(const DiscSystem& discs, std::size_t number)
    : discs_(&discs),
      number_(number),
      disc_(&discs.disc(number)),
      dispersion_scale_(disc_->surface().radius_of_mass(disc_->component().mass / 2) /
                        exponential_half_mass),
      mid_plane_(discs.mid_plane(number)) {
  measure_rotation_curve();
  scale_dispersion();
  set_dispersion();
  balance();
}

void DiscKinematics::measure_rotation_curve() {
  const double step = disc_->grid().rows().step();
  circular_square_ = derivative(mid_plane_, step);
  for (double& square : circular_square_) square = std::max(square, 0.0);
  const std::vector<double> slope = derivative(circular_square_, step);
  for (std::size_t i = 0; i < slope.size(); ++i) {  // kappa^2 = (2 v^2 + d v^2 / d ln R) / R^2
    const double ratio = (2 * circular_square_[i] + slope[i]) / (4 * circular_square_[i]);
    epicycle_ratio_.push_back(std::clamp(ratio, 0.0, 1.0));
  }
}

double DiscKinematics::mixing(double axis_distance) const {
  const double x = axis_distance / (mixed_heights * disc_->component().disc.height);
  return 1 / (1 + std::pow(x, 6));
}

void DiscKinematics::scale_dispersion() {
  const Disc& wanted = disc_->component().disc;
  central_dispersion_ = wanted.sigma_r;
  if (wanted.toomre_q == 0) return;
  const double R = wanted.toomre_q_radius;
  if (disc_->surface()(R) == 0) {
    throw InputError("component '" + disc_->component().name +
                     "': toomre_q_radius is beyond the end of the disc; make it less than " +
                     files::shortest(disc_->surface().outer_radius()));
  }
  const double needed = wanted.toomre_q * toomre * discs_->gravitational_constant() *
                        disc_->surface()(R) / epicycle_frequency(R);
  // The mixing adds to this dispersion later, so its part is taken out here.
  const double vertical = disc_->sheet(disc_->grid().place(R, 0)).mean_square_velocity(0);
  const double fraction = mixing(R);
  const double square = needed * needed;
  const double unmixed =
      square > vertical ? square : (square - fraction * vertical) / (1 - fraction);
  central_dispersion_ = std::sqrt(std::max(unmixed, 0.0)) * std::exp(R / (2 * dispersion_scale_));
}

double DiscKinematics::unmixed_square(double axis_distance) const {
  const double unmixed = central_dispersion_ * std::exp(-axis_distance / (2 * dispersion_scale_));
  return unmixed * unmixed;
}

void DiscKinematics::set_dispersion() {
  const MeridionalGrid& grid = disc_->grid();
  for (std::size_t i = 0; i < grid.rows().size(); ++i) {
    const double R = grid.rows().radius(i), fraction = mixing(R);
    const double square = unmixed_square(R);
    const LoweredIsothermal sheet = disc_->sheet(i);
    for (std::size_t j = 0; j < grid.columns(); ++j) {
      const double vertical = sheet.mean_square_velocity(disc_->rise()[i * grid.columns() + j]);
      vertical_square_.push_back(vertical);
      radial_square_.push_back(
          std::max(square + fraction * std::max(vertical - square, 0.0), coldest * sheet.variance));
    }
  }
}

void DiscKinematics::balance() {
  const MeridionalGrid& grid = disc_->grid();
  const std::vector<double> relative = disc_->relative_density();
  std::vector<double> density(grid.size()), log_pressure(grid.size()), potential(grid.size());
  for (std::size_t i = 0; i < grid.rows().size(); ++i) {
    const double surface = disc_->surface()(grid.rows().radius(i));
    for (std::size_t j = 0; j < grid.columns(); ++j) {
      const std::size_t k = i * grid.columns() + j;
      density[k] = surface * relative[k];
      const double least = relative[i * grid.columns()] * std::exp(-faintest);
      log_pressure[k] = std::log(std::max(surface, 1e-300)) +
                        std::log(std::max(relative[k], least)) + std::log(radial_square_[k]);
      potential[k] = mid_plane_[i] + disc_->rise()[k];
    }
  }
  rotation_square_ = grid.log_radial_derivative(potential);
  virial_ = rotation_square_;
  const std::vector<double> slope = grid.log_radial_derivative(log_pressure);
  double kinetic = 0, virial = 0;
  for (std::size_t i = 0; i < grid.rows().size(); ++i) {
    const double R = grid.rows().radius(i);
    const std::size_t first = i * grid.columns();
    const std::vector<double> rise(disc_->rise().begin() + first,
                                   disc_->rise().begin() + first + grid.columns());
    const std::vector<double> along_root = derivative(rise, 1.0);
    std::vector<double> lacking(grid.columns()), moving(lacking), pulling(lacking);
    for (std::size_t j = 0; j < grid.columns(); ++j) {
      const std::size_t k = first + j;
      virial_[k] += along_root[j] * static_cast<double>(j) / 2;  // z dPhi/dz, z ~ j^2
      double& square = rotation_square_[k];
      square += radial_square_[k] * (1 + slope[k]);
      if (square < 0) lacking[j] = density[k];
      square = std::max(square, 0.0);
      moving[j] = density[k] * (radial_square_[k] + square + vertical_square_[k]);
      pulling[j] = density[k] * virial_[k];
    }
    const double hot = 4 * std::numbers::pi * R * R * grid.rows().step() *
                       grid.integral_to(lacking).back() / disc_->component().mass;
    too_hot_ += hot;
    if (radial_square_[first] > 2 * unmixed_square(R)) too_thick_ += hot;
    kinetic += R * R * grid.integral_to(moving).back();
    virial += R * R * grid.integral_to(pulling).back();
  }
  virial_ratio_ = kinetic / virial;
}

DiscKinematics::Motion DiscKinematics::motion(double axis_distance, double height) const {
  const MeridionalGrid& grid = disc_->grid();
  const auto place = grid.place(axis_distance, height);
  Motion motion{};
  motion.sheet = disc_->sheet(place);
  motion.rise = disc_->rise(place);
  const double radial = std::max(grid.at(radial_square_, place), 0.0);
  const double square = std::max(grid.at(rotation_square_, place), 0.0);
  const double epicycle = MeridionalGrid::at_row(epicycle_ratio_, place);
  const double ratio = epicycle + mixing(axis_distance) * (1 - epicycle);
  const double around = std::min(radial * ratio, square);
  motion.sigma_r = std::sqrt(radial);
  motion.sigma_phi = std::sqrt(around);
  motion.mean_rotation = std::sqrt(square - around);
  motion.escape_speed = std::sqrt(-2 * (MeridionalGrid::at_row(mid_plane_, place) + motion.rise));
  return motion;
}

double DiscKinematics::circular_speed(double axis_distance) const {
  const auto place = disc_->grid().place(axis_distance, 0);
  return std::sqrt(MeridionalGrid::at_row(circular_square_, place));
}

double DiscKinematics::epicycle_frequency(double axis_distance) const {
  const auto place = disc_->grid().place(axis_distance, 0);
  const double omega = circular_speed(axis_distance) / axis_distance;
  return 2 * omega * std::sqrt(MeridionalGrid::at_row(epicycle_ratio_, place));
}

double DiscKinematics::toomre_q(double axis_distance) const {
  const MeridionalGrid& grid = disc_->grid();
  const double dispersion = std::sqrt(grid.at(radial_square_, grid.place(axis_distance, 0)));
  return epicycle_frequency(axis_distance) * dispersion /
         (toomre * discs_->gravitational_constant() * disc_->surface()(axis_distance));
}

DiscKinematics::LowestQ DiscKinematics::lowest_q() const {
  constexpr double outermost_mass = 0.99;
  const double outermost =
      disc_->surface().radius_of_mass(outermost_mass * disc_->component().mass);
  const RadialGrid& rows = disc_->grid().rows();
  LowestQ lowest{std::numeric_limits<double>::infinity(), 0};
  for (std::size_t i = 0; i < rows.size() && rows.radius(i) < outermost; ++i) {
    const double q = toomre_q(rows.radius(i));
    if (q < lowest.value) lowest = {q, rows.radius(i)};
  }
  return lowest;
}

double DiscKinematics::thickness(double axis_distance) const {
  const MeridionalGrid& grid = disc_->grid();
  std::vector<double> mass, moment;
  for (const double z : grid.heights()) {
    mass.push_back(disc_->density(axis_distance, z));
    moment.push_back(mass.back() * z * z);
  }
  return std::sqrt(grid.integral_to(moment).back() / grid.integral_to(mass).back());
}

double DiscKinematics::virial(double axis_distance, double height) const {
  return disc_->grid().at(virial_, disc_->grid().place(axis_distance, height));
}

}  // namespace gothic::ic
