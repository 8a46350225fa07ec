#include "app/options.hpp"

#include <algorithm>
#include <cmath>

#include "files/error.hpp"
#include "files/number_text.hpp"
#include "files/points_file.hpp"
#include "files/run_config.hpp"
#include "run/external.hpp"
#include "run/number_range.hpp"

namespace gothic {

namespace {

const std::map<std::string, Mac> mac_names = {
    {"acceleration", Mac::acceleration}, {"multipole", Mac::multipole}, {"opening", Mac::opening}};
const std::map<std::string, Curve> curve_names = {{"hilbert", Curve::hilbert},
                                                  {"morton", Curve::morton}};

std::map<std::string, Ball> named_balls() {
  std::map<std::string, Ball> names;
  for (const BallWord& word : ball_words) names[word.name] = word.ball;
  return names;
}
const std::map<std::string, Ball> ball_names = named_balls();
const std::map<std::string, LogKind> log_names = {{"auto", LogKind::automatic},
                                                  {"json", LogKind::json},
                                                  {"none", LogKind::none},
                                                  {"text", LogKind::text}};
const std::map<std::string, RebuildRule> rebuild_rule_names(std::begin(rebuild_rules),
                                                            std::end(rebuild_rules));

/// Puts the options that are added next under a heading of the help.
void under(CLI::App& command, const std::string& heading) {
  command.option_defaults()->group(heading);
}

/// Accepts finite numbers above zero (and zero itself if `or_zero`).
CLI::Validator positive(bool or_zero = false) {
  return CLI::Validator(
      [or_zero](const std::string& text) {
        double number = 0;
        const bool valid = CLI::detail::lexical_cast(text, number) && std::isfinite(number) &&
                           (number > 0 || (or_zero && number == 0));
        return valid
                   ? std::string()
                   : text + " is not a finite number " + (or_zero ? "of at least" : "above") + " 0";
      },
      or_zero ? "at least 0" : "above 0");
}

/// Accepts the words given.
CLI::Validator one_of(std::vector<std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return CLI::Validator(
      [words = std::move(words), list](const std::string& text) {
        const bool known = std::find(words.begin(), words.end(), text) != words.end();
        return known ? std::string() : text + " is not one of " + list;
      },
      list);
}

template <class T>
std::vector<std::string> words_of(const std::map<std::string, T>& names) {
  std::vector<std::string> words;
  for (const auto& [word, value] : names) words.push_back(word);
  return words;
}

void add_softening_option(CLI::App& command, Options& options) {
  under(command, "Forces");
  command
      .add_option("--softening", options.softening,
                  "Plummer softening length in the input's units; without it the length that the "
                  "input's /Header names")
      ->check(positive());
}

/// The file is read at once.
void add_external_option(CLI::App& command, Options& options) {
  under(command, "Forces");
  const auto read = [&options](const std::string& file) {
    options.external = file;
    options.field = files::read_field_file(file, ExternalField::most);
  };
  command.add_option_function<std::string>(
      "--external", read,
      "TOML file of static potentials that pull the particles, too; see docs/fields.md");
}

void add_device_options(CLI::App& command, Options& options) {
  under(command, "Device");
  command
      .add_option("--device", options.device.name,
                  "cpu, cuda, cuda:N (the N-th GPU) or auto: a GPU where there is one")
      ->capture_default_str();
  command.add_option("--threads", options.device.threads, "CPU threads; 0 for all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  const auto block_size = CLI::IsMember({0, 32, 64, 128, 256, 512, 1024});
  command
      .add_option("--warp-threads", options.device.blocks.warp_threads,
                  "on a GPU, threads per block where warps work, as in the walk: 32, 64, ... 1024; "
                  "0 for the device's default")
      ->check(block_size)
      ->capture_default_str();
  command
      .add_option("--index-threads", options.device.blocks.index_threads,
                  "on a GPU, threads per block where each has a particle or a cell: 32, 64, ... "
                  "1024; 0 for the device's default")
      ->check(block_size)
      ->capture_default_str();
}

void add_config_option(CLI::App& command, Options& options) {
  command.add_option("--config", options.config,
                     "TOML file with any of these options, under the same names; the command line "
                     "goes before it");
}

void add_input_option(CLI::App& command, Options& options) {
  command.add_option("--input", options.input, "initial conditions, a GADGET HDF5 snapshot")
      ->required();
}

void add_files(CLI::App& command, Options& options, const std::string& output_help) {
  under(command, "Files");
  add_input_option(command, options);
  command.add_option("--output", options.output, output_help)->required();
  add_config_option(command, options);
}

CLI::Option* add_points_option(CLI::App& command, Options& options) {
  under(command, "Files");
  return command.add_option(
      "--at", options.points,
      "HDF5 file whose /Coordinates [M, 3], in the input's units, are the places "
      "that get forces; without it the particles do");
}

void add_criterion_options(CLI::App& command, Options& options) {
  under(command, "Forces");
  command
      .add_option("--mac", options.mac,
                  "multipole acceptance criterion: acceleration (error relative to the particle's "
                  "last acceleration), multipole (absolute error) or opening (opening angle)")
      ->check(one_of(words_of(mac_names)))
      ->capture_default_str();
  command
      .add_option("--accuracy", options.accuracy,
                  "accuracy parameter of the criterion, smaller is more accurate; default 2^-7 "
                  "for acceleration, 2^-4 for multipole, 0.6 for opening")
      ->check(positive());
  command
      .add_option("--root", options.root,
                  "reciprocal square root of a pair: newton (single precision), estimate (the "
                  "hardware's 14 bits, faster) or auto (estimate where the accuracy allows it)")
      ->check(one_of({"auto", "newton", "estimate"}))
      ->capture_default_str();
}

void add_tree_options(CLI::App& command, Options& options) {
  add_criterion_options(command, options);
  under(command, "Tree and groups, which change the speed and hardly the result");
  command.add_option("--curve", options.curve, "order of particles in memory: hilbert or morton")
      ->check(one_of(words_of(curve_names)))
      ->capture_default_str();
  command
      .add_option("--leaf-capacity", options.leaf_capacity,
                  "most particles of a cell that is not divided; 0 for the device's default")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command
      .add_option("--group-size", options.group_size,
                  "most particles that walk the tree together, a power of two; 0 for the device's "
                  "default")
      ->check(CLI::IsMember({0, 1, 2, 4, 8, 16, 32, 64, 128}))
      ->capture_default_str();
  command
      .add_option("--sharing", options.sharing,
                  "lanes of a warp that share a particle, 1, 2, 4, ... 32, which sets the size of "
                  "the groups; 0 to choose it in every step by the number of active particles")
      ->check(CLI::IsMember({0, 1, 2, 4, 8, 16, 32}))
      ->capture_default_str();
  command
      .add_option("--list-capacity", options.list_capacity,
                  "sources of a group that are summed at a time; 0 for the device's default")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command
      .add_option("--group-extent", options.group_extent,
                  "r_crit: particles whose bounding box has a larger half diagonal do not walk "
                  "together; 0 for no limit; auto finds it by trial, in runs")
      ->check(positive(true) | CLI::IsMember({"auto"}))
      ->capture_default_str();
  command
      .add_option(
          "--ball", options.ball,
          "ball that stands for particles that walk together: geo (about the centre of "
          "their bounding box), ebs (Ritter's), seb (the smallest), com (about their centre "
          "of mass) or cmp (the smaller of geo and com)")
      ->check(one_of(words_of(ball_names)))
      ->capture_default_str();
  command
      .add_option("--split-ratio", options.split_ratio,
                  "on a GPU a group is split if so many times as many cells are opened for its "
                  "extent as for one particle; 0 to split none")
      ->check(positive(true))
      ->capture_default_str();
}

void add_step_rule_options(CLI::App& command, Options& options) {
  under(command, "Time steps");
  command
      .add_option("--step", options.step_mode,
                  "block (each particle its own step) or shared (all the shortest step)")
      ->check(one_of({"block", "shared"}))
      ->capture_default_str();
  command
      .add_option("--eta", options.steps.rule.eta,
                  "step of a particle: eta sqrt(softening / acceleration), rounded down to a "
                  "power of two")
      ->check(positive())
      ->capture_default_str();
}

void add_tune_options(CLI::App& command, Options& options) {
  command
      .add_option("--input", options.inputs,
                  "models that the sizes are to suit, GADGET HDF5 snapshots, one or more")
      ->required();
  add_softening_option(command, options);
  add_criterion_options(command, options);
  command.add_option("--defaults", options.defaults,
                     "file for the sizes that are best, to be given as --config; without it none");
}

double default_accuracy(Mac mac) {
  switch (mac) {
    case Mac::acceleration:
      return 0x1p-7;
    case Mac::multipole:
      return 0x1p-4;
    default:
      return 0.6;
  }
}

/// Throws InputError unless a span of time is a multiple of the fixed step, where there is one.
void require_whole_steps(double span, const Options& options, const std::string& what) {
  if (options.steps.fixed_step == 0) return;
  const double steps = span / options.steps.fixed_step;
  if (std::abs(steps - std::round(steps)) <= 1e-9 * steps) return;
  throw InputError(what + ": is no multiple of --dt; choose another --dt");
}

RootChoice root_choice(const std::string& name) {
  if (name == "newton") return RootChoice::newton;
  return name == "estimate" ? RootChoice::estimate : RootChoice::automatic;
}

/// All options of a command but --help, by their names.
std::map<std::string, const CLI::Option*> all_options(const CLI::App& command) {
  std::map<std::string, const CLI::Option*> found;
  const auto collect = [&](const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
      const std::string& name = option->get_lnames().front();
      if (name != "help") found[name] = option;
    }
  };
  collect(command);
  for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*group);
  }
  return found;
}

