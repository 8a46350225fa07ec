#include "ic/initial_conditions.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/device/host.hpp"
#include "core/device/host_pieces.hpp"
#include "files/error.hpp"
#include "files/text.hpp"
#include "ic/disc/disc_sampler.hpp"
#include "ic/softening.hpp"
#include "ic/sphere/sphere_sampler.hpp"

namespace gothic::ic {
namespace {

/// Number of stars that are drawn together.
constexpr std::size_t batch = OrbitMixer::lanes;
using Batch = std::array<files::Vec3, batch>;

/// Draws the stars first, first + 1, ..., up to a batch of them.
using DrawStars = std::function<void(std::size_t first, std::span<files::Vec3> position,
                                     std::span<files::Vec3> velocity)>;

/// A component to draw particles of, in any order.
struct Source {
  DrawStars stars;
  std::size_t count;
  double half_mass_radius;
  bool quiet;
  unsigned threads;
  Progress* progress;
};

/// Space for the positions and velocities of particles.
struct Room {
  std::span<files::Vec3> position, velocity;

  std::size_t size() const { return position.size(); }
  Room part(std::size_t first, std::size_t count) const {
    return {position.subspan(first, count), velocity.subspan(first, count)};
  }
};

/// The radical inverse of a number in a prime base, plus `shift`, wrapped into (0, 1). Base 2 gives
/// the sequence of van der Corput (1935); with base 3 for a second coordinate, pairs fill the unit
/// square evenly (Halton 1960).
double even_fraction(std::uint64_t number, unsigned base, double shift) {
  double fraction = shift, weight = 1;
  for (; number != 0; number /= base) {
    weight /= base;
    fraction += weight * static_cast<double>(number % base);
  }
  return std::clamp(fraction < 1 ? fraction : fraction - 1, 0x1p-53, 1 - 0x1p-53);
}

/// The place of a component's particles among all particles.
struct Part {
  std::size_t component;  ///< number of the component
  std::uint8_t type;
  float mass;                ///< mass of one particle
  std::size_t first, count;  ///< particles before the part, and in it
};

std::vector<Part> parts_of(const Model& model, std::size_t particles) {
  std::vector<Part> parts;
  std::size_t first = 0;
  for (const Sample& sample : samples_of(model, particles)) {
    const std::size_t k = parts.size();
    parts.push_back({.component = k,
                     .type = model.components[k].type,
                     .mass = static_cast<float>(sample.mass),
                     .first = first,
                     .count = sample.particles});
    first += sample.particles;
  }
  return parts;
}

/// Sets all but the positions and velocities of particles [at, at + count), which are the part's
/// particles first, first + 1, ...
void describe(const Part& part, std::size_t first, files::Particles& particles, std::size_t at,
              std::size_t count) {
  const auto of = [&](auto& values) { return std::span(values).subspan(at, count); };
  const std::span ids = of(particles.id);
  std::iota(ids.begin(), ids.end(), std::uint64_t{part.first + first + 1});
  std::ranges::fill(of(particles.mass), part.mass);
  std::ranges::fill(of(particles.type), part.type);
  std::ranges::fill(of(particles.component), static_cast<std::int32_t>(part.component));
}

/// Fills the room with the particles first, first + 1, ... For a quiet start each star (x, v) makes
/// a pair with (-x, -v), and `first` is even.
void draw(const Source& source, std::size_t first, const Room& room) {
  const std::size_t per_star = source.quiet ? 2 : 1;
  const std::size_t stars = (room.size() + per_star - 1) / per_star;
  const auto set = [&](std::size_t star, const files::Vec3& x, const files::Vec3& v) {
    const std::size_t k = per_star * star;
    room.position[k] = x;
    room.velocity[k] = v;
    if (!source.quiet || k + 1 == room.size()) return;
    room.position[k + 1] = {-x[0], -x[1], -x[2]};
    room.velocity[k + 1] = {-v[0], -v[1], -v[2]};
  };
  for_pieces(stars, particles_per_piece, source.threads, [&](std::size_t begin, std::size_t end) {
    Batch x, v;
    for (std::size_t star = begin; star < end; star += batch) {
      const std::size_t used = std::min(batch, end - star);
      source.stars(first / per_star + star, std::span(x).first(used), std::span(v).first(used));
      for (std::size_t k = 0; k < used; ++k) set(star + k, x[k], v[k]);
    }
    if (source.progress) source.progress->add(per_star * (end - begin));
  });
}

DrawStars stars_of_sphere(const DistributionFunction& f, const Random& random, bool quiet,
                          unsigned threads) {
  const auto words = random(~std::uint64_t{0}, 0);  // no particle has this number
  const double shift = uniform(words[0], words[1]), speed_shift = uniform(words[2], words[3]);
  return [=, sampler = SphereSampler(f, threads)](std::size_t first, std::span<files::Vec3> x,
                                                  std::span<files::Vec3> v) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t i = first + k;
      std::optional<SphereSampler::Fractions> even;
      if (quiet) even = {even_fraction(i, 2, shift), even_fraction(i, 3, speed_shift)};
      const auto star = sampler(random, i, even);
      x[k] = star.position;
      v[k] = star.velocity;
    }
  };
}

