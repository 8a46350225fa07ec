#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "simulation/run.hpp"
#include "simulation/simulation.hpp"

namespace gothic {

/// Options that the commands share or that one of them has; see `gothic --help`.
struct Options {
  std::filesystem::path input, output, config;
  std::vector<std::filesystem::path> inputs;  ///< of tune
  std::filesystem::path defaults;             ///< the same
  DeviceChoice device;
  double softening = 0;  ///< 0: what the input asks for

  // forces
  std::string mac = "acceleration";
  std::optional<double> accuracy;
  std::string root = "auto";
  std::string curve = "hilbert";
  std::uint32_t leaf_capacity = 0, list_capacity = 0, group_size = 0;  ///< 0: the default
  int sharing = 0;                                                     ///< 0: automatic
  std::string group_extent = "0";  ///< a length, 0 for no limit, or auto
  double split_ratio = ForceOptions().split_ratio;
  std::string ball = "geo";

  // steps
  StepOptions steps;
  std::string step_mode = "block", rebuild_rule = "pairs";
  RunLimits limits;
  bool snapshot = true;

  // direct
  std::uint32_t targets = 0;  ///< 0: all
  std::string precision = "double";

  BenchTask bench;
  std::filesystem::path histogram;  ///< empty: none
};

/// Adds the options to the commands of the program.
void add_run_options(CLI::App& command, Options& options);
void add_force_options(CLI::App& command, Options& options);
void add_direct_options(CLI::App& command, Options& options);
/// The same for a word of `bench`.
void add_bench_options(CLI::App& command, const BenchWord& word, Options& options);

/// The words by which a command is called, as in "gothic bench walk".
std::string full_name(const CLI::App& command);

/// Softening of the options or, without, of the snapshot. Throws InputError if there is none.
double chosen_softening(const Options& options, const io::Snapshot& snapshot);

/// Options of the force for a snapshot.
/// Throws InputError where options contradict each other or the snapshot.
ForceOptions force_options(const Options& options, const io::Snapshot& snapshot);

/// Options of the steps for a snapshot. Throws InputError as above.
StepOptions step_options(const Options& options, const io::Snapshot& snapshot);

/// The arguments that follow the name of a command and, if --config is among them, those of that
/// file that the command line does not give itself.
/// Throws InputError if the file cannot be read or names an option that the command does not have.
std::vector<std::string> with_config(const CLI::App& command,
                                     const std::vector<std::string>& arguments);

/// Names and values of all options of a command, for the files' provenance: as given or their
/// defaults, and empty for those that were not given and have none.
std::map<std::string, std::string> option_values(const CLI::App& command, const Options& options,
                                                 const io::Snapshot& snapshot);

}  // namespace gothic
