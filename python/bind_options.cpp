#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "settings/checked_inputs.hpp"
#include "settings/option_table.hpp"

namespace gothic::python {
namespace {

/// Throws std::logic_error where the command has no such option.
const Option& option_of(const std::string& command, const std::string& name) {
  if (const Option* const option = command_named(command).find(name)) return *option;
  throw std::logic_error("options.toml: " + command + " has no option " + name);
}

/// Judges a file of potentials for particles in these units. Throws InputError if it is wrong.
void judge_field(const std::filesystem::path& path, const CgsUnits& units) {
  const files::FieldFile file = files::read_field_file(path, ExternalField::most);
  external_field(file, from_cgs(units));
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
      [](const std::string& command, const std::string& option, const std::string& value,
         const std::optional<CgsUnits>& units) {
        const Option& asked = option_of(command, option);
        if (!units) return asked.refusal(value);
        return asked.refusal(value, from_cgs(*units));
      },
      "command"_a, "option"_a, "value"_a, "units"_a = nb::none(),
      "Tell why an option does not take a value, for particles in these units if they are given, "
      "and the remedy; an empty text if it takes it.");
  module.def("judge_field", &judge_field, "path"_a, "units"_a);
}

}  // namespace gothic::python
