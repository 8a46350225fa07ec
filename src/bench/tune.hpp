#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/tune_walk.hpp"
#include "core/dynamics/integrator.hpp"

namespace gothic::detail {

/// A function of a step that runs one index per thread, and what is measured of it.
struct StageTime {
  double seconds = 0;
  int registers = 0;  ///< 0 where it is not known
};

/// The functions of a step beside the walk, on one model.
template <DeviceType Device>
std::map<std::string, StageTime> time_stages(Device& device, TunedModel<Device>& model) {
  auto& bodies = model.system().bodies();
  std::map<std::string, StageTime> stages;
  typename Device::Timer timer(device);
  predict(device, bodies, TimeGrid(), 0, 0);
  timer.lap(stages["predict"].seconds);
  ForceCost cost;
  model.system().rebuild(timer, cost);
  model.system().evaluate_all(timer, cost);
  timer.skip();
  // By no time: velocities stay as they are.
  correct(device, bodies, TimeGrid(), 0, 0, model.system().all(), bodies.size());
  timer.lap(stages["correct"].seconds);
  timer.finish();
  for (auto& [name, stage] : stages) stage.registers = timer.registers(stage.seconds);
  for (const auto& [name, member] : {std::pair("keys", &ForceCost::keys),
                                     {"sort", &ForceCost::sort},
                                     {"build", &ForceCost::build},
                                     {"groups", &ForceCost::groups},
                                     {"moments", &ForceCost::moments}}) {
    stages[name] = {cost.*member, timer.registers(cost.*member)};
  }
  return stages;
}

/// Seconds of every function with blocks of one size: geometric means over the models of medians.
struct StageScore {
  int index_threads;
  std::map<std::string, StageTime> stages;

