#include "arguments.hpp"

#include <algorithm>

#include "files/error.hpp"

namespace gothic::python {

ReadOptions::ReadOptions(void (*add)(CLI::App&, Options&), const Arguments& arguments,
                         const HeldSnapshot& snapshot) {
  options_.input = snapshot.name;
  command_.set_help_flag();
  add(command_, options_);
  std::vector<std::string> words;
  for (const auto& [name, value] : arguments) {
    std::string word = "--";
    words.push_back(word.append(name).append("=").append(value));
  }
  std::reverse(words.begin(), words.end());
  try {
    command_.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw InputError(error.what());
  }
  require_valid(snapshot, options_.field ? files::Masses::may_vanish : files::Masses::needed);
}

files::Provenance ReadOptions::provenance(const std::string& program,
                                          const files::Snapshot& snapshot) const {
  files::Provenance provenance = files::current_provenance(program);
  provenance.options = option_values(command_, options_, snapshot);
  return provenance;
}

std::vector<std::string> option_names(void (*add)(CLI::App&, Options&)) {
  Options options;
  CLI::App command;
  command.set_help_flag();
  add(command, options);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    names.push_back(option->get_lnames().front());
  }
  return names;
}

void add_python_simulation_options(CLI::App& command, Options& options) {
  add_simulation_options(command, options);
  add_time_option(command, options);
}

}  // namespace gothic::python
