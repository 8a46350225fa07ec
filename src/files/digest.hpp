#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "files/snapshot.hpp"

namespace gothic::files {

/// A digest of 64 bits of words in their order. Equal words have equal digests; others have the
/// same one by chance only, in one of 2^64 cases. It is no protection against forgery.
class Digest {
 public:
  Digest& add(std::uint64_t word);
  Digest& add(double number);
  Digest& add(std::string_view text);

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// The digest of a text, in hexadecimal digits.
std::string digest_of(std::string_view text);

/// Digests of particles: sums over the particles, each of which goes by its ID. They depend neither
/// on the order of the particles nor on how ranks divide them.
struct ParticleDigests {
  std::uint64_t particles = 0;  ///< their number
  std::uint64_t ids = 0, types = 0, components = 0, masses = 0, positions = 0, velocities = 0;

  ParticleDigests operator+(const ParticleDigests& other) const;
};

ParticleDigests digests_of(const Particles& particles);

/// What a run starts from, in one line: the number and the digests of the particles, the digests of
/// the table of components and of the units, and the time. The softening is an option of the run.
/// \param snapshot its particles do not count
/// \param particles digests of all particles
std::string input_digest(const Snapshot& snapshot, const ParticleDigests& particles);

/// How the second of two texts of input_digest() differs from the first, such as "other masses,
/// other positions", "other IDs" and "2000 particles instead of 1000"; empty if they are equal.
std::string digest_differences(const std::string& before, const std::string& now);

}  // namespace gothic::files
