#include "bindings.hpp"

namespace gothic::python {

Options options_of(const std::string& command, const Arguments& arguments) {
  std::vector<GivenOption> given;
  for (const auto& [name, value] : arguments) given.push_back({name, {value}});
  return {command_named(command), given, Spelling::python};
}

Settings settings_of(const std::string& command, const Arguments& arguments,
                     const HeldSnapshot& snapshot) {
  Settings settings(options_of(command, arguments), snapshot.name);
  require_valid(snapshot, settings.needed_masses());
  return settings;
}

}  // namespace gothic::python