DrawStars stars_of_disc(const DiscKinematics& kinematics, const Random& random, unsigned threads) {
  return [random, sampler = DiscSampler(kinematics, threads)](
             std::size_t first, std::span<files::Vec3> x, std::span<files::Vec3> v) {
    sampler.draw(random, first, x, v);
  };
}

/// Moves vectors, which come block by block, so that their mean is zero: subtracts a multiple of
/// weight(x) from each x. Sums are taken piece by piece, then over the pieces, so that the result
/// depends neither on the threads nor on the blocks, which consist of pieces.
template <class Weight>
class Centring {
 public:
  Centring(unsigned threads, Weight weight) : threads_(threads), weight_(std::move(weight)) {}

  /// Adds a block to the sums.
  void add(std::span<const files::Vec3> block) {
    std::vector<Sum> sums((block.size() + particles_per_piece - 1) / particles_per_piece);
    for_pieces(block.size(), particles_per_piece, threads_,
               [&](std::size_t first, std::size_t last) {
                 Sum& sum = sums[first / particles_per_piece];
                 for (const files::Vec3& x : block.subspan(first, last - first)) {
                   for (int k = 0; k < 3; ++k) sum[k] += x[k];
                   sum[3] += weight_(x);
                 }
               });
    for (const Sum& sum : sums) {
      for (int k = 0; k < 4; ++k) total_[k] += sum[k];
    }
  }

  /// Moves a block. All blocks must have been added.
  void move(std::span<files::Vec3> block) const {
    if (total_[3] == 0) return;
    for_pieces(block.size(), particles_per_piece, threads_,
               [&](std::size_t first, std::size_t last) {
                 for (files::Vec3& x : block.subspan(first, last - first)) {
                   const double weight = weight_(x) / total_[3];
                   for (int k = 0; k < 3; ++k) x[k] = static_cast<float>(x[k] - weight * total_[k]);
                 }
               });
  }

 private:
  using Sum = std::array<double, 4>;  // sum of the vectors, sum of their weights

  unsigned threads_;
  Weight weight_;
  Sum total_{};
};

/// Draws a component block by block, in blocks that fill the room, and calls take(first, count)
/// when the room holds the particles first, first + 1, ... The component's centre of mass is at
/// rest at the origin. Particles far out shift the centre of mass most and are moved most; the
/// densest place stays at the origin, where the other components have their densest places.
template <class Take>
void draw_component(const Source& source, const Room& room, Take&& take) {
  Centring positions(source.threads, [half = source.half_mass_radius](const files::Vec3& x) {
    const double square = double{x[0]} * x[0] + double{x[1]} * x[1] + double{x[2]} * x[2];
    return square / (square + half * half);
  });
  Centring velocities(source.threads, [](const files::Vec3&) { return 1.0; });
  const auto for_blocks = [&](auto&& f) {
    for (std::size_t first = 0; first < source.count; first += room.size()) {
      f(first, room.part(0, std::min(room.size(), source.count - first)));
    }
  };
  for_blocks([&](std::size_t first, const Room& block) {
    draw(source, first, block);
    positions.add(block.position);
    velocities.add(block.velocity);
  });
  for_blocks([&](std::size_t first, const Room& block) {
    // A component that fits into the room is still there.
    if (room.size() < source.count) draw(source, first, block);
    positions.move(block.position);
    velocities.move(block.velocity);
    take(first, block.size());
  });
}

/// Draws a component of a galaxy in this way; a black hole stays at rest at the origin.
template <class Take>
void draw_part(const Galaxy& galaxy, const Part& part, const Draw& draw, Progress* progress,
               const Room& room, Take&& take) {
  const std::size_t k = part.component;
  const Component& component = galaxy.model().components[k];
  if (component.is_black_hole()) {
    take(std::size_t{0}, part.count);
    return;
  }
  const Random random{draw.seed, static_cast<std::uint32_t>(k)};
  const Source source{
      .stars = component.is_disc()
                   ? stars_of_disc(*galaxy.kinematics(k), random, draw.threads)
                   : stars_of_sphere(*galaxy.distribution(k), random, draw.quiet, draw.threads),
      .count = part.count,
      .half_mass_radius = galaxy.system().radius_of_mass(k, component.mass / 2),
      .quiet = draw.quiet,
      .threads = draw.threads,
      .progress = progress};
  draw_component(source, room, take);
}

