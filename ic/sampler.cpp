#include "ic/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "ic/disc_sampler.hpp"
#include "ic/parallel.hpp"
#include "ic/random.hpp"
#include "ic/velocity_quantiles.hpp"

namespace gothic::ic {
namespace {

using Vector = std::array<double, 3>;

/// t = ln r as a function of the mass within, for quick inversion: linear in ln M between the
/// radii of the grid.
class InverseMass {
 public:
  InverseMass(const SphericalSystem& system, std::size_t component) : grid_(system.grid()) {
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      mass_.push_back(system.mass(component, grid_.t(i)));
    }
    guide_.resize(guides + 1);
    for (std::size_t k = 0; k <= guides; ++k) {
      const double mass = mass_.back() * static_cast<double>(k) / guides;
      guide_[k] = std::upper_bound(mass_.begin(), mass_.end(), mass) - mass_.begin();
    }
  }

  /// t where a fraction q of the mass of the grid lies within.
  double operator()(double q) const {
    const double mass = q * mass_.back();
    const auto k = static_cast<std::size_t>(q * guides);
    const auto first = mass_.begin() + guide_[k], last = mass_.begin() + guide_[k + 1];
    const auto above =
        static_cast<std::size_t>(std::upper_bound(first, last, mass) - mass_.begin());
    const std::size_t i = std::clamp<std::size_t>(above, 1, mass_.size() - 1) - 1;
    const double x = std::log(mass / mass_[i]) / std::log(mass_[i + 1] / mass_[i]);
    return grid_.t(i) + grid_.step() * std::clamp(x, 0.0, 1.0);
  }

 private:
  static constexpr std::size_t guides = 1024;  // where to look for mass k / guides of the total

  RadialGrid grid_;
  std::vector<double> mass_;
  std::vector<std::ptrdiff_t> guide_;
};

/// Where the particles of a component go.
struct Drawn {
  std::span<io::Vec3> position, velocity;
};

/// f(i) for every particle, from several threads.
template <class F>
void for_particles(const Drawn& drawn, unsigned threads, F&& f) {
  for_pieces(drawn.position.size(), particles_per_piece, threads,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) f(i);
             });
}

void draw_sphere(const Drawn& drawn, const Random& random, const Galaxy& galaxy,
                 std::size_t component, unsigned threads) {
  const InverseMass inverse_mass(galaxy.system(), component);
  const VelocityQuantiles speed(galaxy.system(), *galaxy.distribution(component), threads);
  for_particles(drawn, threads, [&](std::size_t i) {
    const auto a = random(i, 0), b = random(i, 1);
    const double t = inverse_mass(uniform(a[0], a[1]));
    drawn.position[i] = isotropic(std::exp(t), a[2], a[3]);
    drawn.velocity[i] = isotropic(speed(t, uniform(b[0], b[1])), b[2], b[3]);
  });
}

void draw_disc(const Drawn& drawn, const Random& random, const Galaxy& galaxy,
               std::size_t component, unsigned threads) {
  const DiscSampler sampler(*galaxy.disc(component), *galaxy.kinematics(component));
  for_particles(drawn, threads, [&](std::size_t i) {
    const auto [position, velocity] = sampler(random, i);
    drawn.position[i] = position;
    drawn.velocity[i] = velocity;
  });
}

/// Subtracts the mean. Summed piece by piece, then over the pieces, so that the result does not
/// depend on the threads.
void centre(std::span<io::Vec3> vectors, unsigned threads) {
  std::vector<Vector> sums((vectors.size() + particles_per_piece - 1) / particles_per_piece);
  for_pieces(vectors.size(), particles_per_piece, threads,
             [&](std::size_t first, std::size_t last) {
               Vector sum{};
               for (std::size_t i = first; i < last; ++i) {
                 for (int k = 0; k < 3; ++k) sum[k] += vectors[i][k];
               }
               sums[first / particles_per_piece] = sum;
             });
  Vector mean{};
  for (const Vector& sum : sums) {
    for (int k = 0; k < 3; ++k) mean[k] += sum[k] / static_cast<double>(vectors.size());
  }
  for_pieces(vectors.size(), particles_per_piece, threads,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 for (int k = 0; k < 3; ++k)
                   vectors[i][k] = static_cast<float>(vectors[i][k] - mean[k]);
               }
             });
}

}  // namespace

std::vector<std::size_t> share_particles(const Model& model, std::size_t count) {
  const std::size_t components = model.components.size();
  if (count < components) throw std::invalid_argument("fewer particles than components");
  double left = 0;
  for (const Component& component : model.components) left += component.mass;
  std::vector<std::size_t> shares;
  for (std::size_t k = 0; k < components; ++k) {
    const double mass = model.components[k].mass;
    const auto fair =
        static_cast<std::size_t>(std::llround(static_cast<double>(count) * mass / left));
    shares.push_back(std::clamp<std::size_t>(fair, 1, count - (components - 1 - k)));
    if (k + 1 == components) shares.back() = count;
    count -= shares.back();
    left -= mass;
  }
  return shares;
}

io::Particles draw_particles(const Galaxy& galaxy, std::size_t count, std::uint32_t seed,
                             unsigned threads) {
  const Model& model = galaxy.model();
  const std::vector<std::size_t> shares = share_particles(model, count);
  io::Particles particles;
  particles.resize(count);
  std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{1});
  std::size_t first = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const Component& component = model.components[k];
    const auto mass = static_cast<float>(component.mass / static_cast<double>(shares[k]));
    std::fill_n(particles.mass.begin() + first, shares[k], mass);
    std::fill_n(particles.type.begin() + first, shares[k], component.type);
    std::fill_n(particles.component.begin() + first, shares[k], static_cast<std::int32_t>(k));

    const Drawn drawn{std::span(particles.position).subspan(first, shares[k]),
                      std::span(particles.velocity).subspan(first, shares[k])};
    const Random random{seed, static_cast<std::uint32_t>(k)};
    if (component.is_disc()) {
      draw_disc(drawn, random, galaxy, k, threads);
    } else if (galaxy.distribution(k)) {
      draw_sphere(drawn, random, galaxy, k, threads);
    }
    centre(drawn.position, threads);
    centre(drawn.velocity, threads);
    first += shares[k];
  }
  return particles;
}

}  // namespace gothic::ic
