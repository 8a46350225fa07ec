#include "run/result_files.hpp"

#include <algorithm>
#include <regex>
#include <string>
#include <system_error>

#include "files/error.hpp"
#include "run/observers.hpp"

namespace gothic {

ResultFiles result_files(const std::filesystem::path& folder) {
  static const std::regex names = [] {
    std::string logs;
    for (const Observer& observer : observers()) logs += observer.name + "|";
    return std::regex("(" + logs +
                      R"(checkpoint|checkpoint_previous|snapshot_\d{3,})\.h5(\.partial)?)");
  }();
  ResultFiles found;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error && std::filesystem::is_directory(folder)) {
    throw InputError(folder.string() + ": the folder cannot be read (" + error.message() +
                     "); choose another one");
  }
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (!std::regex_match(name, names)) continue;
    found.all.push_back(entry.path());
    found.has_logs = found.has_logs || name == "steps.h5";
  }
  std::ranges::sort(found.all);
  return found;
}

void remove(const ResultFiles& files) {
  for (const std::filesystem::path& file : files.all) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) {
      throw InputError(file.string() + ": cannot be removed (" + error.message() +
                       "); make it and its folder writable, or choose another folder");
    }
  }
}

}  // namespace gothic
