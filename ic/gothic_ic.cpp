#include <csignal>
#include <iostream>
#include <new>

#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/report_table.hpp"
#include "ic/convert.hpp"
#include "ic/diagnostics.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/parallel.hpp"
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

void make(const Options& options) {
  require_something_to_do(options);
  const std::string output = options.text("output");
  const unsigned threads = threads_or_all(unsigned(options.integer("threads")));
  const Draw draw{.particles = std::size_t(options.integer("particles")),
                  .seed = std::uint32_t(options.integer("seed")),
                  .quiet = options.flag("quiet-start"),
                  .allow_negative = options.flag("allow-negative")};
  const Model model = read_model(options.text("model"));
  const bool writes = !output.empty();
  const Format format = writes ? output_format(options.text("format"), output) : Format::hdf5;
  if (writes) share_particles(model, draw.particles);  // too few are refused before the long work
  const Galaxy galaxy(model, threads);
  const bool check = options.flag("check");
  if (check && !writes) print_diagnostics(std::cout, galaxy);
  if (options.given("table")) write_table(options.text("table"), galaxy);
  if (!draw.allow_negative) galaxy.require_equilibrium();
  if (!writes) return;

  const files::Snapshot snapshot = draw_snapshot(galaxy, draw, threads);
  if (check) print_diagnostics(std::cout, galaxy, &snapshot.particles);
  write_any(output, format, snapshot, provenance(draw, model));
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
  } catch (const std::bad_alloc&) {
    return fail("out of memory; use fewer particles or a machine with more", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
