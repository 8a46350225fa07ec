#include "app/commands.hpp"
#include "files/error.hpp"

namespace gothic {

void keep_input(const Options& options, const std::string& option,
                const std::filesystem::path& inside) {
  const std::filesystem::path named = options.file(option);
  const std::filesystem::path written = inside.empty() ? named : named / inside;
  const auto keep = [&](const std::filesystem::path& source, const std::string& name) {
    std::error_code missing;
    if (std::filesystem::equivalent(source, written, missing)) {
      throw InputError("--" + option + " " + named.string() + ": " + written.string() + " is the " +
                       name + "; choose another place");
    }
  };
  for (const std::filesystem::path& input : options.files("input")) keep(input, "input");
  for (const char* name : {"at", "external"}) {
    keep(options.file(name), std::string("file of --") + name);
  }
}

}  // namespace gothic
