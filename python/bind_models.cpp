#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "bindings.hpp"
#include "ic/draw_options.hpp"
#include "ic/relaxation.hpp"
#include "ic/softening.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// Draws a model into a new snapshot. Returns warnings.
/// \param text text of the model; if there is none, the file `path` is read
std::vector<std::string> draw(HeldSnapshot& held, const std::filesystem::path& path,
                              const std::optional<std::string>& text, const Arguments& arguments) {
  const nb::gil_scoped_release others_go_on;
  const Options options = options_of("gothic-ic", arguments);
  const ic::Model model = text ? ic::parse_model(*text, path) : ic::read_model(path);
  const ic::Draw draw = ic::draw_of(options, model.units);
  const auto samples =
      ic::samples_of(model, draw.particles);  // too few are refused before the long work
  const ic::Galaxy galaxy(model, draw.threads);
  if (!draw.allow_negative) galaxy.require_equilibrium(options.shown("allow-negative") + "=True");
  const double softening = ic::run_softening(galaxy, samples);
  held.data = ic::draw_snapshot(galaxy, draw, softening);
  held.origin = ic::provenance(draw, model);
  held.origin.program = "gothic.make_model";
  held.dated = false;
  held.name = path.string();
  std::vector<std::string> warnings = galaxy.warnings();
  std::ranges::move(ic::encounter_warnings(galaxy, samples, softening, draw.duration),
                    std::back_inserter(warnings));
  return warnings;
}

}  // namespace

void define_models(nb::module_& module) {
  module.def("draw", &draw, "snapshot"_a, "path"_a, "text"_a.none(), "arguments"_a);
}

}  // namespace gothic::python
