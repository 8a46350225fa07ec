#include "bindings.hpp"

namespace gothic::python {

Settings settings_of(const std::string& command, const Arguments& arguments,
                     const HeldSnapshot& snapshot) {
  std::vector<GivenOption> given;
  for (const auto& [name, value] : arguments) given.push_back({name, {value}});
  Settings settings(Options(command_named(command), given, Spelling::python), snapshot.name);
  require_valid(snapshot, settings.needed_masses());
  return settings;
}

}  // namespace gothic::python