void add_snapshot_options(CLI::App& command, Options& options) {
  under(command, "Output");
  command
      .add_flag("--snapshot,!--no-snapshot", options.run.snapshot,
                "write the state at the end: as snapshot_000.h5 where there are no others")
      ->default_str("true");
  auto* interval = command
                       .add_option("--snapshot-interval", options.run.outputs.interval,
                                   "time between snapshots, of which the first has the initial "
                                   "state; without it none but that of the end")
                       ->check(positive());
  command
      .add_option("--snapshot-times", options.run.outputs.times,
                  "times of snapshots instead, as in t1,t2,t3, after the time of the input")
      ->delimiter(',')
      ->excludes(interval);
  command
      .add_option("--compression", options.run.compression,
                  "of snapshots by gzip: 0 for none, 1 (fast) to 9")
      ->check(CLI::Range(0, 9))
      ->capture_default_str();
}

/// Accepts seconds or a number with a unit.
CLI::Validator duration() {
  const std::map<std::string, double> units = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  return CLI::AsNumberWithUnit(units).description("number with s, min, h or d");
}

void add_restart_options(CLI::App& command, Options& options) {
  under(command, "Long runs");
  command
      .add_option("--checkpoint-interval", options.run.checkpoint_interval,
                  "wall time between checkpoints, such as 90s, 30min or 2h; 0 for none but that of "
                  "a run that is stopped")
      ->transform(duration())
      ->check(positive(true))
      ->default_str("30min");
  command
      .add_option("--stop-after", options.run.stop_after,
                  "wall time after which the run writes a checkpoint and stops, with exit status 3")
      ->transform(duration())
      ->check(positive());
  command
      .add_flag(
          "--restart", options.restart,
          "go on from the newest checkpoint in the folder; from the input where there is none")
      ->default_str("false");
}

