#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "core/gravity/direct.hpp"
#include "paper/group_variant.hpp"

namespace gothic::detail {

/// Sizes that decide the speed of the walk and, some of them, its accuracy.
struct WalkSizes {
  std::uint32_t group_size, leaf_capacity, list_capacity;
  Ball ball;
  int warp_threads;  ///< 0 where there are no blocks

  bool operator==(const WalkSizes&) const = default;
};

inline double median(std::vector<double> values) {
  return files::spread_of(std::move(values)).median;
}

/// exp of the mean logarithm.
inline double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / double(values.size()));
}

/// A model whose forces are timed and compared with direct sums.
template <DeviceType Device>
class TunedModel {
 public:
  using Warp = typename Device::Warp;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  TunedModel(Device& device, const TuneInput& input)
      : name(input.name),
        device_(device),
        acceptance_(input.force.acceptance),
        system_(device, input.snapshot.particles, input.force) {
    const auto eighth = most_accelerated(system_.ranks(), (system_.size() + 7) / 8);
    eighth_.resize(eighth.size());
    eighth_.upload(eighth);
    sum_directly(input.force);
  }

  /// Takes sizes; returns false, and takes those of blocks alone, if the device cannot have them.
  bool set(const WalkSizes& sizes) {
    BlockSizes blocks = device_.block_sizes();
    blocks.warp_threads = sizes.warp_threads;
    device_.set_block_sizes(blocks);
    auto& solver = system_.solver();
    ForceOptions options = solver.options();
    const bool has_tree = options.leaf_capacity == sizes.leaf_capacity;
    options.group_size = sizes.group_size;
    options.sharing = 0;
    options.list_capacity = sizes.list_capacity;
    options.leaf_capacity = sizes.leaf_capacity;
    options.grouping = grouping({.ball = sizes.ball});
    if (solver.problem_with(options)) return false;
    solver.set_options(options);
    if (has_tree) return true;
    ForceCost cost;
    typename Device::Timer timer(device_);
    system_.rebuild(timer, cost);
    timer.finish();
    return true;
  }
  void set_accuracy(float factor) {
    Acceptance acceptance = acceptance_;
    acceptance.accuracy *= factor;
    system_.solver().set_acceptance(acceptance);
  }

  /// Seconds of groups, moments and walk for all particles and for an eighth: their geometric mean.
  double seconds() {
    const auto of = [](const ForceCost& cost) { return cost.groups + cost.moments + cost.walk; };
    const double eighth = of(system_.force_on(eighth_.data(), std::uint32_t(eighth_.size())));
    return std::sqrt(eighth * of(system_.force_on_all()));
  }

  /// 99th percentile of the errors of a force on all particles.
  double error() {
    system_.force_on_all();
    std::vector<Vec4> found(system_.size());
    system_.bodies().new_acceleration.download(found);
    std::vector<double> errors;
    for (std::size_t k = 0; k < sampled_.size(); ++k) {
      const Vec4 a = found[sampled_[k]];
      const Force& exact = reference_[k];
      errors.push_back(std::hypot(a.x - exact.x, a.y - exact.y, a.z - exact.z) /
                       std::hypot(exact.x, exact.y, exact.z));
    }
    const auto at = errors.begin() + std::ptrdiff_t(0.99 * double(errors.size() - 1));
    std::nth_element(errors.begin(), at, errors.end());
    return *at;
  }

  BenchSystem<Device>& system() { return system_; }

  std::string name;
  double usual_error = 0;    ///< of the first sizes
  double usual_seconds = 0;  ///< the same
  double exponent = 0;       ///< d ln(seconds) / d ln(error), as the accuracy varies

 private:
  /// Reference forces on particles evenly spread along the curve.
  void sum_directly(const ForceOptions& force) {
    constexpr std::uint32_t most = 1000;
    const std::uint32_t n = system_.size(), count = std::min(n, most);
    for (std::uint32_t k = 0; k < count; ++k) {
      sampled_.push_back(std::uint32_t(std::uint64_t(k) * n / count));
    }
    Buffer<std::uint32_t> targets(count);
    targets.upload(sampled_);
    Buffer<Force> out(count);
    direct_forces(device_, system_.bodies().predicted.data(), n, targets.data(), count,
                  double(force.acceptance.gravity), double(force.softening), out.data());
    reference_.resize(count);
    out.download(reference_);
  }

  Device& device_;
  Acceptance acceptance_;
  BenchSystem<Device> system_;
  Buffer<std::uint32_t> eighth_;  ///< the most accelerated
  std::vector<std::uint32_t> sampled_;
  std::vector<Force> reference_;
};

/// What sizes come to on the models.
struct WalkScore {
  WalkSizes sizes;
  std::vector<double> own_seconds;  ///< at the error that they have
  std::vector<double> seconds;      ///< at the error of the first sizes
  std::vector<double> errors;       ///< 99th percentiles

  double mean_seconds() const { return geometric_mean(seconds); }
};

/// Finds the sizes that are fastest at equal accuracy, one kind of size after the other.
template <DeviceType Device>
class WalkTuner {
 public:
  using Defaults = typename Device::Defaults;
  using Models = std::vector<std::unique_ptr<TunedModel<Device>>>;

