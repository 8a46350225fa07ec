#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "bindings.hpp"
#include "ic/initial_conditions.hpp"

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
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  const auto chosen = unsigned(options.integer("threads"));
  const unsigned threads = chosen > 0 ? chosen : cores;
  const std::string file = path.string();
  const ic::Model model = text ? ic::parse_model(*text, path) : ic::read_model(path);
  ic::require_enough_particles(model, draw.particles);
  const ic::Galaxy galaxy = ic::make_galaxy(model, file, threads);
  if (!draw.allow_negative) galaxy.require_equilibrium(file);
  held.data = ic::draw_snapshot(galaxy, draw, threads);
  held.origin = ic::provenance(draw, model);
  held.origin.program = "gothic.make_model";
  held.dated = false;
  held.name = file;
}

}  // namespace

void define_models(nb::module_& module) {
  module.def("draw", &draw, "snapshot"_a, "path"_a, "text"_a.none(), "arguments"_a);
}

}  // namespace gothic::python
