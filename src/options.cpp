#include "options.hpp"

#include "io/error.hpp"

namespace gothic {

namespace {

const std::map<std::string, Mac> mac_names = {{"acceleration", Mac::acceleration},
                                              {"multipole", Mac::multipole},
                                              {"opening", Mac::opening}};

void add_common_options(CLI::App& command, Options& options, const std::string& output_help) {
  command.add_option("--input", options.input, "initial conditions, a GADGET HDF5 snapshot")
      ->required();
  command.add_option("--output", options.output, output_help)->required();
  command
      .add_option("--softening", options.softening,
                  "Plummer softening length in the input's units; without it the length that the "
                  "input's /Header names")
      ->check(CLI::PositiveNumber);
  command.add_option("--device", options.device.name, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  command.add_option("--threads", options.device.threads, "CPU threads; 0 for all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command.set_config("--config", "", "TOML file with any of these options, under the same names");
  command.allow_config_extras(false);
}

void add_tree_options(CLI::App& command, Options& options) {
  command
      .add_option("--mac", options.mac,
                  "multipole acceptance criterion: acceleration (error relative to the particle's "
                  "last acceleration), multipole (absolute error) or opening (opening angle)")
      ->transform(CLI::CheckedTransformer(mac_names))
      ->default_str("acceleration");
  command
      .add_option("--accuracy", options.accuracy,
                  "accuracy parameter of the criterion, smaller is more accurate; default 2^-7 "
                  "for acceleration, 2^-4 for multipole, 0.6 for opening")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--root", options.root,
                  "reciprocal square root of a pair: newton (single precision), estimate (the "
                  "hardware's 14 bits, faster) or auto (estimate where the accuracy allows it)")
      ->check(CLI::IsMember({"auto", "newton", "estimate"}))
      ->capture_default_str();
  command
      .add_option("--curve", options.curve, "order of particles in memory: hilbert or morton")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Curve>{{"hilbert", Curve::hilbert}, {"morton", Curve::morton}}))
      ->default_str("hilbert");
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
      .add_option("--group-extent", options.group_extent,
                  "particles whose bounding box has a larger half diagonal do not walk together; "
                  "0 for no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
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

RootChoice root_choice(const std::string& name) {
  if (name == "newton") return RootChoice::newton;
  return name == "estimate" ? RootChoice::estimate : RootChoice::automatic;
}

}  // namespace

void add_run_options(CLI::App& command, Options& options) {
  add_common_options(command, options,
                     "folder for steps.h5, energy.h5 and snapshots; made if it is not there");
  add_tree_options(command, options);
  command
      .add_option("--step", options.step_mode,
                  "block (each particle its own step) or shared (all the shortest step)")
      ->check(CLI::IsMember({"block", "shared"}))
      ->capture_default_str();
  command
      .add_option("--eta", options.steps.rule.eta,
                  "step of a particle: eta sqrt(softening / acceleration), rounded down to a "
                  "power of two")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  auto* dt = command
                 .add_option("--dt", options.steps.fixed_step,
                             "fixed step for all particles (leapfrog); needs --step shared")
                 ->check(CLI::PositiveNumber);
  command
      .add_option("--dt-max", options.steps.longest_step,
                  "longest step, rounded down to a power of two; without it the longest step at "
                  "the start")
      ->check(CLI::PositiveNumber)
      ->excludes(dt);
  auto* limit = command.add_option_group("limit", "when to stop; one of these");
  limit->add_option("--steps", options.limits.steps, "number of steps")
      ->check(CLI::PositiveNumber);
  limit->add_option("--time", options.steps.end_time, "time to advance by, in the input's units")
      ->check(CLI::PositiveNumber);
  limit->require_option(1);
  command
      .add_option("--rebuild-interval", options.steps.rebuild_interval,
                  "steps that one tree serves before it is built anew")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command.add_flag("--snapshot,!--no-snapshot", options.snapshot,
                   "write the state at the end as snapshot_000.h5")
      ->default_str("true");
}

void add_force_options(CLI::App& command, Options& options) {
  add_common_options(command, options, "file for accelerations and potentials");
  add_tree_options(command, options);
}

void add_direct_options(CLI::App& command, Options& options) {
  add_common_options(command, options, "file for accelerations and potentials");
  command
      .add_option("--targets", options.targets,
                  "number of particles, evenly spread over the IDs, that get a force; 0 for all")
      ->capture_default_str();
  command
      .add_option("--precision", options.precision,
                  "double (a reference) or single (the rate of the pair interaction)")
      ->check(CLI::IsMember({"double", "single"}))
      ->capture_default_str();
  command
      .add_option("--root", options.root,
                  "reciprocal square root in single precision: newton or estimate")
      ->check(CLI::IsMember({"auto", "newton", "estimate"}))
      ->capture_default_str();
}

double chosen_softening(const Options& options, const io::Snapshot& snapshot) {
  const double softening = options.softening > 0 ? options.softening : snapshot.softening;
  if (softening > 0) return softening;
  throw InputError(options.input.string() +
                   ": /Header names no Softening; give its length with --softening");
}

ForceOptions force_options(const Options& options, const io::Snapshot& snapshot) {
  ForceOptions force;
  force.acceptance = {options.mac, float(options.accuracy.value_or(default_accuracy(options.mac))),
                      float(snapshot.units.gravitational_constant())};
  if (options.mac == Mac::opening && force.acceptance.accuracy > 1) {
    throw InputError(
        "--accuracy: an opening angle above 1 would let cells act on their own particles; use at "
        "most 1");
  }
  force.softening = float(chosen_softening(options, snapshot));
  force.root = root_choice(options.root);
  force.curve = options.curve;
  force.leaf_capacity = options.leaf_capacity;
  force.group_size = options.group_size;
  if (options.group_extent > 0) force.group_extent = float(options.group_extent);
  return force;
}

StepOptions step_options(const Options& options, const io::Snapshot& snapshot) {
  StepOptions steps = options.steps;
  steps.rule.softening = chosen_softening(options, snapshot);
  steps.rule.mode =
      options.step_mode == "block" ? StepRule::Mode::block : StepRule::Mode::shared;
  if (steps.fixed_step > 0) {
    if (steps.rule.mode == StepRule::Mode::block) {
      throw InputError("--dt: block steps are adaptive; add --step shared or leave out --dt");
    }
    steps.rule.mode = StepRule::Mode::fixed;
  }
  return steps;
}

std::map<std::string, std::string> option_values(const CLI::App& command) {
  std::map<std::string, std::string> values;
  const auto collect = [&](const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
      const std::string name = option->get_name(false, true).substr(0, option->get_name().find(','));
      if (name == "--help" || name == "--config") continue;
      const std::string value =
          option->count() > 0 ? option->as<std::string>() : option->get_default_str();
      if (!value.empty()) values[name.substr(2)] = value;
    }
  };
  collect(command);
  for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*group);
  }
  return values;
}

}  // namespace gothic
