#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>

#include "core/setting_error.hpp"
#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/report_table.hpp"
#include "files/text.hpp"
#include "files/tipsy.hpp"
#include "files/units_file.hpp"
#include "ic/convert.hpp"
#include "ic/diagnostics.hpp"
#include "ic/draw_options.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/relaxation.hpp"
#include "ic/softening.hpp"
#include "settings/command_line.hpp"
#include "settings/kept_files.hpp"
#include "settings/reading_options.hpp"

namespace gothic::ic {
namespace {

/// Writes the profiles, and in every row what model they are of.
void write_table(const std::string& path, const Galaxy& galaxy) {
  constexpr unsigned per_decade = 16;
  const files::ReportTable profiles = profile_table(galaxy, per_decade);
  files::ReportTable named;
  for (files::ReportRow row : profiles.rows()) {
    row.put("model", galaxy.model().name).put("model_digest", galaxy.model().digest);
    named.add(std::move(row));
  }
  files::ByteFile file(path);
  files::write_csv(file.out(), named);
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

std::vector<ReadFile> tables_of(const Model& model) {
  std::vector<ReadFile> tables;
  for (const Component& component : model.components) {
    if (!component.table.empty()) {
      tables.push_back({"the table of component '" + component.name + "'", component.table});
    }
  }
  return tables;
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    std::cerr << "gothic-ic: warning: " << warning << '\n';
}

/// Draws particles into a file, and tells on a terminal how far it has got.
template <class Writer>
void draw_into(Writer&& writer, const Galaxy& galaxy, const Draw& draw, ParticleSums* sums) {
  std::optional<Progress> progress;
  if (isatty(STDERR_FILENO) != 0) {
    const auto bytes = static_cast<double>(memory_of_block(draw));
    const std::string what = "gothic-ic: drawing " + std::to_string(draw.particles) +
                             " particles with " + files::bytes(bytes) + " of memory";
    progress.emplace(std::cerr, what, particles_to_draw(galaxy.model(), draw));
  }
  const auto take = [&](const files::Particles& block) {
    writer.add(block);
    if (sums) sums->add(block);
  };
  draw_blocks(galaxy, draw, take, progress ? &*progress : nullptr);
  writer.commit();
}

void draw_into(const std::string& output, Format format, const Galaxy& galaxy, const Draw& draw,
               double softening, ParticleSums* sums) {
  const files::Snapshot about = empty_snapshot(galaxy, softening);
  const files::TypeCounts counts = type_counts(galaxy.model(), draw);
  const files::Provenance origin = provenance(draw, galaxy.model());
  if (format == Format::hdf5) {
    draw_into(files::SnapshotWriter(output, about, counts, origin), galaxy, draw, sums);
  } else {
    draw_into(files::TipsyWriter(output, about, counts, origin), galaxy, draw, sums);
  }
}

void make(const Options& options) {
  require_something_to_do(options);
  const std::string output = options.text("output");
  const Model model = read_model(options.text("model"));
  keep_files(options, tables_of(model));
  const Draw draw = draw_of(options, model.units);
  const bool writes = !output.empty();
  const Format format = writes ? output_format(options.text("format"), output) : Format::hdf5;
  std::vector<Sample> samples;  // too few, and too many, are refused before the long work
  if (writes) {
    samples = samples_of(model, draw.particles);
    const double bytes =
        format == Format::hdf5 ? files::bytes_of_particle : files::bytes_of_tipsy_particle;
    files::require_space(output, bytes * static_cast<double>(draw.particles));
  }
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
  std::optional<ParticleSums> sums;
  if (check) sums.emplace(galaxy);
  draw_into(output, format, galaxy, draw, softening, sums ? &*sums : nullptr);
  if (check) print_diagnostics(std::cout, galaxy, &*sums);
  print(std::cout, sample_table(galaxy, samples, softening));
  warn(galaxy.warnings());
  warn(encounter_warnings(galaxy, samples, softening, draw.duration));
}

int fail(const std::string& message, int status) {
  std::cerr << "gothic-ic: " << message << '\n';
  return status;
}

void main_program(int argc, char** argv) {
  const std::optional<Options> options =
      read_command_line("gothic-ic", files::version(), argc, argv);
  if (!options) return;
  if (options->command().name == "gothic-ic convert") {
    keep_files(*options, {{"the units of the input", files::units_path(options->text("input"))}});
    convert(options->text("input"), options->text("output"), options->text("format"),
            reading_of(*options, "gothic-ic"));
  } else {
    make(*options);
  }
}

}  // namespace
}  // namespace gothic::ic

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is reported like a full disk
  using gothic::ic::fail;
  try {
    gothic::ic::main_program(argc, argv);
    gothic::require_printed();
    return 0;
  } catch (const gothic::InputError& error) {
    return fail(error.what(), 2);
  } catch (const gothic::SettingError& error) {
    return fail(error.message(gothic::option_name), 2);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(gothic::bad_path_message(error), 2);
  } catch (const std::bad_alloc& error) {
    return fail(gothic::out_of_memory_message(error), 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
