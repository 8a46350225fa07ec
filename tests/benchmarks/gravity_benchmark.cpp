// Rates of the pair interaction and of the tree walk, and the seconds of the tree's stages, for NFW
// spheres on one CPU thread. `of_direct` is the walk's rate over that of direct summation with the
// same root, measured in the same run. GOTHIC_MODELS names the folder of the models.

#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "core/device/cpu/device.hpp"
#include "core/gravity/direct.hpp"
#include "core/gravity/force_solver.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/model.hpp"

namespace gothic {
namespace {

constexpr float softening = 1.0F / 64;
using Device = cpu::Device;

/// Positions and masses of an NFW sphere, made once for each number of particles.
const std::vector<Vec4>& nfw(std::uint32_t n) {
  static std::map<std::uint32_t, std::vector<Vec4>> known;
  std::vector<Vec4>& bodies = known[n];
  if (!bodies.empty()) return bodies;
  const ic::Model model = ic::read_model(GOTHIC_MODELS "/nfw.toml");
  const files::Particles particles = ic::draw_particles(ic::Galaxy(model), n, 1, 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    const files::Vec3& r = particles.position[i];
    bodies.push_back({r[0], r[1], r[2], particles.mass[i]});
  }
  return bodies;
}

std::vector<std::uint32_t> first_indices(std::uint32_t n) {
  std::vector<std::uint32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

benchmark::Counter rate(double count) {
  return {count, benchmark::Counter::kIsRate, benchmark::Counter::kIs1000};
}

template <Root root>
void direct_once(const Device& device, const std::vector<Vec4>& bodies,
                 const std::vector<std::uint32_t>& targets, std::vector<Vec4>& out) {
  direct_forces<root>(device, bodies.data(), std::uint32_t(bodies.size()), targets.data(),
                      std::uint32_t(targets.size()), 1, softening, out.data());
  benchmark::DoNotOptimize(out.data());
}

template <Root root>
void direct_single(benchmark::State& state) {
  const Device device(1);
  const auto& bodies = nfw(1 << 14);
  const auto targets = first_indices(1 << 12);
  std::vector<Vec4> out(targets.size());
  for (auto _ : state) direct_once<root>(device, bodies, targets, out);
  state.counters["pairs/s"] =
      rate(double(state.iterations()) * double(bodies.size()) * double(targets.size()));
}
BENCHMARK(direct_single<Root::newton>)->Name("direct/newton")->Unit(benchmark::kMillisecond);
BENCHMARK(direct_single<Root::estimate>)->Name("direct/estimate")->Unit(benchmark::kMillisecond);

void direct_double(benchmark::State& state) {
  const Device device(1);
  const auto& bodies = nfw(1 << 14);
  const auto targets = first_indices(1 << 11);
  std::vector<Force> out(targets.size());
  for (auto _ : state) {
    direct_forces(device, bodies.data(), std::uint32_t(bodies.size()), targets.data(),
                  std::uint32_t(targets.size()), 1, double(softening), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["pairs/s"] =
      rate(double(state.iterations()) * double(bodies.size()) * double(targets.size()));
}
BENCHMARK(direct_double)->Name("direct/double")->Unit(benchmark::kMillisecond);

/// Pairs per second of direct summation, the best of a few.
template <Root root>
double direct_rate() {
  const Device device(1);
  const auto& bodies = nfw(1 << 14);
  const auto targets = first_indices(1 << 12);
  std::vector<Vec4> out(targets.size());
  double best = 1e30;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Device::Timer timer(device);
    direct_once<root>(device, bodies, targets, out);
    best = std::min(best, timer.finish());
  }
  return double(bodies.size()) * double(targets.size()) / best;
}

/// A whole force with the acceleration criterion at 2^-range(1), 2^range(0) particles.
template <Root root>
void tree_force(benchmark::State& state) {
  const auto n = std::uint32_t(1) << state.range(0);
  Device device(1);
  std::vector<Vec4> bodies = nfw(n), acceleration(n), old_acceleration(n);
  const auto targets = first_indices(n);
  ForceOptions options;
  options.softening = softening;
  options.root = root == Root::newton ? RootChoice::newton : RootChoice::estimate;
  options.acceptance = {Mac::opening, 0.7F, 1};
  ForceSolver<Device> solver(device, options);
  ForceCost first;
  Device::Timer first_timer(device);
  solver.sort(bodies.data(), n, first_timer, first);
  for (std::uint32_t i = 0; i < n; ++i) bodies[i] = nfw(n)[solver.order()[i]];
  solver.build(first_timer, first);
  solver.evaluate(bodies.data(), acceleration.data(), targets.data(), n, old_acceleration.data(),
                  first_timer, first);
  solver.set_acceptance({Mac::acceleration, std::ldexp(1.0F, -int(state.range(1))), 1});

  const double direct = direct_rate<root>();
  ForceCost cost;
  for (auto _ : state) {
    Device::Timer timer(device);
    solver.sort(nfw(n).data(), n, timer, cost);
    solver.build(timer, cost);
    solver.evaluate(bodies.data(), old_acceleration.data(), targets.data(), n, acceleration.data(),
                    timer, cost);
    solver.add_counts(cost);
    timer.finish();
  }
  const auto mean = benchmark::Counter::kAvgIterations;
  state.counters["keys"] = {cost.keys, mean};
  state.counters["sort"] = {cost.sort, mean};
  state.counters["build"] = {cost.build, mean};
  state.counters["moments"] = {cost.moments, mean};
  state.counters["walk"] = {cost.walk, mean};
  state.counters["pairs/s"] = {double(cost.interactions) / cost.walk, benchmark::Counter::kDefaults,
                               benchmark::Counter::kIs1000};
  state.counters["of_direct"] = double(cost.interactions) / cost.walk / direct;
}
BENCHMARK(tree_force<Root::newton>)
    ->Name("force/newton")
    ->Args({17, 7})
    ->Args({20, 8})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(tree_force<Root::estimate>)
    ->Name("force/estimate")
    ->Args({17, 7})
    ->Args({17, 10})
    ->Args({20, 8})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gothic
