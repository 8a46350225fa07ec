#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bench/bench.hpp"
#include "bench/divided_system.hpp"
#include "core/engine/simulation.hpp"

/// How fast P ranks would be, from P domains on one device.
///
/// Particles, costs, trees and essential trees are those that ranks have where every step has a new
/// tree and all particles are active. Some domains, evenly spread, pass essential trees as ranks do
/// and find their forces with them; what they take is timed. The rest follows from the whole
/// system. A step, and what a construction adds to it, take
///
///   step = C force + N (predict + correct) / P + pack + unpack + messages,
///   construction = N (build + (keys + sort) / P) + outlines + prune + attach + messages,
///
/// with the largest cost C and the largest number N of particles of a domain, over their means.
/// Force (moments, groups and walk), pack, unpack, prune and attach are means of the domains that
/// are timed, build and outlines are means of all domains; predict, correct, keys and sort were
/// timed for the whole system.
///
///   messages = number * latency + bytes / bandwidth
///
/// counts one message after the other: one to each other domain in an exchange, and log2 P in a
/// gather, which brings the same number of bytes from every domain to every other. Where a domain
/// has other bytes for each, these are passed on log2 P times. Bytes are those of the domain that
/// sends or gets most. No message is hidden behind work.
namespace gothic::detail {

/// What a step or a construction takes on P ranks.
struct Predicted {
  double compute = 0;   ///< seconds
  double messages = 0;  ///< of a rank
  double bytes = 0;     ///< that a rank gets, or sends if that is more

  double seconds(const Network& network) const {
    return compute + messages * network.latency + bytes / network.bandwidth;
  }
  /// Adds a message to each other rank.
  Predicted& exchange(double others, double most_bytes) {
    messages += others;
    bytes += most_bytes;
    return *this;
  }
  /// Adds as many bytes from each rank to every other.
  Predicted& gather(double domains, double own_bytes) {
    messages += std::ceil(std::log2(domains));
    bytes += (domains - 1) * own_bytes;
    return *this;
  }
  /// Adds as many bytes from each rank for every other. They are passed on, half of them each time.
  Predicted& deal(double domains, double bytes_for_each) {
    const double times = std::ceil(std::log2(domains));
    messages += times;
    bytes += times * domains / 2 * bytes_for_each;
    return *this;
  }
};

/// A domain that is timed.
struct DomainMeasures {
  EssentialParts taken = {}, given = {};
  PassingTimes passing = {};
  double force = 0;  ///< seconds
  double pairs = 0;  ///< equivalent ones of the force
  double cost = 0;   ///< the same in the tree of all particles
};

/// All domains together.
struct DivisionMeasures {
  int domains = 1;
  double particles_mean = 0, cost_imbalance = 1;
  std::uint32_t particles_largest = 0;
  std::uint32_t outlines = 0;              ///< of all domains
  double movers = 0;                       ///< particles of a domain that get another owner
  double build = 0, outline = 0;           ///< seconds of a domain
  PassingTimes passing = {};               ///< mean of those domains that are timed
  std::vector<DomainMeasures> timed = {};  ///< some domains

  double particle_imbalance() const { return particles_largest / particles_mean; }
};

/// The whole system.
struct WholeTimes {
  double keys = 0, sort = 0, predict = 0, correct = 0;
};

/// Bytes of a particle that goes to another rank, in so many arrays.
struct MovedBytes {
  // the key, and the cost, which one rank alone does not keep
  std::size_t bytes = sizeof(tree::Key) + sizeof(float), arrays = 2;

  template <DeviceType Device>
  explicit MovedBytes(Bodies<Device>& bodies) {
    bodies.particles.for_each_field([this](const auto& values, const auto&) {
      bytes += sizeof(*values.data());
      ++arrays;
    });
  }
};

/// Mean and largest of a number of the domains that are timed.
struct MeanAndLargest {
  double mean = 0, largest = 0;

  template <class Of>
  MeanAndLargest(const std::vector<DomainMeasures>& timed, Of of) {
    for (const DomainMeasures& domain : timed) {
      const auto value = double(std::invoke(of, domain));
      mean += value / double(timed.size());
      largest = std::max(largest, value);
    }
  }
};

inline Predicted predict_step(const DivisionMeasures& division, const WholeTimes& whole) {
  const double domains = division.domains, others = domains - 1;
  const MeanAndLargest force(division.timed, &DomainMeasures::force);
  const MeanAndLargest bytes(division.timed, [](const auto& own) {
    return std::max(own.taken.value_bytes, own.given.value_bytes);
  });
  Predicted step;
  step.compute = division.cost_imbalance * force.mean +
                 division.particle_imbalance() * (whole.predict + whole.correct) / domains +
                 division.passing.pack + division.passing.unpack;
  return step.exchange(others, bytes.largest)
      .gather(domains, sizeof(std::uint32_t))       // targets that lack something
      .gather(domains, sizeof(Population::Counts))  // steps that particles chose
      .gather(domains, sizeof(StepRecord));
}

/// Those of all other domains.
inline double outline_bytes(const DivisionMeasures& division) {
  const double domains = division.domains;
  return (domains - 1) / domains * division.outlines * sizeof(Outline);
}

inline Predicted predict_construction(const DivisionMeasures& division, const WholeTimes& whole,
                                      const MovedBytes& moved) {
  const double domains = division.domains, others = domains - 1;
  const MeanAndLargest bytes(division.timed, [](const auto& own) {
    return std::max(own.taken.topology_bytes, own.given.topology_bytes);
  });
  Predicted construction;
  construction.compute =
      division.particle_imbalance() * (division.build + (whole.keys + whole.sort) / domains) +
      division.outline + division.passing.prune + division.passing.attach;
  const double moving_to = std::min(others, std::ceil(division.movers));
  return construction.gather(domains, sizeof(Box))
      .gather(domains, sizeof(detail::MassAndMoment))
      .gather(domains, double(samples_of_each(division.domains)) * sizeof(KeySample))
      .deal(domains, sizeof(std::size_t))  // particles that go to each
      .exchange(double(moved.arrays) * moving_to, division.movers * double(moved.bytes))
      .gather(domains, sizeof(std::size_t))  // number of outlines
      .exchange(others, outline_bytes(division))
      .gather(domains, sizeof(std::uint32_t))    // number of outlines
      .deal(domains, 2 * sizeof(std::uint32_t))  // sizes of essential trees
      .exchange(2 * others, bytes.largest);
}

}  // namespace gothic::detail