class LackOfMemory : public std::bad_alloc {
 public:
  explicit LackOfMemory(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

constexpr std::size_t bytes_per_particle = sizeof(std::uint64_t) + 2 * sizeof(files::Vec3) +
                                           sizeof(float) + sizeof(std::int32_t) +
                                           sizeof(std::uint8_t);

std::string in_words(std::size_t bytes) { return files::bytes(static_cast<double>(bytes)); }

/// Throws LackOfMemory if the particles do not fit. Without this check Linux would grant more
/// memory than there is, and kill the program when it uses this memory.
void require_memory(std::size_t particles, std::size_t bytes, const std::string& remedy) {
  const std::size_t available = host_memory().available;  // 0 if the system does not tell
  if (available == 0 || bytes <= available) return;
  throw LackOfMemory(std::to_string(particles) + " particles take " + in_words(bytes) +
                     " of memory, and " + in_words(available) + " are free; " + remedy);
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

files::Particles draw_particles(const Galaxy& galaxy, std::size_t count, std::uint32_t seed,
                                unsigned threads, bool quiet) {
  const Draw draw{.particles = count, .seed = seed, .quiet = quiet, .threads = threads};
  const std::vector<Part> parts = parts_of(galaxy.model(), count);
  files::Particles particles;
  particles.resize(parts.back().first + parts.back().count);
  const Room all{particles.position, particles.velocity};
  for (const Part& part : parts) {
    draw_part(galaxy, part, draw, nullptr, all.part(part.first, part.count),
              [](std::size_t, std::size_t) {});
    describe(part, 0, particles, part.first, part.count);
  }
  return particles;
}

void draw_blocks(const Galaxy& galaxy, const Draw& draw,
                 const std::function<void(const files::Particles& block)>& take, Progress* progress,
                 std::size_t per_block) {
  const std::size_t most = std::min(draw.particles, per_block);
  require_memory(most, most * bytes_per_particle, "use fewer particles or a machine with more");
  std::vector<Part> parts = parts_of(galaxy.model(), draw.particles);
  std::ranges::stable_sort(parts, {}, &Part::type);
  for (const Part& part : parts) {
    files::Particles block;
    block.resize(std::min(part.count, per_block));
    draw_part(galaxy, part, draw, progress, {block.position, block.velocity},
              [&](std::size_t first, std::size_t count) {
                block.resize(count);  // the last block may be smaller
                describe(part, first, block, 0, count);
                require_single_precision(block);
                take(block);
              });
  }
}

std::size_t particles_to_draw(const Model& model, const Draw& draw) {
  std::size_t sum = 0;
  for (const Part& part : parts_of(model, draw.particles)) {
    sum += (part.count > particles_per_block ? 2 : 1) * part.count;
  }
  return sum;
}

std::size_t memory_of_block(const Draw& draw) {
  return std::min(draw.particles, particles_per_block) * bytes_per_particle;
}

files::TypeCounts type_counts(const Model& model, const Draw& draw) {
  files::TypeCounts counts{};
  for (const Part& part : parts_of(model, draw.particles)) counts[part.type] += part.count;
  return counts;
}

files::Snapshot empty_snapshot(const Galaxy& galaxy, double softening) {
  const Model& model = galaxy.model();
  files::Snapshot snapshot{
      .units = model.units, .softening = softening, .components = {}, .particles = {}};
  for (const Component& component : model.components) {
    snapshot.components.push_back({.name = component.name,
                                   .type = component.type,
                                   .softening = softening_of(component, softening),
                                   .model = model.name,
                                   .model_digest = model.digest});
  }
  return snapshot;
}

files::Snapshot draw_snapshot(const Galaxy& galaxy, const Draw& draw, double softening) {
  constexpr std::size_t order = sizeof(std::size_t);  // a file needs a sorted list of indices
  require_memory(draw.particles, draw.particles * (bytes_per_particle + order),
                 "use fewer particles, a machine with more, or gothic-ic, which draws them into a "
                 "file with " +
                     in_words(memory_of_block(draw)));
  files::Snapshot snapshot = empty_snapshot(galaxy, softening);
  snapshot.particles = draw_particles(galaxy, draw.particles, draw.seed, draw.threads, draw.quiet);
  require_single_precision(snapshot.particles);
  return snapshot;
}

files::Provenance provenance(const Draw& draw, const Model& model) {
  files::Provenance result = files::current_provenance("gothic-ic");
  result.device = "cpu";
  result.date.clear();  // the same draw makes the same file, everywhere and at any time
  result.machine.clear();
  result.options = {{"particles", std::to_string(draw.particles)},
                    {"seed", std::to_string(draw.seed)},
                    {"quiet-start", draw.quiet ? "true" : "false"},
                    {"allow-negative", draw.allow_negative ? "true" : "false"},
                    {"model", model.text}};
  return result;
}

}  // namespace gothic::ic