  WalkTuner(Device& device, Models& models, int repeats)
      : models_(models),
        repeats_(repeats),
        best_{Defaults::group_size, Defaults::leaf_capacity, Defaults::list_capacity, Ball::geo,
              device.block_sizes().warp_threads} {
    for (auto& model : models_) find_exponent(*model);
  }

  /// Scores of all sizes that were tried, those of the last comparison where one was tried again.
  std::vector<WalkScore> run() {
    constexpr int most_rounds = 2;
    for (int round = 0; round < most_rounds; ++round) {
      const WalkSizes before = best_;
      vary(&WalkSizes::group_size, {8, 16, 32, 64});
      vary(&WalkSizes::leaf_capacity, {8, 16, 32, 64});
      vary(&WalkSizes::list_capacity, {64, 96, 160, 256, 512, 1024});
      if (best_.warp_threads > 0) vary(&WalkSizes::warp_threads, {32, 64, 128, 256, 512});
      vary(&WalkSizes::ball, {Ball::geo, Ball::ebs, Ball::seb, Ball::com, Ball::cmp});
      if (best_ == before) break;
    }
    for (auto& model : models_) model->set(best_);
    return scores_;
  }
  const WalkSizes& best() const { return best_; }

 private:
  /// A change must gain more than times scatter.
  static constexpr double least_gain = 0.02;

  /// Times and errors of the first sizes at the accuracy that is asked for, a finer and a coarser
  /// one.
  void find_exponent(TunedModel<Device>& model) {
    model.set(best_);
    constexpr float factors[] = {0.5F, 1, 2};
    std::vector<double> usual, ratios;
    double error[3] = {};
    for (int i = 0; i <= repeats_; ++i) {
      double seconds[3] = {};
      for (int k = 0; k < 3; ++k) {
        model.set_accuracy(factors[k]);
        if (i == 0) error[k] = model.error();
        seconds[k] = model.seconds();
      }
      if (i == 0) continue;
      usual.push_back(seconds[1]);
      ratios.push_back(seconds[2] / seconds[0]);
    }
    model.set_accuracy(1);
    model.usual_error = error[1];
    model.usual_seconds = median(usual);
    const double span = std::log(error[2] / error[0]);
    if (span > 0.01) {  // else everything was opened
      model.exponent = std::clamp(std::log(median(ratios)) / span, -1.0, 0.0);
    }
    best_seconds_.push_back(model.usual_seconds);
  }

  /// Tries values of one member beside the present one, and takes what is fastest.
  template <class T>
  void vary(T WalkSizes::*member, std::vector<T> values) {
    if (std::ranges::find(values, best_.*member) == values.end()) values.push_back(best_.*member);
    std::ranges::sort(values);
    std::vector<WalkSizes> tried;
    for (const T value : values) {
      WalkSizes sizes = best_;
      sizes.*member = value;
      if (fits(sizes)) tried.push_back(sizes);
    }
    const std::vector<WalkScore> scores = compare(tried);
    const auto present = std::ranges::find(scores, best_, &WalkScore::sizes);
    const auto fastest = std::ranges::min_element(scores, {}, &WalkScore::mean_seconds);
    if (fastest->mean_seconds() < (1 - least_gain) * present->mean_seconds()) {
      best_ = fastest->sizes;
      best_seconds_ = fastest->own_seconds;
    }
    for (const WalkScore& score : scores) {
      std::erase_if(scores_, [&](const WalkScore& old) { return old.sizes == score.sizes; });
      scores_.push_back(score);
    }
  }

  bool fits(const WalkSizes& sizes) {
    if (models_.front()->set(sizes)) return true;
    models_.front()->set(best_);
    return false;
  }

  /// The sizes take turns on every model. What disturbs the machine for a while disturbs them all:
  /// a time is that of the best sizes so far times the median ratio to them in the same turn.
  std::vector<WalkScore> compare(const std::vector<WalkSizes>& tried) {
    const auto present = std::size_t(std::ranges::find(tried, best_) - tried.begin());
    std::vector<WalkScore> scores;
    for (const WalkSizes& sizes : tried) scores.push_back({sizes, {}, {}, {}});
    for (std::size_t m = 0; m < models_.size(); ++m) {
      TunedModel<Device>& model = *models_[m];
      std::vector<std::vector<double>> ratios(tried.size());
      for (int i = 0; i <= repeats_; ++i) {
        std::vector<double> seconds;
        for (WalkScore& score : scores) {
          model.set(score.sizes);
          if (i == 0) score.errors.push_back(model.error());
          seconds.push_back(model.seconds());
        }
        for (std::size_t c = 0; c < tried.size() && i > 0; ++c) {
          ratios[c].push_back(seconds[c] / seconds[present]);
        }
      }
      for (std::size_t c = 0; c < tried.size(); ++c) {
        const double own = best_seconds_[m] * median(ratios[c]);
        const double less_exact = model.usual_error / scores[c].errors[m];
        scores[c].own_seconds.push_back(own);
        scores[c].seconds.push_back(own * std::pow(less_exact, model.exponent));
      }
    }
    return scores;
  }

  Models& models_;
  int repeats_;
  WalkSizes best_;
  std::vector<double> best_seconds_;  ///< on the models
  std::vector<WalkScore> scores_;
};

}  // namespace gothic::detail