  double total() const {
    double sum = 0;
    for (const auto& [name, stage] : stages) sum += stage.seconds;
    return sum;
  }
};

/// Tries all sizes of blocks, in turn; one where there are no blocks.
template <DeviceType Device>
std::vector<StageScore> tune_stages(Device& device,
                                    std::vector<std::unique_ptr<TunedModel<Device>>>& models,
                                    int repeats) {
  const BlockSizes usual = device.block_sizes();
  std::vector<int> sizes{0};
  if (usual.index_threads > 0) sizes = {32, 64, 128, 256, 512, 1024};
  std::vector<StageScore> scores;
  for (const int size : sizes) scores.push_back({size, {}});
  std::map<std::pair<int, std::string>, std::vector<double>> means;  // by size and function
  for (auto& model : models) {
    std::map<std::pair<int, std::string>, std::vector<double>> seconds;
    for (int i = 0; i <= repeats; ++i) {
      for (StageScore& score : scores) {
        device.set_block_sizes({usual.warp_threads, score.index_threads});
        for (const auto& [name, stage] : time_stages(device, *model)) {
          if (i > 0) seconds[{score.index_threads, name}].push_back(stage.seconds);
          score.stages[name].registers = stage.registers;
        }
      }
    }
    for (const auto& [key, values] : seconds) means[key].push_back(median(values));
  }
  device.set_block_sizes(usual);
  for (StageScore& score : scores) {
    for (auto& [name, stage] : score.stages) {
      stage.seconds = geometric_mean(means[{score.index_threads, name}]);
    }
  }
  return scores;
}

inline files::ReportRow& put_or_nothing(files::ReportRow& row, const char* name, int value) {
  return value > 0 ? row.put(name, value) : row.put_nothing(name);
}

/// One row of the walk; `sharing` is that of its groups.
inline files::ReportRow walk_row(const std::string& model, const WalkSizes& sizes, int width,
                                 int sharing, int registers) {
  files::ReportRow row;
  row.put("function", std::string("walk")).put("model", model);
  put_or_nothing(row, "threads_per_block", sizes.warp_threads);
  row.put("sharing_threads", width).put("sharing", sharing);
  put_or_nothing(row, "registers", registers);
  row.put("list_capacity", sizes.list_capacity)
      .put("leaf_capacity", sizes.leaf_capacity)
      .put("group_size", sizes.group_size)
      .put("ball", std::string(ball_words[int(sizes.ball)].name));
  return row;
}

/// The walk's rows: all sizes that were tried over all models, then the chosen ones on each.
template <DeviceType Device>
void add_walk_rows(files::ReportTable& table, const std::vector<WalkScore>& scores,
                   const WalkSizes& best, int registers,
                   const std::vector<std::unique_ptr<TunedModel<Device>>>& models) {
  constexpr int width = Device::Warp::width;
  const auto sharing = [](const WalkSizes& sizes) {
    return ForceSolver<Device>::sharing_of(sizes.group_size);
  };
  const double least =
      std::ranges::min_element(scores, {}, &WalkScore::mean_seconds)->mean_seconds();
  for (const WalkScore& score : scores) {
    const bool chosen = score.sizes == best;
    table.add(walk_row("all", score.sizes, width, sharing(score.sizes), chosen ? registers : 0)
                  .put("seconds", score.mean_seconds())
                  .put("seconds_over_best", score.mean_seconds() / least)
                  .put("error_99", geometric_mean(score.errors))
                  .put("chosen", int(chosen)));
    if (!chosen) continue;
    for (std::size_t m = 0; m < models.size(); ++m) {
      table.add(walk_row(models[m]->name, best, width, sharing(best), registers)
                    .put("seconds", score.seconds[m])
                    .put_nothing("seconds_over_best")
                    .put("error_99", score.errors[m])
                    .put("chosen", 1));
    }
  }
}

/// Rows of the other functions, and the size of blocks that suits all of them best.
inline int add_stage_rows(files::ReportTable& table, const std::vector<StageScore>& scores,
                          int usual) {
  constexpr double least_gain = 0.02;
  const auto present = std::ranges::find(scores, usual, &StageScore::index_threads);
  auto chosen = std::ranges::min_element(scores, {}, &StageScore::total);
  if (chosen->total() > (1 - least_gain) * present->total()) chosen = present;
  for (const auto& stage : scores.front().stages) {
    const std::string& name = stage.first;
    const auto seconds = [&](const StageScore& score) { return score.stages.at(name).seconds; };
    const double least = seconds(*std::ranges::min_element(scores, {}, seconds));
    for (const StageScore& score : scores) {
      files::ReportRow row;
      row.put("function", name).put("model", std::string("all"));
      put_or_nothing(row, "threads_per_block", score.index_threads);
      put_or_nothing(row, "registers", score.stages.at(name).registers);
      table.add(row.put("seconds", seconds(score))
                    .put("seconds_over_best", seconds(score) / least)
                    .put("chosen", int(score.index_threads == chosen->index_threads)));
    }
  }
  return chosen->index_threads;
}

/// Registers of the walk.
template <DeviceType Device>
int walk_registers(Device& device, TunedModel<Device>& model) {
  ForceCost cost;
  typename Device::Timer timer(device);
  model.system().evaluate_all(timer, cost);
  timer.finish();
  return timer.registers(cost.walk);
}

/// The sizes as options of the commands. The size of groups is left out where it is the usual one,
/// so that it may follow the number of active particles.
template <DeviceType Device>
std::vector<DefaultSize> chosen_defaults(const WalkSizes& sizes, int index_threads) {
  std::vector<DefaultSize> defaults{
      {"leaf-capacity", std::to_string(sizes.leaf_capacity)},
      {"list-capacity", std::to_string(sizes.list_capacity)},
      {"ball", std::string("\"") + ball_words[int(sizes.ball)].name + "\""}};
  if (sizes.group_size != Device::Defaults::group_size) {
    defaults.push_back({"group-size", std::to_string(sizes.group_size)});
  }
  if (sizes.warp_threads > 0) {
    defaults.push_back({"warp-threads", std::to_string(sizes.warp_threads)});
    defaults.push_back({"index-threads", std::to_string(index_threads)});
  }
  return defaults;
}

/// Finds the sizes that make forces fastest on all models, at the accuracy of the device's own.
template <DeviceType Device>
BenchTables bench_tune(Device& device, const BenchTask& task) {
  std::vector<std::unique_ptr<TunedModel<Device>>> models;
  for (const TuneInput& input : task.inputs) {
    models.push_back(std::make_unique<TunedModel<Device>>(device, input));
  }
  WalkTuner<Device> tuner(device, models, task.repeats);
  const std::vector<WalkScore> walks = tuner.run();
  BenchTables tables;
  add_walk_rows<Device>(tables.table, walks, tuner.best(), walk_registers(device, *models.front()),
                        models);
  const std::vector<StageScore> stages = tune_stages(device, models, task.repeats);
  const int index_threads =
      add_stage_rows(tables.table, stages, device.block_sizes().index_threads);
  tables.defaults = chosen_defaults<Device>(tuner.best(), index_threads);
  return tables;
}

}  // namespace gothic::detail
