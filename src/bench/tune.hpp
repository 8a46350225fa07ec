#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/forces.hpp"
#include "bench/tuned_model.hpp"

/// The order and the sizes that make forces fastest on some models, at the accuracy of the device's
/// own.
namespace gothic::detail {

template <DeviceType Device>
using TunedModels = std::vector<std::unique_ptr<TunedModel<Device>>>;

/// Share of the time that a change must gain; times scatter by less.
inline constexpr double least_gain = 0.02;

/// Times and errors with some sizes, model by model.
struct WalkScore {
  WalkSizes sizes;
  std::vector<double> seconds{};  ///< at the error of the device's own sizes
  std::vector<double> errors{};   ///< 99th percentiles

  double mean_seconds() const { return geometric_mean(seconds); }
};

/// Finds the sizes that are fastest at equal accuracy, one kind of size after the other.
template <DeviceType Device>
class WalkTuner {
 public:
  /// Begins with the device's own sizes.
  WalkTuner(Device& device, TunedModels<Device>& models, int repeats)
      : models_(models), repeats_(repeats) {
    using Defaults = typename Device::Defaults;
    best_.sizes = {models.front()->order(),
                   Defaults::group_size,
                   Defaults::leaf_steps[0].size,
                   Defaults::list_capacity,
                   Ball::geo,
                   device.block_sizes().warp_threads};
    for (auto& model : models_) {
      model->set(best_.sizes);
      exponents_.push_back(model->exponent(repeats));
      best_.errors.push_back(model->error());
      const auto seconds = repeated(repeats, [&] { return model->seconds(); });
      best_.seconds.push_back(files::spread_of(seconds).median);
    }
  }

  /// Scores of all sizes that were tried, those of the last comparison where one was tried again.
  /// The models have the best sizes then.
  std::vector<WalkScore> run() {
    constexpr int most_rounds = 2;
    for (int round = 0; round < most_rounds; ++round) {
      const WalkSizes before = best_.sizes;
      if (models_.front()->chooses_order()) {
        vary(&WalkSizes::order, {Order::point, Order::quadrupole, Order::octupole});
      }
      vary(&WalkSizes::group_size, {8, 16, 32, 64});
      vary(&WalkSizes::leaf_capacity, {8, 16, 32, 64});
      vary(&WalkSizes::list_capacity, {64, 96, 160, 256, 512, 1024});
      if (best_.sizes.warp_threads > 0) vary(&WalkSizes::warp_threads, {32, 64, 128, 256, 512});
      vary(&WalkSizes::ball, {Ball::geo, Ball::ebs, Ball::seb, Ball::com, Ball::cmp});
      if (best_.sizes == before) break;
    }
    for (auto& model : models_) model->set(best_.sizes);
    return scores_;
  }
  const WalkSizes& best() const { return best_.sizes; }

 private:
  /// Tries values of one member beside the present one, and takes what is fastest.
  template <class T>
  void vary(T WalkSizes::*member, std::vector<T> values) {
    if (std::ranges::find(values, best().*member) == values.end()) values.push_back(best().*member);
    std::ranges::sort(values);
    std::vector<WalkSizes> tried;
    for (const T value : values) {
      WalkSizes sizes = best();
      sizes.*member = value;
      if (models_.front()->set(sizes)) tried.push_back(sizes);
    }
    const std::vector<WalkScore> scores = compare(tried);
    for (const WalkScore& score : scores) {
      std::erase_if(scores_, [&](const WalkScore& old) { return old.sizes == score.sizes; });
      scores_.push_back(score);
    }
    const auto present = std::ranges::find(scores, best(), &WalkScore::sizes);
    const auto fastest = std::ranges::min_element(scores, {}, &WalkScore::mean_seconds);
    if (fastest->mean_seconds() < (1 - least_gain) * present->mean_seconds()) best_ = *fastest;
  }

