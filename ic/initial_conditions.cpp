#include "ic/initial_conditions.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/device/host.hpp"
#include "files/error.hpp"
#include "files/text.hpp"
#include "ic/disc/disc_sampler.hpp"
#include "ic/parallel.hpp"
#include "ic/sphere/sphere_sampler.hpp"

namespace gothic::ic {
namespace {

/// Where the particles of a component go, and how.
struct Task {
  std::span<files::Vec3> position, velocity;
  Random random;
  bool quiet;
  unsigned threads;
  Progress* progress;
};

/// The radical inverse of a number in a prime base, moved on by `shift` and wrapped into (0, 1). In
/// base 2 this is the sequence of van der Corput (1935); with base 3 for a second coordinate, pairs
/// fill the unit square evenly (Halton 1960).
double even_fraction(std::uint64_t number, unsigned base, double shift) {
  double fraction = shift, weight = 1;
  for (; number != 0; number /= base) {
    weight /= base;
    fraction += weight * static_cast<double>(number % base);
  }
  return std::clamp(fraction < 1 ? fraction : fraction - 1, 0x1p-53, 1 - 0x1p-53);
}

/// Stars that are drawn together.
constexpr std::size_t batch = OrbitMixer::lanes;
using Batch = std::array<files::Vec3, batch>;

/// Fills all particles by calls of fill(first star, positions, velocities) with up to a batch of
/// stars; for a quiet start, each star makes a pair with itself turned inside out.
template <class F>
void draw(const Task& task, F&& fill) {
  const std::size_t count = task.position.size(), stars = task.quiet ? (count + 1) / 2 : count;
  const auto set = [&](std::size_t star, const files::Vec3& x, const files::Vec3& v) {
    const std::size_t k = task.quiet ? 2 * star : star;
    task.position[k] = x;
    task.velocity[k] = v;
    if (!task.quiet || k + 1 == count) return;
    task.position[k + 1] = {-x[0], -x[1], -x[2]};
    task.velocity[k + 1] = {-v[0], -v[1], -v[2]};
  };
  for_pieces(stars, particles_per_piece, task.threads, [&](std::size_t first, std::size_t last) {
    Batch x, v;
    for (std::size_t begin = first; begin < last; begin += batch) {
      const std::size_t used = std::min(batch, last - begin);
      fill(begin, std::span(x).first(used), std::span(v).first(used));
      for (std::size_t k = 0; k < used; ++k) set(begin + k, x[k], v[k]);
    }
    if (task.progress) task.progress->add((task.quiet ? 2 : 1) * (last - first));
  });
}

void draw_sphere(const Task& task, const DistributionFunction& f) {
  const SphereSampler sampler(f, task.threads);
  const auto words = task.random(~std::uint64_t{0}, 0);  // of a particle that does not exist
  const double shift = uniform(words[0], words[1]), speed_shift = uniform(words[2], words[3]);
  draw(task, [&](std::size_t first, std::span<files::Vec3> x, std::span<files::Vec3> v) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t i = first + k;
      std::optional<SphereSampler::Fractions> even;
      if (task.quiet) even = {even_fraction(i, 2, shift), even_fraction(i, 3, speed_shift)};
      const auto star = sampler(task.random, i, even);
      x[k] = star.position;
      v[k] = star.velocity;
    }
  });
}

void draw_disc(const Task& task, const DiscKinematics& kinematics) {
  const DiscSampler sampler(kinematics, task.threads);
  draw(task, [&](std::size_t first, std::span<files::Vec3> x, std::span<files::Vec3> v) {
    sampler.draw(task.random, first, x, v);
  });
}

/// Subtracts a multiple of weight(x) from the vectors x so that their mean is zero. Summed piece by
/// piece, then over the pieces, so that the result does not depend on the threads.
template <class Weight>
void centre(std::span<files::Vec3> vectors, unsigned threads, Weight&& weight) {
  using Sum = std::array<double, 4>;  // of the vectors and of their weights
  std::vector<Sum> sums((vectors.size() + particles_per_piece - 1) / particles_per_piece);
  const auto for_vectors = [&](auto&& f) {
    for_pieces(vectors.size(), particles_per_piece, threads,
               [&](std::size_t first, std::size_t last) {
                 for (std::size_t i = first; i < last; ++i) {
                   f(vectors[i], sums[first / particles_per_piece]);
                 }
               });
  };
  for_vectors([&](const files::Vec3& x, Sum& sum) {
    for (int k = 0; k < 3; ++k) sum[k] += x[k];
    sum[3] += weight(x);
  });
  Sum total{};
  for (const Sum& sum : sums) {
    for (int k = 0; k < 4; ++k) total[k] += sum[k];
  }
  if (total[3] == 0) return;
  for_vectors([&](files::Vec3& x, const Sum&) {
    const double share = weight(x) / total[3];
    for (int k = 0; k < 3; ++k) x[k] = static_cast<float>(x[k] - share * total[k]);
  });
}

