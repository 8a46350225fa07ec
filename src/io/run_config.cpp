#include "io/run_config.hpp"

#include <toml++/toml.h>

#include <fstream>
#include <iterator>

#include "io/error.hpp"
#include "io/number_text.hpp"

namespace gothic::io {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw InputError(path.string() +
                     ": config: there is no such file or it cannot be read; check the name");
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

[[noreturn]] void fail(const std::filesystem::path& path, const toml::source_region& where,
                       const std::string& what) {
  throw InputError(path.string() + ":" + std::to_string(where.begin.line) + ": " + what);
}

}  // namespace

std::vector<ConfigEntry> read_run_config(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  toml::table table;
  try {
    table = toml::parse(text, path.string());
  } catch (const toml::parse_error& error) {
    fail(path, error.source(),
         "not valid TOML: " + std::string(error.description()) + "; correct the line");
  }
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (const auto* word = node.as_string()) {
      entries.push_back({name, word->get()});
    } else if (const auto* integer = node.as_integer()) {
      entries.push_back({name, std::to_string(integer->get())});
    } else if (const auto* real = node.as_floating_point()) {
      entries.push_back({name, shortest(real->get())});
    } else if (const auto* truth = node.as_boolean()) {
      entries.push_back({name, truth->get() ? "true" : "false"});
    } else {
      std::string problem = name;
      problem += ": is neither a string, a number nor true or false; write ";
      fail(path, node.source(), problem.append(name).append(" = VALUE"));
    }
  }
  return entries;
}

}  // namespace gothic::io