  /// What disturbs the machine for a while disturbs all sizes alike: a time is that of the best
  /// sizes so far times the median ratio to them in the same turn.
  std::vector<WalkScore> compare(const std::vector<WalkSizes>& tried) {
    const auto present = std::size_t(std::ranges::find(tried, best()) - tried.begin());
    std::vector<WalkScore> scores;
    for (const WalkSizes& sizes : tried) scores.push_back({sizes});
    for (std::size_t m = 0; m < models_.size(); ++m) {
      TunedModel<Device>& model = *models_[m];
      const auto times = in_turn(repeats_, tried, [&](const WalkSizes& sizes) {
        model.set(sizes);
        return model.seconds();
      });
      for (std::size_t c = 0; c < tried.size(); ++c) {
        model.set(tried[c]);
        const double error = model.error(), ratio = median_ratio(times[c], times[present]),
                     at_equal_error = std::pow(best_.errors[m] / error, exponents_[m]);
        scores[c].errors.push_back(error);
        scores[c].seconds.push_back(best_.seconds[m] * ratio * at_equal_error);
      }
    }
    return scores;
  }

  TunedModels<Device>& models_;
  int repeats_;
  WalkScore best_;
  std::vector<double> exponents_;  ///< d ln(seconds) / d ln(error) of the models
  std::vector<WalkScore> scores_;
};

inline files::ReportRow& put_or_nothing(files::ReportRow& row, const char* name, int value) {
  return value > 0 ? row.put(name, value) : row.put_nothing(name);
}

/// One row of the walk.
template <DeviceType Device>
files::ReportRow walk_row(const std::string& model, const WalkSizes& sizes, int registers) {
  files::ReportRow row;
  row.put("function", "walk").put("model", model);
  put_or_nothing(row, "threads_per_block", sizes.warp_threads);
  row.put("sharing_threads", Device::Warp::width)
      .put("sharing", ForceSolver<Device>::sharing_of(sizes.group_size));
  put_or_nothing(row, "registers", registers);
  row.put("order", name_of(sizes.order))
      .put("list_capacity", sizes.list_capacity)
      .put("leaf_capacity", sizes.leaf_capacity)
      .put("group_size", sizes.group_size)
      .put("ball", name_of(sizes.ball));
  return row;
}

/// Registers of the walk.
template <DeviceType Device>
int walk_registers(Device& device, BenchSystem<Device>& system) {
  ForceCost cost;
  typename Device::Timer timer(device);
  system.evaluate(timer, cost);
  timer.finish();
  return timer.registers(cost.walk);
}

/// Tunes the walk and adds its rows: all sizes that were tried over all models, the chosen ones on
/// each. Returns the latter.
template <DeviceType Device>
WalkSizes tune_walk(Device& device, TunedModels<Device>& models, int repeats,
                    files::ReportTable& table) {
  WalkTuner<Device> tuner(device, models, repeats);
  const std::vector<WalkScore> scores = tuner.run();
  const WalkSizes best = tuner.best();
  const int registers = walk_registers(device, models.front()->system());
  const double least =
      std::ranges::min_element(scores, {}, &WalkScore::mean_seconds)->mean_seconds();
  for (const WalkScore& score : scores) {
    const bool chosen = score.sizes == best;
    table.add(walk_row<Device>("all", score.sizes, chosen ? registers : 0)
                  .put("seconds", score.mean_seconds())
                  .put("seconds_over_best", score.mean_seconds() / least)
                  .put("error_99", geometric_mean(score.errors))
                  .put("chosen", int(chosen)));
    for (std::size_t m = 0; chosen && m < models.size(); ++m) {
      table.add(walk_row<Device>(models[m]->name(), best, registers)
                    .put("seconds", score.seconds[m])
                    .put("error_99", score.errors[m])
                    .put("chosen", 1));
    }
  }
  return best;
}

/// The stages beside the walk with blocks of one size; seconds are geometric means over the models.
struct StageScore {
  int index_threads;
  std::vector<StageTime> stages{};

