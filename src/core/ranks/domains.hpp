#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/bits.hpp"
#include "core/device/device.hpp"
#include "core/dynamics/sorted_particles.hpp"
#include "core/messages/exchange.hpp"
#include "core/tree/divided_cells.hpp"
#include "core/tree/keys.hpp"

/// Which rank has which particles: each has the particles of a range of Peano-Hilbert keys.
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
    const auto weight = [of_number, of_cost](const KeySample& sample) {
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
  device.for_each(count, [=] GOTHIC_DEVICE(std::size_t i) {
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
  constexpr std::uint32_t of_all = 1U << 15, fewest = 64, most = 1024;
  return std::clamp(of_all / std::uint32_t(ranks), fewest, most);
}
/// Largest number of particles of a rank, over the mean.
inline constexpr double most_particles = 1.5;

/// Keys of a rank's particles: from `first` on, and below `end`.
struct Domain {
  tree::Key first = 0, end = ~tree::Key(0);

  GOTHIC_HD bool has(tree::Key key) const { return first <= key && key < end; }
};

/// \param borders see balanced_borders
inline Domain domain_of(std::span<const tree::Key> borders, std::size_t rank) {
  Domain own;
  if (rank > 0) own.first = borders[rank - 1];
  if (rank < borders.size()) own.end = borders[rank];
  return own;
}

/// How many particles leave a domain.
/// \param keys [n] of the particles
template <class Device>
std::uint32_t count_leavers(const Device& device, const Domain& own, const tree::Key* keys,
                            std::size_t n) {
  return count_chosen(device, n, [=] GOTHIC_DEVICE(std::uint32_t i) { return !own.has(keys[i]); });
}

/// Lists the particles that another rank is to have.
/// \param rank that has them
/// \param keys [n] of the particles
/// \param leavers result: the particles, those for the first rank first
/// \returns how many go to each rank
template <class Device>
std::vector<std::size_t> find_leavers(Device& device, std::span<const tree::Key> borders,
                                      std::size_t rank, const tree::Key* keys, std::size_t n,
                                      typename Device::template Buffer<std::uint32_t>& leavers) {
  const Domain own = domain_of(borders, rank);
  list_chosen(
      device, n, [=] GOTHIC_DEVICE(std::uint32_t i) { return !own.has(keys[i]); }, leavers);
  const std::uint32_t* const leaving = leavers.data();
  const std::size_t ranks = borders.size() + 1;
  typename Device::template Buffer<tree::Key> first_keys(borders.size()), owners(leavers.size());
  first_keys.upload(borders);
  const tree::Key* const firsts = first_keys.data();
  tree::Key* const owner = owners.data();
  device.for_each(leavers.size(), [=] GOTHIC_DEVICE(std::size_t k) {
    const tree::Key key = keys[leaving[k]];
    owner[k] =
        first_of(0, std::uint32_t(ranks) - 1, [=](std::uint32_t i) { return firsts[i] > key; });
  });
  device.sort_pairs(owners, leavers, bit_width(ranks - 1));
  device.synchronize();
  std::vector<std::size_t> counts(ranks);
  for (const tree::Key to : owners.downloaded()) ++counts[to];
  return counts;
}

/// What a rank gives to others and gets from them.
template <class Device>
struct Moves {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  std::vector<std::size_t> sent, received;  ///< [ranks] particles; of the own rank none
  Buffer<std::uint32_t> leavers;            ///< see find_leavers
  // where fewer come than leave: places that stay empty, and the last particles, which go there
  Buffer<std::uint32_t> holes, fillers;
};

/// Finds which particles are to fill the places of leavers that nobody takes.
/// \param n particles before
/// \param coming number of those that come, fewer than leave
template <class Device>
void find_fillers(const Device& device, std::uint32_t n, std::uint32_t coming,
                  Moves<Device>& moves) {
  const auto leaving = std::uint32_t(moves.leavers.size()), left = n - (leaving - coming);
  typename Device::template Buffer<std::uint8_t> empty(n);
  std::uint8_t* const is_empty = empty.data();
  fill(device, is_empty, n, std::uint8_t(0));
  raise_flags(device, moves.leavers.data() + coming, leaving - coming, is_empty);
  list_chosen(
      device, left, [=] GOTHIC_DEVICE(std::uint32_t i) { return is_empty[i] != 0; }, moves.holes);
  moves.fillers.resize(moves.holes.size());
  std::uint32_t* const fillers = moves.fillers.data();
  device.select(
      n - left, [=] GOTHIC_DEVICE(std::uint32_t i) { return is_empty[left + i] == 0; }, fillers);
  device.for_each(moves.fillers.size(), [=] GOTHIC_DEVICE(std::size_t i) { fillers[i] += left; });
  device.synchronize();
}

/// Finds which rank is to have which particles.
/// \param cost [n] of the particles, in pairs; null if all count alike
/// \param keys [n] of the particles in one cube for all ranks
template <class Device>
Moves<Device> divide(Device& device, Communicator& ranks, const float* cost,
                     const typename Device::template Buffer<tree::Key>& keys) {
  const auto n = std::uint32_t(keys.size());
  const auto samples = key_samples(device, keys.data(), cost, n, samples_of_each(ranks.size()));
  const auto borders = balanced_borders(gathered(ranks, std::span<const KeySample>(samples)),
                                        ranks.size(), most_particles);
  Moves<Device> moves;
  moves.sent =
      find_leavers(device, borders, std::size_t(ranks.rank()), keys.data(), n, moves.leavers);
  moves.received = told(ranks, moves.sent);
  const auto coming = std::uint32_t(offset_of(moves.received, ranks.size()));
  if (coming < moves.leavers.size()) find_fillers(device, n, coming, moves);
  return moves;
}

/// Moves an array with the particles. Those that come take the places of those that leave.
template <class Device, class Buffer>
void move(Device& device, Communicator& ranks, const Moves<Device>& moves, Buffer& values,
          Buffer& scratch) {
  const std::size_t n = values.size(), leaving = moves.leavers.size();
  Buffer incoming;
  scratch.resize(leaving);
  copy_in_order(device, values.data(), moves.leavers.data(), leaving, scratch.data());
  exchange(device, ranks, scratch, moves.sent, incoming, moves.received);
  const std::size_t coming = incoming.size(), both = std::min(leaving, coming);
  copy_to_places(device, incoming.data(), moves.leavers.data(), both, values.data());
  if (coming > leaving) {
    values.resize(n + coming - leaving);
    copy(device, incoming.data() + leaving, coming - leaving, values.data() + n);
  } else {
    copy_in_order(device, values.data(), moves.fillers.data(), moves.fillers.size(),
                  scratch.data());
    copy_to_places(device, scratch.data(), moves.holes.data(), moves.holes.size(), values.data());
    values.resize(n + coming - leaving);
  }
  device.synchronize();
}

/// Lets the costs of earlier steps count less and less, so that borders follow the mean of steps
/// with many and with few active particles.
template <class Device>
void fade(const Device& device, float* cost, std::size_t n) {
  constexpr float kept = 0.875F;
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { cost[i] *= kept; });
}

/// Gives every rank the particles of its domain.
/// \param cost [n] costs of the particles, by which they are divided; null where all count alike
/// \param keys [n] of its particles, in one cube for all ranks; they move with them
template <class Device>
void redistribute(Device& device, Communicator& ranks, SortedParticles<Device>& particles,
                  typename Device::template Buffer<float>* cost,
                  typename Device::template Buffer<tree::Key>& keys) {
  const auto moves = divide(device, ranks, cost != nullptr ? cost->data() : nullptr, keys);
  typename Device::template Buffer<tree::Key> key_scratch;
  move(device, ranks, moves, keys, key_scratch);
  particles.for_each_field(
      [&](auto& values, auto& scratch) { move(device, ranks, moves, values, scratch); });
  particles.set_size(std::uint32_t(keys.size()));
  if (cost != nullptr) fade(device, cost->data(), cost->size());
}

}  // namespace gothic
