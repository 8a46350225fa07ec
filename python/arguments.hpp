#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/options.hpp"
#include "bindings.hpp"

namespace gothic::python {

/// Names, without dashes, and values of options as a command line would have them.
using Arguments = std::vector<std::pair<std::string, std::string>>;

/// Options of a command, read by its own reader: with the same names, defaults and checks.
class ReadOptions {
 public:
  /// \param add adds the options that there are
  /// \throws InputError for an option that is not there, a value that it does not take, and
  ///         particles that cannot be computed with them
  ReadOptions(void (*add)(CLI::App&, Options&), const Arguments& arguments,
              const HeldSnapshot& snapshot);
  ReadOptions(const ReadOptions&) = delete;

  const Options& values() const { return options_; }

  /// What the options make, for the file of a snapshot.
  files::Provenance provenance(const std::string& program, const files::Snapshot& snapshot) const;

 private:
  Options options_;
  CLI::App command_;  // refers to the options
};

/// Names of the options, without dashes.
std::vector<std::string> option_names(void (*add)(CLI::App&, Options&));

/// Adds the options of a simulation, which are those of `gothic run` but for its files.
void add_python_simulation_options(CLI::App& command, Options& options);

}  // namespace gothic::python
