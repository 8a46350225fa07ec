#include <unistd.h>

#include <csignal>
#include <iostream>
#include <new>

#include "core/setting_error.hpp"
#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/report_table.hpp"
#include "files/text.hpp"
#include "ic/convert.hpp"
#include "ic/diagnostics.hpp"
#include "ic/draw_options.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/relaxation.hpp"
#include "ic/softening.hpp"
#include "options/command_line.hpp"

namespace gothic::ic {
namespace {

void write_table(const std::string& path, const Galaxy& galaxy) {
  constexpr unsigned per_decade = 16;
  files::ByteFile file(path);
  files::write_csv(file.out(), profile_table(galaxy, per_decade));
  file.commit();
}

void require_something_to_do(const Options& options) {
  if (!options.given("model")) throw InputError("model is required; see gothic-ic --help");
  for (const char* name : {"output", "table", "check"}) {
    if (options.given(name)) return;
  }
  throw InputError(
      "--particles and --output, --table or --check, is required; see gothic-ic --help");
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    std::cerr << "gothic-ic: warning: " << warning << '\n';
}

/// Tells on a terminal how far it has got.
files::Snapshot draw_shown(const Galaxy& galaxy, const Draw& draw, double softening) {
  if (isatty(STDERR_FILENO) == 0) return draw_snapshot(galaxy, draw, softening);
  const auto bytes = static_cast<double>(memory_of(draw.particles));
  const std::string what =
      "gothic-ic: drawing " + std::to_string(draw.particles) + " particles, " + files::bytes(bytes);
  Progress progress(std::cerr, what, draw.particles);
  return draw_snapshot(galaxy, draw, softening, &progress);
}

void make(const Options& options) {
  require_something_to_do(options);
  const std::string output = options.text("output");
  const Model model = read_model(options.text("model"));
  const Draw draw = draw_of(options, model.units);
  const bool writes = !output.empty();
  const Format format = writes ? output_format(options.text("format"), output) : Format::hdf5;
  std::vector<Sample> samples;  // too few are refused before the long work
  if (writes) samples = samples_of(model, draw.particles);
  const Galaxy galaxy(model, draw.threads);
  const bool check = options.flag("check");
  if (check && !writes) print_diagnostics(std::cout, galaxy);
  if (options.given("table")) write_table(options.text("table"), galaxy);
  if (!draw.allow_negative) galaxy.require_equilibrium(options.shown("allow-negative"));
  if (!writes) {
    warn(galaxy.warnings());
    return;
  }

  const double softening = run_softening(galaxy, samples);
  const files::Snapshot snapshot = draw_shown(galaxy, draw, softening);
  if (check) print_diagnostics(std::cout, galaxy, &snapshot.particles);
  write_any(output, format, snapshot, provenance(draw, model));
  print(std::cout, sample_table(galaxy, samples, softening));
  warn(galaxy.warnings());
  warn(encounter_warnings(galaxy, samples, softening, draw.duration));
}

int fail(const std::string& message, int status) {
  std::cerr << "gothic-ic: " << message << '\n';
  return status;
}

int main_program(int argc, char** argv) {
  const std::string version = files::current_provenance("gothic-ic").version;
  const std::optional<Options> options = read_command_line("gothic-ic", version, argc, argv);
  if (!options) return 0;
  if (options->command().name == "gothic-ic convert") {
    convert(options->text("input"), options->text("output"), options->text("format"));
  } else {
    make(*options);
  }
  return 0;
}

}  // namespace
}  // namespace gothic::ic

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is reported like a full disk
  using gothic::ic::fail;
  try {
    return gothic::ic::main_program(argc, argv);
  } catch (const gothic::InputError& error) {
    return fail(error.what(), 2);
  } catch (const gothic::SettingError& error) {
    return fail(error.message(gothic::option_name), 2);
  } catch (const std::bad_alloc& error) {
    return fail(gothic::out_of_memory_message(error), 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
