#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "settings/option_table.hpp"

namespace gothic::python {
namespace {

/// Throws std::logic_error where the command has no such option.
const Option& option_of(const std::string& command, const std::string& name) {
  if (const Option* const option = command_named(command).find(name)) return *option;
  throw std::logic_error("options.toml: " + command + " has no option " + name);
}

}  // namespace

void define_options(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "values_of",
      [](const std::string& command, const std::string& option) {
        return option_of(command, option).values();
      },
      "command"_a, "option"_a, "Tell the values that an option takes, such as \"number above 0\".");
  module.def(
      "refusal",
      [](const std::string& command, const std::string& option, const std::string& value) {
        return option_of(command, option).refusal(value);
      },
      "command"_a, "option"_a, "value"_a,
      "Tell why an option does not take a value, and the remedy; an empty text if it takes it.");
}

}  // namespace gothic::python
