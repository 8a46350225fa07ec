#include <map>
#include <set>
#include <string>
#include <utility>

#include "app/commands.hpp"
#include "files/error.hpp"

namespace gothic {

namespace {

/// Options that change neither the course of a run nor what its files mean.
const std::set<std::string> free_options = {"output",
                                            "device",
                                            "threads",
                                            "config",
                                            "steps",
                                            "time",
                                            "snapshot",
                                            "snapshot-interval",
                                            "snapshot-times",
                                            "compression",
                                            "checkpoint-interval",
                                            "stop-after",
                                            "restart",
                                            "log",
                                            "dry-run"};

}  // namespace

void check_options(const files::FoundCheckpoint& found, const files::Provenance& provenance) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, value] : found.checkpoint.options) both[name].first = value;
  for (const auto& [name, value] : provenance.options) both[name].second = value;
  const auto shown = [](const std::string& value) { return value.empty() ? "not given" : value; };
  std::string differences;
  for (const auto& [name, values] : both) {
    const auto& [then, now] = values;
    if (then == now || free_options.contains(name)) continue;
    differences += differences.empty() ? "" : ", ";
    if (name == "external.text") {
      differences += "another text in the file of --external";
    } else {
      differences += "--" + name + " was " + shown(then) + " and is " + shown(now);
    }
  }
  if (differences.empty()) return;
  throw InputError(found.path.string() + ": is of a run with other options: " + differences +
                   "; use the same ones, or another --output");
}

}  // namespace gothic
