#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>

#include "bindings.hpp"
#include "ic/initial_conditions.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

HeldSnapshot draw(const std::filesystem::path& path, const Arguments& arguments) {
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
  const ic::Model model = ic::read_model(path);
  ic::require_enough_particles(model, draw.particles);
  const ic::Galaxy galaxy = ic::make_galaxy(model, file, threads);
  if (!draw.allow_negative) galaxy.require_equilibrium(file);
  HeldSnapshot held;
  held.data = ic::draw_snapshot(galaxy, draw, threads);
  held.origin = ic::provenance(draw, model);
  held.origin.program = "gothic.make_model";
  held.dated = false;
  held.name = file;
  return held;
}

}  // namespace

void define_models(nb::module_& module) { module.def("draw", &draw, "path"_a, "arguments"_a); }

}  // namespace gothic::python
