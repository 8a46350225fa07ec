#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>

#include "bindings.hpp"
#include "files/error.hpp"
#include "ic/initial_conditions.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

HeldSnapshot draw(const ic::Model& model, const std::string& file, const ic::Draw& draw,
                  unsigned threads) {
  if (draw.particles > std::size_t{std::numeric_limits<std::int32_t>::max()}) {
    throw InputError("particles: are more than 2147483647; give fewer");
  }
  ic::require_enough_particles(model, draw.particles);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
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

void define_models(nb::module_& module) {
  module.def(
      "draw",
      [](const std::filesystem::path& path, std::size_t particles, std::uint32_t seed, bool quiet,
         bool allow_negative, unsigned threads) {
        const nb::gil_scoped_release others_go_on;
        return draw(ic::read_model(path), path.string(), {particles, seed, quiet, allow_negative},
                    threads);
      },
      "path"_a, "particles"_a, "seed"_a, "quiet"_a, "allow_negative"_a, "threads"_a);
}

}  // namespace gothic::python
