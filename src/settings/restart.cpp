#include "settings/restart.hpp"

#include <functional>
#include <system_error>
#include <utility>

#include "core/messages/communicator.hpp"
#include "files/digest.hpp"
#include "files/error.hpp"

namespace gothic {

void require_same_course(const files::FoundCheckpoint& found, const Options& options,
                         const std::map<std::string, std::string>& now, const std::string& remedy) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, value] : found.checkpoint.options) both[name].first = value;
  for (const auto& [name, value] : now) both[name].second = value;
  const auto shown = [](const std::string& value) { return value.empty() ? "not given" : value; };
  std::string differences;
  for (const auto& [name, values] : both) {
    const auto& [before, after] = values;
    if (before == after || !changes_course(name) || options.lacks(name)) continue;
    const bool is_file = name == "external" || name == "input";
    const bool is_moved = is_file && !before.empty() && !after.empty();
    if (is_moved || name == input_digest_name) continue;  // what is in the files is compared
    differences += differences.empty() ? "" : ", ";
    if (name == "external.text") {
      differences += "another text in the file of " + options.shown("external");
    } else {
      differences += options.shown(name) + " was " + shown(before) + " and is " + shown(after);
    }
  }
  if (differences.empty()) return;
  throw InputError(found.path.string() + ": is of a run with other options: " + differences + "; " +
                   remedy);
}

std::string input_digest(const files::Snapshot& snapshot, Communicator& ranks) {
  const auto own = files::digests_of(snapshot.particles);
  return files::input_digest(snapshot, combined(ranks, own, std::plus<>()));
}

std::string require_same_input(const files::FoundCheckpoint& found, const Settings& settings,
                               Communicator& ranks) {
  const std::filesystem::path input = settings.options().file("input");
  std::error_code ignored;
  const int found_here = leads(ranks) && std::filesystem::exists(input, ignored) ? 1 : 0;
  if (combined(ranks, found_here, std::plus<>()) == 0) {
    return input.string() + ": there is no such file any more; going on with the particles of " +
           found.path.string();
  }
  const std::string before = found.checkpoint.options.at(input_digest_name);
  const std::string now = input_digest(settings.read_input(), ranks);
  if (now == before) return {};
  throw InputError(found.path.string() + ": is of a run with another --input: " + input.string() +
                   " has " + files::digest_differences(before, now) +
                   "; give the file that the run began with, or another --output");
}

std::unique_ptr<Simulation> simulation_of(Engine& engine, const files::Snapshot& snapshot,
                                          const ForceOptions& force, const StepOptions& steps,
                                          const files::FoundCheckpoint* earlier) {
  if (earlier == nullptr) return engine.simulation(snapshot.particles, snapshot.time, force, steps);
  try {
    return engine.resumed(snapshot.particles, earlier->checkpoint.state, force, steps);
  } catch (const StateError& error) {
    const std::string place = error.field.empty() ? "/Clock/Numbers" : "/State/" + error.field;
    throw InputError(earlier->path.string() + ": " + place + ": " + error.what() +
                     "; remove the file");
  }
}

}  // namespace gothic