void add_watch_options(CLI::App& command, Options& options) {
  under(command, "Watching");
  command
      .add_option("--log", options.log,
                  "who is told how the run is getting on: text (a line for readers on standard "
                  "error), json (an object per line on standard output), none, or auto: text where "
                  "standard error is a terminal")
      ->check(one_of(words_of(log_names)))
      ->capture_default_str();
  command
      .add_flag("--dry-run", options.dry_run,
                "find the first forces, print all options, memory, disk space and the expected "
                "time, and write nothing")
      ->default_str("false");
}

}  // namespace

CLI::Option* add_time_option(CLI::App& command, Options& options) {
  return command
      .add_option("--time", options.steps.end_time, "time to advance by, in the input's units")
      ->check(positive());
}

void add_simulation_options(CLI::App& command, Options& options) {
  add_tree_force_options(command, options);
  add_step_rule_options(command, options);
  auto* dt = command
                 .add_option("--dt", options.steps.fixed_step,
                             "fixed step for all particles (leapfrog); needs --step shared")
                 ->check(positive());
  command
      .add_option("--dt-max", options.steps.longest_step,
                  "longest step, rounded down to a power of two; without it the longest step at "
                  "the start")
      ->check(positive())
      ->excludes(dt);
  under(command, "Trees that serve several steps");
  command
      .add_option(
          "--rebuild-interval", options.steps.rebuild_interval,
          "steps that one tree serves before it is built anew; 0 to build when the old tree "
          "has cost as much as a new one")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command
      .add_option(
          "--rebuild-rule", options.rebuild_rule,
          "how it is decided when a tree is built anew: by the growth of pairs (a run can be "
          "repeated exactly) or seconds, step against step of its kind, or by that of all "
          "steps alike (unweighted)")
      ->check(one_of(words_of(rebuild_rule_names)))
      ->capture_default_str();
}

