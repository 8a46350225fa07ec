#include "settings/kept_files.hpp"

#include <fmt/format.h>

#include <system_error>

#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/snapshot_files.hpp"

namespace gothic {
namespace {

/// The path without links and dots, also of a file that is still to be made.
std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  const std::filesystem::path found = std::filesystem::weakly_canonical(whole, error);
  return error ? whole.lexically_normal() : found;
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code missing;
  return std::filesystem::equivalent(a, b, missing) || resolved(a) == resolved(b);
}

/// What messages call the file of an option.
std::string called(const Options& options, const Option& option) {
  const bool is_plain = option.positional || option.name == "input";
  return is_plain ? "the " + option.name : "the file of " + options.shown(option.name);
}

}  // namespace

void keep_files(const Options& options, const std::vector<ReadFile>& read,
                const std::vector<std::filesystem::path>& in_output) {
  std::vector<ReadFile> kept = read;
  const std::vector<Option>& all = options.command().options;
  for (const Option& option : all) {
    if (option.type != OptionType::file || option.written || !options.given(option.name)) continue;
    const std::filesystem::path path = options.file(option.name);
    kept.push_back({called(options, option), path});
    if (option.name != "input") continue;
    for (const std::filesystem::path& part : files::names_of_snapshot(path)) {
      kept.push_back({called(options, option), part});
    }
  }
  for (const Option& option : all) {
    if (!option.written || !options.given(option.name)) continue;
    const std::filesystem::path path = options.file(option.name);
    std::vector<std::filesystem::path> written = {path, files::partial_path(path)};
    if (option.name == "output") written.insert(written.end(), in_output.begin(), in_output.end());
    for (const std::filesystem::path& file : written) {
      for (const ReadFile& one : kept) {
        if (!is_same_file(file, one.path)) continue;
        throw InputError(fmt::format("{} {}: {} is {}; choose another place",
                                     options.shown(option.name), path.string(), file.string(),
                                     one.name));
      }
    }
    for (const std::filesystem::path& file : {path, files::partial_path(path)}) {
      kept.push_back({called(options, option) + ", too", file});
    }
  }
}

}  // namespace gothic