  double total() const {
    double sum = 0;
    for (const StageTime& stage : stages) sum += stage.seconds;
    return sum;
  }
};

/// Times the stages with all sizes of blocks, or once where there are no blocks.
template <DeviceType Device>
std::vector<StageScore> time_all_stages(Device& device, TunedModels<Device>& models, int repeats) {
  const BlockSizes usual = device.block_sizes();
  std::vector<int> sizes{0};
  if (usual.index_threads > 0) sizes = {32, 64, 128, 256, 512, 1024};
  std::vector<StageScore> scores;
  for (const int size : sizes) scores.push_back({size});
  for (auto& model : models) {
    const auto times = in_turn(repeats, sizes, [&](int size) {
      device.set_block_sizes({usual.warp_threads, size});
      return time_stages(device, model->system());
    });
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      std::vector<StageTime>& stages = scores[c].stages;
      if (stages.empty()) {
        stages = times[c].back();
        for (StageTime& stage : stages) stage.seconds = 1;
      }
      for (std::size_t k = 0; k < stages.size(); ++k) {
        const auto of = [k](const auto& step) { return step[k].seconds; };
        stages[k].seconds *= std::pow(spread_of(times[c], of).median, 1.0 / double(models.size()));
      }
    }
  }
  device.set_block_sizes(usual);
  return scores;
}

/// Tunes the stages beside the walk and adds their rows. Returns the size of blocks that suits all
/// of them best.
template <DeviceType Device>
int tune_stages(Device& device, TunedModels<Device>& models, int repeats,
                files::ReportTable& table) {
  const std::vector<StageScore> scores = time_all_stages(device, models, repeats);
  const auto present =
      std::ranges::find(scores, device.block_sizes().index_threads, &StageScore::index_threads);
  auto chosen = std::ranges::min_element(scores, {}, &StageScore::total);
  if (chosen->total() > (1 - least_gain) * present->total()) chosen = present;
  for (std::size_t k = 0; k < scores.front().stages.size(); ++k) {
    const auto seconds = [k](const StageScore& score) { return score.stages[k].seconds; };
    const double least = seconds(*std::ranges::min_element(scores, {}, seconds));
    for (const StageScore& score : scores) {
      files::ReportRow row;
      row.put("function", score.stages[k].name).put("model", "all");
      put_or_nothing(row, "threads_per_block", score.index_threads);
      put_or_nothing(row, "registers", score.stages[k].registers);
      table.add(row.put("seconds", seconds(score))
                    .put("seconds_over_best", seconds(score) / least)
                    .put("chosen", int(score.index_threads == chosen->index_threads)));
    }
  }
  return chosen->index_threads;
}

template <DeviceType Device>
BenchTables bench_tune(Device& device, const BenchTask& task) {
  TunedModels<Device> models;
  for (const BenchInput& input : task.inputs) {
    models.push_back(std::make_unique<TunedModel<Device>>(device, input));
  }
  BenchTables tables;
  const Order usual_order = models.front()->order();
  const WalkSizes sizes = tune_walk(device, models, task.repeats, tables.table);
  const int index_threads = tune_stages(device, models, task.repeats, tables.table);
  tables.defaults = {{"leaf-capacity", std::to_string(sizes.leaf_capacity)},
                     {"list-capacity", std::to_string(sizes.list_capacity)},
                     {"ball", std::string("\"") + name_of(sizes.ball) + "\""}};
  // What is not named may follow the accuracy and the number of active particles.
  if (sizes.order != usual_order) {
    tables.defaults.emplace_back("order", std::string("\"") + name_of(sizes.order) + "\"");
  }
  if (sizes.group_size != Device::Defaults::group_size) {
    tables.defaults.emplace_back("group-size", std::to_string(sizes.group_size));
  }
  if (sizes.warp_threads > 0) {
    tables.defaults.emplace_back("warp-threads", std::to_string(sizes.warp_threads));
    tables.defaults.emplace_back("index-threads", std::to_string(index_threads));
  }
  return tables;
}

}  // namespace gothic::detail
