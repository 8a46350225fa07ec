#include "ic/disc_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gothic::ic {
namespace {

/// Levels of q are even in 1 - (1 - q)^(1/4), which resolves the few that are far from the plane.
constexpr std::size_t levels = 256;

/// Blocks of random numbers of a star: where it is in the plane; how high and which way it rotates;
/// then two for each attempt at a velocity.
constexpr std::uint32_t place_block = 0, sense_block = 1, velocity_block = 2;

/// Of 1000 attempts one is accepted unless hardly any velocity is; then the star is left at the
/// mean.
constexpr std::uint32_t attempts = 1000;

struct Pair {
  double first, second;
};

/// Two numbers of the standard normal distribution (Box & Muller 1958).
Pair normal(std::uint32_t one, std::uint32_t other) {
  const double length = std::sqrt(-2 * std::log(uniform(one)));
  const double angle = 2 * std::numbers::pi * uniform(other);
  return {length * std::cos(angle), length * std::sin(angle)};
}

}  // namespace

DiscSampler::DiscSampler(const ThickDisc& disc, const DiscKinematics& kinematics)
    : disc_(&disc), kinematics_(&kinematics) {
  const MeridionalGrid& grid = disc.grid();
  const std::vector<double> relative = disc.relative_density();
  for (std::size_t i = 0; i < grid.rows().size(); ++i) {
    const auto first = relative.begin() + static_cast<std::ptrdiff_t>(i * grid.columns());
    const std::vector<double> density(first, first + static_cast<std::ptrdiff_t>(grid.columns()));
    const std::vector<double> within = grid.integral_to(density);
    for (std::size_t level = 0; level <= levels; ++level) {
      const double s = static_cast<double>(level) / levels;
      const double wanted = (1 - std::pow(1 - s, 4)) * within.back();
      const auto above = std::upper_bound(within.begin() + 1, within.end() - 1, wanted);
      const auto j = static_cast<std::size_t>(above - within.begin());
      // Within an interval the density is taken as even in z.
      const double part = (wanted - within[j - 1]) / std::max(within[j] - within[j - 1], 1e-300);
      const double low = grid.heights()[j - 1], high = grid.heights()[j];
      heights_.push_back(static_cast<float>(low + std::clamp(part, 0.0, 1.0) * (high - low)));
    }
  }
}

double DiscSampler::height(double axis_distance, double q) const {
  const auto [row, y] = disc_->grid().rows().place(std::log(axis_distance));
  const double s = (1 - std::sqrt(std::sqrt(1 - q))) * levels;
  const std::size_t k = std::min(static_cast<std::size_t>(s), levels - 1);
  const double x = s - static_cast<double>(k);
  const float* low = &heights_[row * (levels + 1) + k];
  const float* high = low + levels + 1;
  return (1 - y) * ((1 - x) * low[0] + x * low[1]) + y * ((1 - x) * high[0] + x * high[1]);
}

DiscSampler::Velocity DiscSampler::draw(const DiscKinematics::Motion& motion, const Random& random,
                                        std::uint64_t star) const {
  const double spread = std::sqrt(motion.sheet.variance);
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    const auto a = random(star, velocity_block + 2 * attempt);
    const auto b = random(star, velocity_block + 2 * attempt + 1);
    const auto [in_plane, around] = normal(a[0], a[1]);
    const Velocity velocity{motion.sigma_r * in_plane,
                            motion.mean_rotation + motion.sigma_phi * around,
                            spread * normal(a[2], a[3]).first};
    // A Gaussian exp(-E / s^2), thinned to exp(-E / s^2) - exp(-E_t / s^2).
    const double left = motion.sheet.top - motion.rise - velocity.up * velocity.up / 2;
    const bool is_in_sheet = uniform(b[0]) < -std::expm1(-left / motion.sheet.variance);
    const double speed = std::hypot(velocity.radial, velocity.around, velocity.up);
    if (is_in_sheet && speed < motion.escape_speed) return velocity;
  }
  return {0, motion.mean_rotation, 0};
}

DiscSampler::Star DiscSampler::operator()(const Random& random, std::uint64_t star) const {
  const auto place = random(star, place_block), sense = random(star, sense_block);
  const double q = uniform(place[0], place[1]);
  const double R = disc_->surface().radius_of_mass(q * disc_->component().mass);
  const double side = 2 * uniform(sense[0], sense[1]) - 1;
  const double z = std::copysign(height(R, std::abs(side)), side);
  const Velocity velocity = draw(kinematics_->motion(R, std::abs(z)), random, star);
  const bool is_retrograde = uniform(sense[2]) < disc_->component().disc.retrograde;
  const double around = is_retrograde ? -velocity.around : velocity.around;

  const double phi = 2 * std::numbers::pi * uniform(place[2], place[3]);
  const double c = std::cos(phi), s = std::sin(phi);
  return {{static_cast<float>(R * c), static_cast<float>(R * s), static_cast<float>(z)},
          {static_cast<float>(velocity.radial * c - around * s),
           static_cast<float>(velocity.radial * s + around * c), static_cast<float>(velocity.up)}};
}

}  // namespace gothic::ic