/// Brings the centre of mass to rest at the origin. The few particles far out move it most; the
/// centre of the density, which must lie where those of the other components do, stays where it is.
void centre(const Task& task, double half_mass_radius) {
  centre(task.position, task.threads, [&](const files::Vec3& x) {
    const double square = double{x[0]} * x[0] + double{x[1]} * x[1] + double{x[2]} * x[2];
    return square / (square + half_mass_radius * half_mass_radius);
  });
  centre(task.velocity, task.threads, [](const files::Vec3&) { return 1.0; });
}

class LackOfMemory : public std::bad_alloc {
 public:
  explicit LackOfMemory(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// Linux would promise more memory than there is, and end the program when it is used.
void require_memory(std::size_t particles) {
  const std::size_t available = host_memory().available;  // 0 where the system does not tell
  if (available == 0 || memory_of(particles) <= available) return;
  const auto bytes = [](std::size_t size) { return files::bytes(static_cast<double>(size)); };
  throw LackOfMemory(std::to_string(particles) + " particles take " + bytes(memory_of(particles)) +
                     " of memory, and " + bytes(available) +
                     " are free; use fewer particles or a machine with more");
}

void require_single_precision(const files::Particles& particles) {
  const auto finite = [](const files::Vec3& v) {
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
  };
  if (std::ranges::all_of(particles.position, finite) &&
      std::ranges::all_of(particles.velocity, finite)) {
    return;
  }
  throw InputError(
      "the model's particles leave single precision; choose other units or components that differ "
      "less in scale");
}

}  // namespace

std::size_t memory_of(std::size_t particles) {
  constexpr std::size_t drawn = sizeof(std::uint64_t) + 2 * sizeof(files::Vec3) + sizeof(float) +
                                sizeof(std::int32_t) + sizeof(std::uint8_t);
  constexpr std::size_t order = sizeof(std::size_t);  // in which files have them
  return particles * (drawn + order);
}

files::Particles draw_particles(const Galaxy& galaxy, std::size_t count, std::uint32_t seed,
                                unsigned threads, bool quiet, Progress* progress) {
  const Model& model = galaxy.model();
  const std::vector<std::size_t> shares = share_particles(model, count);
  const std::size_t total = std::accumulate(shares.begin(), shares.end(), std::size_t{0});
  files::Particles particles;
  particles.resize(total);
  std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{1});
  std::size_t first = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const Component& component = model.components[k];
    const auto mass = static_cast<float>(component.mass / static_cast<double>(shares[k]));
    std::fill_n(particles.mass.begin() + first, shares[k], mass);
    std::fill_n(particles.type.begin() + first, shares[k], component.type);
    std::fill_n(particles.component.begin() + first, shares[k], static_cast<std::int32_t>(k));

    const Task task{.position = std::span(particles.position).subspan(first, shares[k]),
                    .velocity = std::span(particles.velocity).subspan(first, shares[k]),
                    .random = {seed, static_cast<std::uint32_t>(k)},
                    .quiet = quiet,
                    .threads = threads,
                    .progress = progress};
    first += shares[k];
    if (component.is_black_hole()) continue;  // at rest at the origin, as particles start out
    if (component.is_disc()) {
      draw_disc(task, *galaxy.kinematics(k));
    } else {
      draw_sphere(task, *galaxy.distribution(k));
    }
    centre(task, galaxy.system().radius_of_mass(k, component.mass / 2));
  }
  return particles;
}

files::Snapshot draw_snapshot(const Galaxy& galaxy, const Draw& draw, double softening,
                              Progress* progress) {
  require_memory(draw.particles);
  const Model& model = galaxy.model();
  files::Snapshot snapshot{
      .units = model.units, .softening = softening, .components = {}, .particles = {}};
  for (const Component& component : model.components) {
    const double own = component.softening > 0 ? component.softening : softening;
    snapshot.components.push_back({component.name, component.type, own});
  }
  snapshot.particles =
      draw_particles(galaxy, draw.particles, draw.seed, draw.threads, draw.quiet, progress);
  require_single_precision(snapshot.particles);
  return snapshot;
}

files::Provenance provenance(const Draw& draw, const Model& model) {
  files::Provenance result = files::current_provenance("gothic-ic");
  result.device = "cpu";
  result.date.clear();
  result.options = {{"particles", std::to_string(draw.particles)},
                    {"seed", std::to_string(draw.seed)},
                    {"quiet-start", draw.quiet ? "true" : "false"},
                    {"allow-negative", draw.allow_negative ? "true" : "false"},
                    {"model", model.text}};
  return result;
}

}  // namespace gothic::ic
