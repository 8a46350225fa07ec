#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <filesystem>
#include <new>
#include <string_view>

#include "bindings.hpp"
#include "core/setting_error.hpp"
#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/provenance.hpp"

namespace gothic::python {
namespace {

/// Translates errors: a lack of memory becomes MemoryError, a failed write OSError, and a wrong
/// setting the same error as any wrong argument.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc& failure) {
    PyErr_SetString(PyExc_MemoryError, out_of_memory_message(failure).c_str());
  } catch (const SettingError& failure) {
    throw InputError(failure.what());
  } catch (const std::filesystem::filesystem_error& failure) {
    throw InputError(bad_path_message(failure));
  } catch (const files::WriteError& failure) {
    PyErr_SetString(PyExc_OSError, failure.what());
  }
}

}  // namespace

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

// NOLINTNEXTLINE(misc-use-internal-linkage, modernize-avoid-c-arrays)
NB_MODULE(_gothic, module) {
  using namespace gothic;
  module.doc() = "What the package gothic is made of; see there.";
  const nanobind::exception<InputError> input_error(module, "InputError", PyExc_ValueError);
  nanobind::register_exception_translator(&python::translate);
  module.def("provenance", [] { return files::entries(files::current_provenance("gothic")); });
  python::define_snapshot(module);
  python::define_models(module);
  python::define_forces(module);
  python::define_simulation(module);
  python::define_options(module);
}
