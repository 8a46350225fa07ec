#include "settings/restart.hpp"

#include <utility>

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
    const bool is_moved_field = name == "external" && !before.empty() && !after.empty();
    if (is_moved_field) continue;  // the texts of the files are compared
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

std::unique_ptr<Simulation> simulation_of(Engine& engine, const files::Snapshot& snapshot,
                                          const ForceOptions& force, const StepOptions& steps,
                                          const files::FoundCheckpoint* earlier) {
  if (earlier == nullptr) return engine.simulation(snapshot.particles, snapshot.time, force, steps);
  try {
    return engine.resumed(earlier->checkpoint.state, force, steps);
  } catch (const StateError& error) {
    const std::string place = error.field.empty() ? "/Clock/Numbers" : "/State/" + error.field;
    throw InputError(earlier->path.string() + ": " + place + ": " + error.what() +
                     "; remove the file");
  }
}

}  // namespace gothic
