#include "files/run_config.hpp"

#include "files/error.hpp"
#include "files/input_file.hpp"
#include "files/text.hpp"
#include "files/toml.hpp"

namespace gothic::files {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const toml::source_region& where,
                       const std::string& what) {
  throw InputError(path.string() + ":" + std::to_string(where.begin.line) + ": " + what);
}

}  // namespace

std::vector<ConfigEntry> read_run_config(const std::filesystem::path& path) {
  const toml::table table = parse_toml(path.string(), read_text(path, "config"));
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const int line = int(key.source().begin.line);
    if (const auto* word = node.as_string()) {
      entries.push_back({name, word->get(), line});
    } else if (const auto* integer = node.as_integer()) {
      entries.push_back({name, std::to_string(integer->get()), line});
    } else if (const auto* real = node.as_floating_point()) {
      entries.push_back({name, shortest(real->get()), line});
    } else if (const auto* truth = node.as_boolean()) {
      entries.push_back({name, truth->get() ? "true" : "false", line});
    } else {
      std::string problem = name;
      problem += ": is neither a string, a number nor true or false; write ";
      fail(path, node.source(), problem.append(name).append(" = VALUE"));
    }
  }
  return entries;
}

}  // namespace gothic::files
