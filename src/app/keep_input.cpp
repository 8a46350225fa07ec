#include "app/commands.hpp"
#include "files/error.hpp"

namespace gothic {

void keep_input(const Options& options, const std::filesystem::path& file,
                const std::string& option) {
  const auto keep = [&](const std::filesystem::path& source, const std::string& name) {
    std::error_code missing;
    if (std::filesystem::equivalent(source, file, missing)) {
      throw InputError(option + ": " + file.string() + " is the " + name +
                       "; choose another place");
    }
  };
  keep(options.input, "input");
  keep(options.points, "file of --at");
  keep(options.external, "file of --external");
}
void keep_input(const Options& options, const std::filesystem::path& file) {
  keep_input(options, file, "--output " + options.output.string());
}

}  // namespace gothic
