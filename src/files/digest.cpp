#include "files/digest.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <functional>
#include <sstream>
#include <vector>

#include "core/device/host_pieces.hpp"
#include "core/device/scrambled.hpp"
#include "files/text.hpp"

namespace gothic::files {
namespace {

std::uint64_t bits(float a, float b = 0) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(a)} << 32 | std::bit_cast<std::uint32_t>(b);
}

std::uint64_t digest_of(std::uint64_t id, std::uint64_t word) {
  return Digest().add(id).add(word).value();
}

std::uint64_t digest_of(std::uint64_t id, const Vec3& vector) {
  return Digest().add(id).add(bits(vector[0], vector[1])).add(bits(vector[2])).value();
}

constexpr std::string_view separator = ", ";

/// Names and values of a text of input_digest().
std::vector<std::pair<std::string, std::string>> entries_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::istringstream words(text);
  for (std::string name, value; words >> name >> value;) {
    if (value.ends_with(',')) value.pop_back();
    entries.emplace_back(name, value);
  }
  return entries;
}

}  // namespace

Digest& Digest::add(std::uint64_t word) {
  value_ = scrambled(value_ + mixed(word));
  return *this;
}

Digest& Digest::add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }

Digest& Digest::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  for (const char letter : text) add(std::uint64_t{static_cast<unsigned char>(letter)});
  return *this;
}

std::string digest_of(std::string_view text) {
  return fmt::format("{:016x}", Digest().add(text).value());
}

ParticleDigests ParticleDigests::operator+(const ParticleDigests& other) const {
  return {particles + other.particles,   ids + other.ids,       types + other.types,
          components + other.components, masses + other.masses, positions + other.positions,
          velocities + other.velocities};
}

ParticleDigests digests_of(const Particles& particles) {
  const auto sum = [&](std::size_t first, std::size_t last) {
    ParticleDigests sums{.particles = last - first};
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t id = particles.id[i];
      sums.ids += digest_of(id, std::uint64_t{0});
      sums.types += digest_of(id, std::uint64_t{particles.type[i]});
      sums.components += digest_of(id, std::uint64_t(std::uint32_t(particles.component[i])));
      sums.masses += digest_of(id, bits(particles.mass[i]));
      sums.positions += digest_of(id, particles.position[i]);
      sums.velocities += digest_of(id, particles.velocity[i]);
    }
    return sums;
  };
  return combined_over_pieces(particles.size(), ParticleDigests{}, sum, std::plus<>());
}

std::string input_digest(const Snapshot& snapshot, const ParticleDigests& particles) {
  Digest units, table;
  const Units& scale = snapshot.units;
  units.add(scale.length_in_cm).add(scale.mass_in_g).add(scale.velocity_in_cm_per_s);
  for (const ComponentInfo& one : snapshot.components) {
    table.add(one.name).add(std::uint64_t{one.type}).add(one.softening);
  }
  std::string text = fmt::format("particles {}", particles.particles);
  const std::pair<const char*, std::uint64_t> digests[] = {{"IDs", particles.ids},
                                                           {"types", particles.types},
                                                           {"components", particles.components},
                                                           {"masses", particles.masses},
                                                           {"positions", particles.positions},
                                                           {"velocities", particles.velocities},
                                                           {"/Components", table.value()},
                                                           {"units", units.value()}};
  for (const auto& [name, value] : digests) {
    text += fmt::format("{}{} {:016x}", separator, name, value);
  }
  return text + fmt::format("{}time {}", separator, shortest(snapshot.time));
}

std::string digest_differences(const std::string& before, const std::string& now) {
  const auto old_entries = entries_of(before), entries = entries_of(now);
  const auto& [particles, number] = entries.front();
  if (old_entries.empty() || old_entries.size() != entries.size()) return "other particles";
  if (old_entries.front().second != number) {
    return fmt::format("{} particles instead of {}", number, old_entries.front().second);
  }
  std::string differences;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (old_entries[i] == entries[i]) continue;
    if (entries[i].first == "IDs") return "other IDs";  // by which all the others go
    differences += fmt::format("{}{} {}", differences.empty() ? "" : separator,
                               entries[i].first == "time" ? "another" : "other", entries[i].first);
  }
  return differences;
}

}  // namespace gothic::files