void add_tree_force_options(CLI::App& command, Options& options) {
  add_softening_option(command, options);
  add_external_option(command, options);
  add_tree_options(command, options);
  add_device_options(command, options);
}

void add_direct_force_options(CLI::App& command, Options& options) {
  add_softening_option(command, options);
  add_external_option(command, options);
  command
      .add_option("--targets", options.targets,
                  "number of particles, evenly spread over the IDs, that get a force; 0 for all")
      ->capture_default_str();
  command
      .add_option("--precision", options.precision,
                  "double (a reference) or single (the rate of the pair interaction)")
      ->check(one_of({"double", "single"}))
      ->capture_default_str();
  command
      .add_option("--root", options.root,
                  "reciprocal square root in single precision: newton or estimate")
      ->check(one_of({"auto", "newton", "estimate"}))
      ->capture_default_str();
  add_device_options(command, options);
}

void add_run_options(CLI::App& command, Options& options) {
  add_files(command, options,
            "folder for logs, snapshots and checkpoints; made if it is not there");
  add_simulation_options(command, options);
  under(command, "Options");
  auto* limit = command.add_option_group("limit", "when to stop; one of these");
  limit->add_option("--steps", options.run.steps, "number of steps")->check(positive());
  add_time_option(*limit, options);
  limit->require_option(1);
  add_snapshot_options(command, options);
  add_restart_options(command, options);
  add_watch_options(command, options);
}

void add_force_options(CLI::App& command, Options& options) {
  add_files(command, options, "file for accelerations and potentials");
  add_points_option(command, options);
  add_tree_force_options(command, options);
}

void add_direct_options(CLI::App& command, Options& options) {
  add_files(command, options, "file for accelerations and potentials");
  add_direct_force_options(command, options);
  add_points_option(command, options)->excludes("--targets");
}

