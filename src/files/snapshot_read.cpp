#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "core/device/host_pieces.hpp"
#include "files/input_file.hpp"
#include "files/snapshot.hpp"

namespace gothic::files {
namespace {

std::string group_of(int type) { return "/PartType" + std::to_string(type); }

std::string whose(const Particles& particles, std::size_t index) {
  return "of the particle with ID " + std::to_string(particles.id[index]);
}

/// Refuses NaN and infinity in `values`, which holds `columns` numbers per particle. The message
/// names the first such particle.
void require_finite(const Complain& complain, const Particles& particles, const std::string& name,
                    std::span<const float> values, std::size_t columns) {
  const auto all_finite = [&](std::size_t first, std::size_t last) {
    int finite = 1;
    for (const float value : values.subspan(first, last - first)) {  // this form is vectorised
      finite &= std::abs(value) <= std::numeric_limits<float>::max();
    }
    return finite;
  };
  if (combined_over_pieces(values.size(), 1, all_finite, std::bit_and<>()) == 1) return;
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  const std::size_t particle = static_cast<std::size_t>(bad - values.begin()) / columns;
  complain(particles.type[particle], name,
           "a value " + whose(particles, particle) +
               " is NaN, infinite or beyond single precision; correct or remove that particle");
}

void require_no_negative_mass(const Complain& complain, const Particles& particles) {
  const std::size_t particle =
      first_where(particles.size(), [&](std::size_t i) { return particles.mass[i] < 0; });
  if (particle == particles.size()) return;
  complain(
      particles.type[particle], "Masses",
      "the mass " + whose(particles, particle) + " is negative; masses must be zero or positive");
}

/// Complains if there is a group /Components that does not name the component of every particle.
void require_named_components(const Complain& complain, const Snapshot& snapshot) {
  if (snapshot.components.empty()) return;
  const Particles& particles = snapshot.particles;
  const auto count = static_cast<std::int32_t>(snapshot.components.size());
  const std::vector<std::int32_t>& own = particles.component;
  const std::size_t particle =
      first_where(own.size(), [&](std::size_t i) { return own[i] < 0 || own[i] >= count; });
  if (particle == own.size()) return;
  complain(particles.type[particle], "Component",
           fmt::format("is {} for the particle with ID {}, but there are {} components; correct it "
                       "or leave out their table",
                       own[particle], particles.id[particle], count));
}

/// The values of a dataset of /Components, which must have one for each component.
template <class T>
std::vector<T> column(const InputFile& file, const std::string& field, std::vector<T> values,
                      std::size_t count) {
  if (values.size() == count) return values;
  file.fail(field,
            fmt::format("has {} rows, but /Components/Name {}; give one row for each component",
                        values.size(), count));
}

template <class T>
std::vector<T> read_column(const InputFile& file, const std::string& field, std::size_t count) {
  return column(file, field, file.all<T>(field), count);
}

/// Texts of a dataset of /Components; empty ones where the file does not have it.
std::vector<std::string> read_texts(const InputFile& file, const std::string& field,
                                    std::size_t count) {
  if (!file.has(field)) return std::vector<std::string>(count);
  return column(file, field, file.texts(field), count);
}

}  // namespace

std::vector<ComponentInfo> read_components(const InputFile& file) {
  if (!file.has("/Components")) return {};
  const std::vector<std::string> names = file.texts("/Components/Name");
  const auto types = read_column<std::int32_t>(file, "/Components/Type", names.size());
  const auto softenings = read_column<double>(file, "/Components/Softening", names.size());
  const auto models = read_texts(file, "/Components/Model", names.size());
  const auto digests = read_texts(file, "/Components/ModelDigest", names.size());
  std::vector<ComponentInfo> components;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (types[k] < 0 || types[k] > 5) {
      file.fail("/Components/Type",
                fmt::format("is {} for component {}; give a type from 0 to 5", types[k], k));
    }
    if (!(std::isfinite(softenings[k]) && softenings[k] >= 0)) {
      file.fail("/Components/Softening",
                fmt::format("is negative or not finite for component {}; correct it", k));
    }
    components.push_back({.name = names[k],
                          .type = static_cast<std::uint8_t>(types[k]),
                          .softening = softenings[k],
                          .model = models[k],
                          .model_digest = digests[k]});
  }
  return components;
}

Complain complaints_about(const std::filesystem::path& path) {
  return [=](int type, const std::string& dataset, const std::string& problem) {
    throw InputError(path.string() + ": " + group_of(type) + "/" + dataset + ": " + problem);
  };
}

void validate_each(const Snapshot& snapshot, const Complain& complain) {
  const Particles& particles = snapshot.particles;
  const auto flat = [](const std::vector<Vec3>& vectors) {
    return std::span(vectors.front().data(), 3 * vectors.size());
  };
  if (particles.size() == 0) return;
  require_finite(complain, particles, "Coordinates", flat(particles.position), 3);
  require_finite(complain, particles, "Velocities", flat(particles.velocity), 3);
  require_finite(complain, particles, "Masses", particles.mass, 1);
  require_no_negative_mass(complain, particles);
  require_named_components(complain, snapshot);
}

double total_mass(const Particles& particles) {
  const auto mass_of = [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += double{particles.mass[i]};
    return sum;
  };
  return combined_over_pieces(particles.size(), 0.0, mass_of, std::plus<>());
}

void validate_total_mass(double total, Masses masses, int type, const Complain& complain) {
  if (total > 0 || masses == Masses::may_vanish) return;
  complain(type, "Masses",
           "all masses are zero; give at least one particle a positive mass, or an external "
           "potential in which they move");
}

std::optional<std::uint64_t> repeated_id(std::vector<std::uint64_t> ids) {
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  return twice == ids.end() ? std::optional<std::uint64_t>() : *twice;
}

void refuse_repeated_id(std::uint64_t id, int type, const Complain& complain) {
  complain(type, "ParticleIDs",
           fmt::format("the ID {} occurs more than once; give every particle its own, or leave out "
                       "all IDs",
                       id));
}

void validate(const Snapshot& snapshot, Masses masses, const Complain& complain) {
  const Particles& particles = snapshot.particles;
  validate_each(snapshot, complain);
  validate_total_mass(total_mass(particles), masses, particles.type.front(), complain);
  const std::vector<std::uint64_t>& ids = particles.id;
  const auto descends = [&](std::size_t i) { return ids[i] >= ids[i + 1]; };
  if (first_where(ids.size() - 1, descends) == ids.size() - 1) return;
  if (const auto twice = repeated_id(ids)) {
    const auto owner = std::ranges::find(ids, *twice) - ids.begin();
    refuse_repeated_id(*twice, particles.type[std::size_t(owner)], complain);
  }
}

}  // namespace gothic::files
