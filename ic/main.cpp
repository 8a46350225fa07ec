#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <thread>

#include "files/error.hpp"
#include "files/report_table.hpp"
#include "files/snapshot.hpp"
#include "ic/convert.hpp"
#include "ic/diagnostics.hpp"
#include "ic/galaxy.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/model.hpp"

namespace {

struct Options {
  std::string model;
  gothic::ic::Draw draw;
  std::string output;
  std::string format;
  std::string table;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  bool check = false;
};

void declare(CLI::App& app, Options& options) {
  app.description(
      "Makes the initial conditions of a galaxy model in equilibrium.\n\n"
      "The model is a TOML file that lists spheres, discs and black holes; see config/models,\n"
      "where nfw.toml and milky_way.toml explain every key. All components share one potential;\n"
      "velocities of spheres come from their distribution functions, those of discs from the\n"
      "Jeans equations and orbits of random phase. Particles are written as a GADGET HDF5\n"
      "snapshot, which gothic, yt and pynbody read, or in TIPSY format. The same model, number\n"
      "and seed give the same file, whatever the number of threads.\n\n"
      "Example: gothic-ic config/models/m31.toml --particles 1048576 --output m31.h5");
  app.add_option("model", options.model, "Model file (TOML)")->type_name("MODEL.toml");
  auto* particles = app.add_option("--particles", options.draw.particles, "Number of particles")
                        ->check(CLI::Range(std::size_t{1}, std::size_t{INT32_MAX}).description(""))
                        ->type_name("N");
  auto* output = app.add_option("--output", options.output, "Snapshot to write")->type_name("FILE");
  gothic::ic::declare_format(app, options.format);
  app.add_option("--seed", options.draw.seed, "Seed of the random numbers")
      ->capture_default_str()
      ->type_name("S");
  app.add_flag("--quiet-start", options.draw.quiet,
               "Draw pairs (x, v), (-x, -v) and fill the radii and speeds of spheres evenly: less\n"
               "noise, and centres of mass that cancel by pairs");
  app.add_option("--threads", options.threads, "Number of threads [all cores]")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("T");
  app.add_flag(
      "--check", options.check,
      "Print masses, radii, the distribution function's minimum, virial ratio and profiles\n"
      "of the model; without --output nothing is drawn");
  app.add_option(
         "--table", options.table,
         "Write profiles of the model (density, mass, circular speed, dispersions, rotation,\n"
         "Q, thickness) as CSV")
      ->type_name("FILE.csv");
  app.add_flag("--allow-negative", options.draw.allow_negative,
               "Set the distribution function to zero where it is negative instead of refusing");
  particles->needs(output);
  output->needs(particles);
  gothic::ic::declare_convert(app);
}

void write_table(const std::string& path, const gothic::ic::Galaxy& galaxy) {
  constexpr unsigned per_decade = 16;
  gothic::files::CsvFile(path).finish(gothic::ic::profile_table(galaxy, per_decade));
}

void run(const Options& options) {
  using namespace gothic;
  const ic::Model model = ic::read_model(options.model);
  const auto format =
      options.output.empty() ? ic::Format::hdf5 : ic::output_format(options.format, options.output);
  if (!options.output.empty()) ic::require_enough_particles(model, options.draw.particles);
  const ic::Galaxy galaxy = ic::make_galaxy(model, options.model, options.threads);
  if (options.check && options.output.empty()) ic::print_diagnostics(std::cout, galaxy);
  if (!options.table.empty()) write_table(options.table, galaxy);
  if (!options.draw.allow_negative) galaxy.require_equilibrium(options.model);
  if (options.output.empty()) return;

  const files::Snapshot snapshot = ic::draw_snapshot(galaxy, options.draw, options.threads);
  if (options.check) ic::print_diagnostics(std::cout, galaxy, &snapshot.particles);
  ic::write_any(options.output, format, snapshot, ic::provenance(options.draw, model));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is reported like a full disk
  Options options;
  CLI::App app;
  app.name("gothic-ic");
  declare(app, options);
  try {
    app.parse(argc, argv);
    if (!app.get_subcommands().empty()) return 0;
    if (options.model.empty()) throw CLI::RequiredError("model");
    if (options.output.empty() && options.table.empty() && !options.check) {
      throw CLI::RequiredError("--particles and --output, --table or --check,");
    }
    run(options);
    return 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::cerr << "gothic-ic: " << error.what() << "; see gothic-ic --help\n";
    return 2;
  } catch (const gothic::InputError& error) {
    std::cerr << "gothic-ic: " << error.what() << '\n';
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << "gothic-ic: out of memory; use fewer particles or a machine with more\n";
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "gothic-ic: " << error.what() << '\n';
    return 1;
  }
}
