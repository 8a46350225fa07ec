#include "ic/disc/disc_sampler.hpp"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "core/device/host_pieces.hpp"

namespace gothic::ic {
namespace {

/// Blocks of a star's random numbers: one for its place in the plane, one for its height and sense
/// of rotation, then two for each attempt at a velocity.
constexpr std::uint32_t place_block = 0, sense_block = 1, velocity_block = 2;

/// Number of attempts at a velocity. If none is accepted, hardly any velocity would be, and the
/// star gets the mean velocity.
constexpr std::uint32_t attempts = 1000;

/// The surface density is sharpened in rings, which are finer towards the centre. Each ring's
/// blurring is measured with some stars, which have random numbers of their own.
constexpr std::size_t rings = 64;
constexpr std::uint64_t stars_per_ring = 512;
constexpr int sharpening_rounds = 30;
constexpr Random learning{.seed = 0, .component = 0xffffffff};

/// Fraction of the mass within a ring's inner edge.
double fraction_within(std::size_t ring) {
  const double x = static_cast<double>(ring) / rings;
  return x * x;
}

struct Velocity {
  double radial, around, up;
};

struct Pair {
  double first, second;
};

/// Two numbers of the standard normal distribution (Box & Muller 1958).
Pair normal(std::uint32_t one, std::uint32_t other) {
  const double length = std::sqrt(-2 * std::log(uniform(one)));
  const double angle = 2 * std::numbers::pi * uniform(other);
  return {length * std::cos(angle), length * std::sin(angle)};
}

Velocity draw_velocity(const DiscKinematics::Motion& motion, const Random& random,
                       std::uint64_t star) {
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

void put(const DiscSampler::Star& star, OrbitMixer::Stars& stars, std::size_t lane) {
  for (std::size_t d = 0; d < 3; ++d) {
    stars.position[d][lane] = static_cast<float>(star.position[d]);
    stars.velocity[d][lane] = static_cast<float>(star.velocity[d]);
  }
}

}  // namespace

DiscSampler::DiscSampler(const DiscKinematics& kinematics, unsigned threads)
    : disc_(&kinematics.disc()),
      kinematics_(&kinematics),
      mixer_(kinematics.discs(), kinematics.number(), threads),
      heights_(disc_->grid().rows()) {
  tabulate_heights();
  for (std::size_t ring = 0; ring <= rings; ++ring) within_.push_back(fraction_within(ring));
  sharpen(threads);
}

void DiscSampler::tabulate_heights() {
  const MeridionalGrid& grid = disc_->grid();
  const std::vector<double> relative = disc_->relative_density();
  for (std::size_t i = 0; i < grid.rows().size(); ++i) {
    const auto first = relative.begin() + static_cast<std::ptrdiff_t>(i * grid.columns());
    const std::vector<double> density(first, first + static_cast<std::ptrdiff_t>(grid.columns()));
    const std::vector<double> within = grid.integral_to(density);
    // Levels of q are even in 1 - (1 - q)^(1/4), which resolves the few stars far from the plane.
    for (std::size_t level = 0; level <= QuantileTable::levels; ++level) {
      const double s = static_cast<double>(level) / QuantileTable::levels;
      const double wanted = (1 - std::pow(1 - s, 4)) * within.back();
      const auto above = std::upper_bound(within.begin() + 1, within.end() - 1, wanted);
      const auto j = static_cast<std::size_t>(above - within.begin());
      // The density is taken as uniform in z within an interval.
      const double part = (wanted - within[j - 1]) / std::max(within[j] - within[j - 1], 1e-300);
      const double low = grid.heights()[j - 1], high = grid.heights()[j];
      heights_.at(i, level) = static_cast<float>(low + std::clamp(part, 0.0, 1.0) * (high - low));
    }
  }
}

double DiscSampler::height(double axis_distance, double q) const {
  return heights_(std::log(axis_distance), 1 - std::sqrt(std::sqrt(1 - q)));
}

std::vector<double> DiscSampler::blur(std::size_t ring) const {
  std::vector<double> edges;
  for (std::size_t i = 1; i < rings; ++i) edges.push_back(radius_within(fraction_within(i)));
  std::vector<double> blurred(rings);
  const auto visit = [&](const OrbitMixer::Stars& stars) {
    for (std::size_t k = 0; k < OrbitMixer::lanes; ++k) {
      const double R = std::hypot(stars.position[0][k], stars.position[1][k]);
      const auto above = std::upper_bound(edges.begin(), edges.end(), R);
      blurred[static_cast<std::size_t>(above - edges.begin())] += 1;
    }
  };
  OrbitMixer::Lanes whole;
  whole.fill(1);
  for (std::uint64_t first = 0; first < stars_per_ring; first += OrbitMixer::lanes) {
    OrbitMixer::Stars stars;
    for (std::size_t k = 0; k < OrbitMixer::lanes; ++k) {
      const std::uint64_t star = ring * stars_per_ring + first + k;
      const double part = (static_cast<double>(first + k) + 0.5) / stars_per_ring;
      const double low = fraction_within(ring), high = fraction_within(ring + 1);
      put(start(learning, star, radius_within(low + part * (high - low))), stars, k);
    }
    mixer_.move(stars, whole, visit);
  }
  for (double& fraction : blurred) fraction /= static_cast<double>(mixer_.steps()) * stars_per_ring;
  return blurred;
}

void DiscSampler::sharpen(unsigned threads) {
  std::vector<std::vector<double>> blurred(rings);
  for_pieces(rings, 1, threads,
             [&](std::size_t first, std::size_t) { blurred[first] = blur(first); });
  std::vector<double> drawn(rings), wanted(rings);
  for (std::size_t i = 0; i < rings; ++i) {
    wanted[i] = drawn[i] = fraction_within(i + 1) - fraction_within(i);
  }
  for (int round = 0; round < sharpening_rounds; ++round) {
    std::vector<double> ratio(rings);
    for (std::size_t i = 0; i < rings; ++i) {
      for (std::size_t j = 0; j < rings; ++j) ratio[j] += drawn[i] * blurred[i][j];
    }
    for (std::size_t j = 0; j < rings; ++j) ratio[j] = ratio[j] > 0 ? wanted[j] / ratio[j] : 1;
    for (std::size_t i = 0; i < rings; ++i) {
      drawn[i] *= std::inner_product(ratio.begin(), ratio.end(), blurred[i].begin(), 0.0);
    }
  }
  for (std::size_t i = 0; i < rings; ++i) within_[i + 1] = within_[i] + drawn[i];
  for (double& fraction : within_) fraction /= within_.back();
}

double DiscSampler::radius_within(double fraction) const {
  return disc_->surface().radius_of_mass(fraction * disc_->component().mass);
}

double DiscSampler::axis_distance(double fraction) const {
  const auto above = std::upper_bound(within_.begin() + 1, within_.end() - 1, fraction);
  const auto ring = static_cast<std::size_t>(above - within_.begin()) - 1;
  const double part = (fraction - within_[ring]) / (within_[ring + 1] - within_[ring]);
  const double low = fraction_within(ring), high = fraction_within(ring + 1);
  return radius_within(low + part * (high - low));
}

DiscSampler::Star DiscSampler::start(const Random& random, std::uint64_t star,
                                     double axis_distance) const {
  const double R = axis_distance;
  const auto place = random(star, place_block), sense = random(star, sense_block);
  const double side = 2 * uniform(sense[0], sense[1]) - 1;
  const double z = std::copysign(height(R, std::abs(side)), side);
  const Velocity velocity = draw_velocity(kinematics_->motion(R, std::abs(z)), random, star);
  const bool is_retrograde = uniform(sense[2]) < disc_->component().disc.retrograde;
  const double around = is_retrograde ? -velocity.around : velocity.around;

  const double phi = 2 * std::numbers::pi * uniform(place[2], place[3]);
  const double c = std::cos(phi), s = std::sin(phi);
  return {{R * c, R * s, z},
          {velocity.radial * c - around * s, velocity.radial * s + around * c, velocity.up}};
}

void DiscSampler::draw(const Random& random, std::uint64_t first, std::span<files::Vec3> position,
                       std::span<files::Vec3> velocity) const {
  OrbitMixer::Stars stars;
  OrbitMixer::Lanes fraction;
  for (std::size_t k = 0; k < OrbitMixer::lanes; ++k) {
    const std::uint64_t star = first + std::min(k, position.size() - 1);
    const auto place = random(star, place_block), sense = random(star, sense_block);
    put(start(random, star, axis_distance(uniform(place[0], place[1]))), stars, k);
    fraction[k] = static_cast<float>(uniform(sense[3]));
  }
  mixer_.move(stars, fraction);
  for (std::size_t k = 0; k < position.size(); ++k) {
    for (std::size_t d = 0; d < 3; ++d) {
      position[k][d] = stars.position[d][k];
      velocity[k][d] = stars.velocity[d][k];
    }
  }
}

}  // namespace gothic::ic
