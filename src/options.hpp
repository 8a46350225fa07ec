#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "simulation/run.hpp"
#include "simulation/simulation.hpp"

namespace gothic {

/// Options that `run`, `force` and `direct` share or that one of them has; see `gothic --help`.
struct Options {
  std::filesystem::path input, output;
  DeviceChoice device;
  double softening = 0;  ///< 0: what the input asks for

  // forces
  Mac mac = Mac::acceleration;
  std::optional<double> accuracy;
  std::string root = "auto";
  Curve curve = Curve::hilbert;
  std::uint32_t leaf_capacity = 0, group_size = 0;  ///< 0: the device's default
  double group_extent = 0;                          ///< 0: no limit

  // steps
  StepOptions steps;
  std::string step_mode = "block";
  RunLimits limits;
  bool snapshot = true;

  // direct
  std::uint32_t targets = 0;  ///< 0: all
  std::string precision = "double";
};

/// Adds the options to the commands of the program.
void add_run_options(CLI::App& command, Options& options);
void add_force_options(CLI::App& command, Options& options);
void add_direct_options(CLI::App& command, Options& options);

/// Softening of the options or, without, of the snapshot. Throws InputError if there is none.
double chosen_softening(const Options& options, const io::Snapshot& snapshot);

/// Options of the force for a snapshot.
/// Throws InputError where options contradict each other or the snapshot.
ForceOptions force_options(const Options& options, const io::Snapshot& snapshot);

/// Options of the steps for a snapshot. Throws InputError as above.
StepOptions step_options(const Options& options, const io::Snapshot& snapshot);

/// Names and values of all options of a command, for the files' provenance.
std::map<std::string, std::string> option_values(const CLI::App& command);

}  // namespace gothic