void add_bench_options(CLI::App& command, const BenchWord& word, Options& options) {
  if (word.measurement == Measurement::tune) {
    add_tune_options(command, options);
  } else if (word.of_input) {
    add_input_option(command, options);
    add_softening_option(command, options);
    add_tree_options(command, options);
  }
  if (word.of_steps) {
    add_step_rule_options(command, options);
    command
        .add_option("--steps", options.bench.round_steps,
                    "steps of each setting in turn; the first round is not timed")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
  }
  if (word.measurement == Measurement::peak) {
    command
        .add_option("--particles", options.bench.sources,
                    "sources of the direct sums; 0 for as many as keep the device busy")
        ->check(CLI::Range(0U, 1U << 30))
        ->capture_default_str();
    command
        .add_option("--buffer-bytes", options.bench.buffer_bytes,
                    "size of each of the two buffers of the copy; 0 for 3 GiB, but at most a "
                    "quarter of the free memory")
        ->check(CLI::Range(std::uint64_t(0), std::uint64_t(1) << 48))
        ->capture_default_str();
  }
  command.add_option("--output", options.output, "file for the table, as CSV; without it none");
  if (word.measurement == Measurement::balls) {
    command.add_option("--histogram", options.histogram,
                       "file for the numbers of groups by the smallest radius and by the radius "
                       "over the smallest, as CSV; without it none");
  }
  command
      .add_option("--repeats", options.bench.repeats,
                  "timed repeats, after one that is not; the table has their median, minimum and "
                  "maximum")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_device_options(command, options);
  add_config_option(command, options);
}

std::string option_name(std::string setting) {
  std::ranges::replace(setting, '_', '-');
  return "--" + setting;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent != nullptr ? full_name(*parent) + " " : "") + command.get_name();
}

double chosen_softening(const Options& options, const files::Snapshot& snapshot) {
  const double softening = options.softening > 0 ? options.softening : snapshot.softening;
  const std::string where =
      options.softening > 0 ? "--softening" : options.input.string() + ": /Header/Softening";
  if (softening == 0) {
    throw InputError(where + ": no softening is given; give its length with --softening");
  }
  constexpr double least = 1e-12, most = 1e12;  // of which cubes are single-precision numbers
  if (softening < least || softening > most) {
    throw InputError(where + ": " + files::shortest(softening) +
                     " is out of the range of single precision; choose other units or give " +
                     files::shortest(least) + " to " + files::shortest(most) + " with --softening");
  }
  require_in_range(snapshot, softening, options.input.string());
  return softening;
}

files::Snapshot read_input(const Options& options) {
  return files::read_snapshot(options.input,
                              options.field ? files::Masses::may_vanish : files::Masses::needed);
}

std::vector<files::Vec3> read_points(const Options& options) {
  if (options.points.empty()) return {};
  return files::read_points(options.points);
}

ExternalField chosen_field(const Options& options, const files::Snapshot& snapshot) {
  if (!options.field) return {};
  return external_field(*options.field, snapshot.units.gravitational_constant());
}

ForceOptions force_options(const Options& options, const files::Snapshot& snapshot) {
  ForceOptions force;
  const Mac mac = mac_names.at(options.mac);
  force.acceptance = {mac, float(options.accuracy.value_or(default_accuracy(mac))),
                      float(snapshot.units.gravitational_constant())};
  if (mac == Mac::opening && force.acceptance.accuracy > 1) {
    throw InputError(
        "--accuracy: an opening angle above 1 would let cells act on their own particles; use at "
        "most 1");
  }
  force.softening = float(chosen_softening(options, snapshot));
  force.root = root_choice(options.root);
  force.curve = curve_names.at(options.curve);
  force.leaf_capacity = options.leaf_capacity;
  force.list_capacity = options.list_capacity;
  force.group_size = options.group_size;
  force.sharing = options.sharing;
  force.ball = ball_names.at(options.ball);
  if (options.group_extent != "auto") {
    const float extent = std::stof(options.group_extent);
    if (extent > 0) force.group_extent = extent;
  }
  force.split_ratio = float(options.split_ratio);
  force.external = chosen_field(options, snapshot);
  return force;
}

StepOptions step_options(const Options& options, const files::Snapshot& snapshot) {
  StepOptions steps = options.steps;
  steps.tune_extent = options.group_extent == "auto";
  steps.rebuild_rule = rebuild_rule_names.at(options.rebuild_rule);
  steps.rule.softening = chosen_softening(options, snapshot);
  steps.rule.mode = options.step_mode == "block" ? StepRule::Mode::block : StepRule::Mode::shared;
  if (steps.fixed_step > 0) {
    if (steps.rule.mode == StepRule::Mode::block) {
      throw InputError("--dt: block steps are adaptive; add --step shared or leave out --dt");
    }
    steps.rule.mode = StepRule::Mode::fixed;
  }
  return steps;
}

