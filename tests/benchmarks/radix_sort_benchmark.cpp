#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "core/device/cpu/radix_sort.hpp"
#include "core/tree/keys.hpp"

namespace gothic {
namespace {

using Key = std::uint64_t;

/// Peano-Hilbert keys of particles whose mass within a radius grows in proportion to it.
std::vector<Key> particle_keys(std::size_t count) {
  const tree::KeyCube<double> cube = tree::KeyCube<double>::around<Key>({-5, -5, -5}, {5, 5, 5});
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> radius(0, 5);
  std::normal_distribution<double> direction;
  std::vector<Key> keys(count);
  for (Key& key : keys) {
    const double x = direction(generator);
    const double y = direction(generator);
    const double z = direction(generator);
    const double scale = radius(generator) / std::sqrt(x * x + y * y + z * z);
    key = tree::PeanoHilbert::encode<Key>(cube.locate<Key>(x * scale, y * scale, z * scale));
  }
  return keys;
}

void sort(benchmark::State& state, const std::vector<Key>& unsorted) {
  std::vector<std::uint32_t> numbers(unsorted.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::vector<Key> keys(unsorted.size());
  std::vector<Key> key_scratch(unsorted.size());
  std::vector<std::uint32_t> values(unsorted.size());
  std::vector<std::uint32_t> value_scratch(unsorted.size());
  cpu::ThreadTeam team(int(state.range(1)));
  for (auto _ : state) {
    state.PauseTiming();
    keys = unsorted;
    values = numbers;
    state.ResumeTiming();
    cpu::radix_sort_pairs<Key>(keys, values, key_scratch, value_scratch, tree::key_bits<Key>, team);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_sort_particles(benchmark::State& state) {
  sort(state, particle_keys(static_cast<std::size_t>(state.range(0))));
}

/// Keys in order but for their last 39 bits: particles that moved a little since the last sort.
void BM_sort_moved_particles(benchmark::State& state) {
  std::vector<Key> keys = particle_keys(static_cast<std::size_t>(state.range(0)));
  std::sort(keys.begin(), keys.end());
  std::mt19937_64 generator(4);
  for (Key& key : keys) key ^= generator() >> (64 - 39);
  sort(state, keys);
}

void sizes_and_threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"pairs", "threads"})->ArgsProduct({{1 << 17, 1 << 20, 1 << 23}, {1, 2}});
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(BM_sort_particles)->Apply(sizes_and_threads);
BENCHMARK(BM_sort_moved_particles)->Apply(sizes_and_threads);

}  // namespace
}  // namespace gothic
