#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device/bits.hpp"
#include "core/device/device.hpp"
#include "core/device/exchange.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/tree/keys.hpp"

/// Which rank has which particles: each those of a range of Peano-Hilbert keys.
namespace gothic {

/// A block of particles that stands for itself where borders are chosen.
struct KeySample {
  tree::Key key;     ///< of one of them
  double particles;  ///< how many they are
  double cost;       ///< of their forces of late, in pairs
};

namespace detail {

/// Cuts samples in the order of their keys into parts of equal weight.
/// \param weight of a sample; the sum is 1
/// \param borders result: the first keys of all parts but the first
/// \returns the largest number of particles in a part
template <class Weight>
double cut(std::span<const KeySample> samples, int parts, Weight weight,
           std::vector<tree::Key>& borders) {
  borders.clear();
  double before = 0, own = 0, largest = 0;
  for (const KeySample& sample : samples) {
    const double middle = before + 0.5 * weight(sample);
    while (middle > double(borders.size() + 1) / parts && int(borders.size()) < parts - 1) {
      borders.push_back(sample.key);
      largest = std::max(largest, own);
      own = 0;
    }
    before += weight(sample);
    own += sample.particles;
  }
  borders.resize(std::size_t(parts) - 1, ~tree::Key(0));
  return std::max(largest, own);
}

}  // namespace detail

/// The first keys of all ranks but the first, ascending: rank r has the keys from the r-th on to
/// the next. All ranks have the same cost, as far as none gets too many particles.
/// \param samples of all ranks
/// \param most largest number of particles of a rank, over the mean
inline std::vector<tree::Key> balanced_borders(std::vector<KeySample> samples, int ranks,
                                               double most) {
  std::ranges::sort(samples, {}, &KeySample::key);
  double particles = 0, cost = 0;
  for (const KeySample& sample : samples) {
    particles += sample.particles;
    cost += sample.cost;
  }
  std::vector<tree::Key> borders;
  // Where the cost alone gives a rank too many, their number counts more and more.
  for (int eighths = cost > 0 ? 0 : 8; eighths <= 8; ++eighths) {
    const double of_number = eighths / 8.0 / particles,
                 of_cost = cost > 0 ? (1 - eighths / 8.0) / cost : 0;
    const auto weight = [=](const KeySample& sample) {
      return of_number * sample.particles + of_cost * sample.cost;
    };
    if (detail::cut(samples, ranks, weight, borders) <= most * particles / ranks) break;
  }
  return borders;
}

/// Samples of n particles in `count` blocks of consecutive ones, each with the key of the particle
/// in its middle.
/// \param keys [n], cost [n] or null
template <class Device>
std::vector<KeySample> key_samples(const Device& device, const tree::Key* keys, const float* cost,
                                   std::uint32_t n, std::uint32_t count) {
  typename Device::template Buffer<KeySample> samples(count);
  KeySample* const out = samples.data();
  device.for_each(count, [=] GOTHIC_HD(std::size_t i) {
    const auto begin = std::uint32_t(std::uint64_t(n) * i / count),
               end = std::uint32_t(std::uint64_t(n) * (i + 1) / count);
    double sum = 0;
    for (std::uint32_t k = begin; cost != nullptr && k < end; ++k) sum += double(cost[k]);
    const std::uint32_t middle = begin + (end - begin) / 2;
    out[i] = {middle < n ? keys[middle] : 0, double(end - begin), sum};
  });
  device.synchronize();
  return samples.downloaded();
}

/// Samples that each of so many ranks gives to balanced_borders.
inline std::uint32_t samples_of_each(int ranks) {
  constexpr std::uint32_t of_all = 1U << 15, fewest = 64;
  return std::max(fewest, of_all / std::uint32_t(ranks));
}
/// Largest number of particles of a rank, over the mean.
inline constexpr double most_particles = 1.5;

/// Brings particles into the order of the ranks that are to have them.
/// \param keys [n] of the particles; numbers of their ranks afterwards
/// \param order [n] result: particle order[i] comes at place i; ranks keep the present order
/// \returns how many each rank gets
template <class Device>
std::vector<std::size_t> order_by_rank(Device& device, std::span<const tree::Key> borders,
                                       typename Device::template Buffer<tree::Key>& keys,
                                       typename Device::template Buffer<std::uint32_t>& order) {
  const std::size_t n = keys.size(), ranks = borders.size() + 1;
  typename Device::template Buffer<tree::Key> first_keys(borders.size());
  typename Device::template Buffer<std::uint32_t> begins(ranks);
  first_keys.upload(borders);
  order.resize(n);
  const tree::Key* const firsts = first_keys.data();
  std::uint32_t *const places = order.data(), *const begin = begins.data();
  tree::Key* owners = keys.data();
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) {
    std::size_t low = 0, high = ranks - 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (firsts[middle] <= owners[i]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    owners[i] = low;
    places[i] = std::uint32_t(i);
  });
  device.sort_pairs(keys, order, bit_width(ranks - 1));
  owners = keys.data();
  device.for_each(ranks, [=] GOTHIC_HD(std::size_t rank) {
    std::size_t low = 0, high = n;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (owners[middle] < rank) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    begin[rank] = std::uint32_t(low);
  });
  device.synchronize();
  const std::vector<std::uint32_t> found = begins.downloaded();
  std::vector<std::size_t> counts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    counts.push_back((rank + 1 < ranks ? found[rank + 1] : n) - found[rank]);
  }
  return counts;
}

/// How many particles go from the own rank to each, and come from each.
struct Transfer {
  std::vector<std::size_t> sent, received;
};

/// Finds which rank is to have which particles.
/// \param cost [n] of the particles, in pairs; null if all count alike
/// \param keys [n] of the particles in one cube for all ranks; used as scratch
/// \param order [n] result: particle order[i] comes at place i, those for the first rank first
template <class Device>
Transfer divide(Device& device, Communicator& ranks, const float* cost,
                typename Device::template Buffer<tree::Key>& keys,
                typename Device::template Buffer<std::uint32_t>& order) {
  const auto samples = key_samples(device, keys.data(), cost, std::uint32_t(keys.size()),
                                   samples_of_each(ranks.size()));
  const auto borders = balanced_borders(gathered(ranks, std::span<const KeySample>(samples)),
                                        ranks.size(), most_particles);
  std::vector<std::size_t> sent = order_by_rank(device, borders, keys, order);
  std::vector<std::size_t> received = told(ranks, sent);
  return {std::move(sent), std::move(received)};
}

/// Lets the costs of earlier steps count less and less, so that borders follow the mean of steps
/// with many and with few active particles.
template <class Device>
void fade(const Device& device, float* cost, std::size_t n) {
  constexpr float kept = 0.875F;
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { cost[i] *= kept; });
}

/// Gives every rank the particles of its domain.
/// \param keys, order see divide
template <class Device>
void redistribute(Device& device, Communicator& ranks, Bodies<Device>& bodies,
                  typename Device::template Buffer<tree::Key>& keys,
                  typename Device::template Buffer<std::uint32_t>& order) {
  const Transfer transfer = divide<Device>(device, ranks, bodies.cost.data(), keys, order);
  permute(device, bodies, order.data());
  bodies.for_each_array([&](auto& values, auto& scratch) {
    exchange(device, ranks, values, transfer.sent, scratch, transfer.received);
    device.synchronize();
    values.swap(scratch);
  });
  bodies.new_acceleration.resize(bodies.size());
  fade(device, bodies.cost.data(), bodies.size());
}

}  // namespace gothic
