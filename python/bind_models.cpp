#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <string>

#include "bindings.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/parallel.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// Draws a model into a snapshot that nothing was done with.
/// \param text of the model; read from the file `path` where there is none
void draw(HeldSnapshot& held, const std::filesystem::path& path,
          const std::optional<std::string>& text, const Arguments& arguments) {
  const nb::gil_scoped_release others_go_on;
  const Options options = options_of("gothic-ic", arguments);
  const ic::Draw draw{.particles = std::size_t(options.integer("particles")),
                      .seed = std::uint32_t(options.integer("seed")),
                      .quiet = options.flag("quiet-start"),
                      .allow_negative = options.flag("allow-negative")};
  const unsigned threads = ic::threads_or_all(unsigned(options.integer("threads")));
  const ic::Model model = text ? ic::parse_model(*text, path) : ic::read_model(path);
  ic::share_particles(model, draw.particles);  // too few are refused before the long work
  const ic::Galaxy galaxy(model, threads);
  if (!draw.allow_negative) galaxy.require_equilibrium();
  held.data = ic::draw_snapshot(galaxy, draw, threads);
  held.origin = ic::provenance(draw, model);
  held.origin.program = "gothic.make_model";
  held.dated = false;
  held.name = path.string();
}

}  // namespace

void define_models(nb::module_& module) {
  module.def("draw", &draw, "snapshot"_a, "path"_a, "text"_a.none(), "arguments"_a);
}

}  // namespace gothic::python