RunOptions run_options(const Options& options, const files::Snapshot& snapshot) {
  constexpr double most_snapshots = 1e6;
  RunOptions run = options.run;
  run.time = options.steps.end_time;
  OutputTimes& outputs = run.outputs;
  std::ranges::sort(outputs.times);
  const double end = snapshot.time + run.time;
  for (const double time : outputs.times) {
    const std::string what = "--snapshot-times: " + files::shortest(time);
    if (!std::isfinite(time) || time < snapshot.time) {
      throw InputError(what + " is before the time of the input, " +
                       files::shortest(snapshot.time) + "; give times after it");
    }
    if (run.time > 0 && time > end * (1 + 1e-9)) {
      throw InputError(what + " is after the end of the run, " + files::shortest(end) +
                       "; give times before it or a longer --time");
    }
    require_whole_steps(time - snapshot.time, options, what);
  }
  if (outputs.interval > 0 && run.time / outputs.interval > most_snapshots) {
    throw InputError("--snapshot-interval: more than " + files::shortest(most_snapshots) +
                     " snapshots; use a longer interval");
  }
  require_whole_steps(outputs.interval, options, "--snapshot-interval");
  require_whole_steps(run.time, options, "--time");
  return run;
}

DirectOptions direct_options(const Options& options, const files::Snapshot& snapshot) {
  const Precision single =
      options.root == "estimate" ? Precision::single_estimate : Precision::single_newton;
  return {.gravity = snapshot.units.gravitational_constant(),
          .softening = chosen_softening(options, snapshot),
          .precision = options.precision == "double" ? Precision::double_precision : single,
          .external = chosen_field(options, snapshot)};
}

Arguments with_config(const CLI::App& command, const std::vector<std::string>& arguments) {
  std::vector<const CLI::Option*> given;
  std::string file;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    given.push_back(command.get_option_no_throw(name));
    if (name != "--config") continue;
    if (name.size() < arguments[i].size()) {
      file = arguments[i].substr(name.size() + 1);
    } else if (i + 1 < arguments.size()) {
      file = arguments[i + 1];
    }
  }
  Arguments all{arguments, {}};
  if (file.empty()) return all;
  for (const files::ConfigEntry& entry : files::read_run_config(file)) {
    const CLI::Option* option = command.get_option_no_throw("--" + entry.name);
    if (option == nullptr || entry.name == "config" || entry.name == "help") {
      throw InputError(file + ": " + entry.name + ": " + full_name(command) +
                       " has no such option; correct or remove it");
    }
    if (std::find(given.begin(), given.end(), option) != given.end()) continue;
    all.words.push_back("--" + entry.name + "=" + entry.value);
    all.origins[entry.name] = file + ":" + std::to_string(entry.line);
  }
  return all;
}

std::map<std::string, std::string> option_values(const CLI::App& command, const Options& options,
                                                 const files::Snapshot& snapshot) {
  std::map<std::string, std::string> values;
  for (const auto& [name, option] : all_options(command)) {
    values[name] = option->count() > 0 ? CLI::detail::join(option->reduced_results(), ",")
                                       : option->get_default_str();
  }
  values["softening"] = files::shortest(chosen_softening(options, snapshot));
  if (options.field) values["external.text"] = options.field->text;
  if (const auto accuracy = values.find("accuracy"); accuracy != values.end()) {
    accuracy->second =
        files::shortest(options.accuracy.value_or(default_accuracy(mac_names.at(options.mac))));
  }
  return values;
}

std::map<std::string, std::string> option_origins(const CLI::App& command, const Options& options) {
  std::map<std::string, std::string> origins;
  for (const auto& [name, option] : all_options(command)) {
    const auto of_file = options.origins.find(name);
    origins[name] = of_file != options.origins.end() ? of_file->second
                    : option->count() > 0            ? "command line"
                                                     : "default";
  }
  return origins;
}

LogKind log_kind(const Options& options) { return log_names.at(options.log); }

}  // namespace gothic
