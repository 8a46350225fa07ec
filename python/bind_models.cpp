#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "ic/draw_options.hpp"
#include "ic/relaxation.hpp"
#include "ic/softening.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// A model that can be drawn, and what is drawn of it.
struct Drawable {
  ic::Draw draw;
  std::vector<ic::Sample> samples;
  ic::Galaxy galaxy;
};

/// Judges a model as gothic-ic does before it draws.
/// \param text text of the model; if there is none, the file `path` is read
Drawable drawable(const std::filesystem::path& path, const std::optional<std::string>& text,
                  const Arguments& arguments) {
  const Options options = options_of("gothic-ic", arguments);
  const ic::Model model = text ? ic::parse_model(*text, path) : ic::read_model(path);
  const ic::Draw draw = ic::draw_of(options, model.units);
  std::vector<ic::Sample> samples =
      ic::samples_of(model, draw.particles);  // too few are refused before the long work
  ic::Galaxy galaxy(model, draw.threads);
  if (!draw.allow_negative) galaxy.require_equilibrium(options.shown("allow-negative") + "=True");
  return {draw, std::move(samples), std::move(galaxy)};
}

/// Judges a model without drawing it. Returns its units in cgs.
CgsUnits judge(const std::filesystem::path& path, const std::optional<std::string>& text,
               const Arguments& arguments) {
  const nb::gil_scoped_release others_go_on;
  return in_cgs(drawable(path, text, arguments).galaxy.model().units);
}

/// Draws a model into a new snapshot. Returns warnings.
std::vector<std::string> draw(HeldSnapshot& held, const std::filesystem::path& path,
                              const std::optional<std::string>& text, const Arguments& arguments) {
  const nb::gil_scoped_release others_go_on;
  const auto [draw, samples, galaxy] = drawable(path, text, arguments);
  const double softening = ic::run_softening(galaxy, samples);
  held.data = ic::draw_snapshot(galaxy, draw, softening);
  held.origin = ic::provenance(draw, galaxy.model());
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
  module.def("judge_model", &judge, "path"_a, "text"_a.none(), "arguments"_a);
  module.def(
      "model_identity",
      [](const std::filesystem::path& path) {
        const ic::Model model = ic::read_model(path);
        return std::pair(model.name, model.digest);
      },
      "path"_a);
}

}  // namespace gothic::python
