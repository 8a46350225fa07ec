#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "core/engine/engine.hpp"
#include "files/field_file.hpp"
#include "run/run.hpp"
#include "run/watch.hpp"

namespace gothic {

/// Options that the commands share or that one of them has; see `gothic --help`.
struct Options {
  std::filesystem::path input, output, config;
  /// FILE:LINE of those that --config names, by their names.
  std::map<std::string, std::string> origins;
  std::vector<std::filesystem::path> inputs;  ///< of tune
  std::filesystem::path defaults;             ///< the same
  DeviceChoice device;
  double softening = 0;                   ///< 0: what the input asks for
  std::filesystem::path external;         ///< file of static potentials; empty: none
  std::optional<files::FieldFile> field;  ///< what is in it

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

  // run
  RunOptions run;
  bool restart = false;
  std::string log = "auto";
  bool dry_run = false;

  // force and direct
  std::filesystem::path points;  ///< file of places that want a force; empty: the particles do

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
/// Those among them that are about what is computed, not about files or when to stop: also the
/// options of the Python package.
void add_simulation_options(CLI::App& command, Options& options);
void add_tree_force_options(CLI::App& command, Options& options);
void add_direct_force_options(CLI::App& command, Options& options);
CLI::Option* add_time_option(CLI::App& command, Options& options);
/// The same for a word of `bench`.
void add_bench_options(CLI::App& command, const BenchWord& word, Options& options);

/// The option of a setting: "--list-capacity" of "list_capacity".
std::string option_name(std::string setting);

/// The words by which a command is called, as in "gothic bench walk".
std::string full_name(const CLI::App& command);

/// Softening of the options or, without, of the snapshot. Throws InputError if there is none.
double chosen_softening(const Options& options, const files::Snapshot& snapshot);

/// The particles of --input, of which some need a mass unless there is an external field.
/// Throws InputError as read_snapshot does.
files::Snapshot read_input(const Options& options);

/// The places of --at, none where that is not given. Throws InputError as files::read_points does.
std::vector<files::Vec3> read_points(const Options& options);

/// The external field in the units of a snapshot, nothing where there is none.
/// Throws InputError where its numbers are out of range.
ExternalField chosen_field(const Options& options, const files::Snapshot& snapshot);

/// Options of the force for a snapshot.
/// Throws InputError where options contradict each other or the snapshot.
ForceOptions force_options(const Options& options, const files::Snapshot& snapshot);

/// Options of the steps for a snapshot. Throws InputError as above.
StepOptions step_options(const Options& options, const files::Snapshot& snapshot);

/// When a run of a snapshot ends and what it writes.
/// Throws InputError where times contradict each other or the snapshot.
RunOptions run_options(const Options& options, const files::Snapshot& snapshot);

/// Options of a direct sum over the particles of a snapshot. Throws InputError as above.
DirectOptions direct_options(const Options& options, const files::Snapshot& snapshot);

/// The arguments of a command, and where those come from that are not on the command line.
struct Arguments {
  std::vector<std::string> words;
  std::map<std::string, std::string> origins;  ///< FILE:LINE by the name of an option
};

/// The arguments that follow the name of a command and, if --config is among them, those of that
/// file that the command line does not give itself.
/// Throws InputError if the file cannot be read or names an option that the command does not have.
Arguments with_config(const CLI::App& command, const std::vector<std::string>& arguments);

/// Names and values of all options of a command, for the files' provenance: as given or their
/// defaults, and empty for those that were not given and have none.
std::map<std::string, std::string> option_values(const CLI::App& command, const Options& options,
                                                 const files::Snapshot& snapshot);

/// Where the values of all options of a command come from: "command line", FILE:LINE or "default".
std::map<std::string, std::string> option_origins(const CLI::App& command, const Options& options);

/// Who is told of a run.
LogKind log_kind(const Options& options);

}  // namespace gothic
