#include "files/provenance.hpp"

#include <ctime>

#include "core/device/cpu/simd.hpp"
#include "files/hdf5.hpp"
#include "files/input_file.hpp"
#include "files/machine.hpp"
#include "revision.hpp"

namespace gothic::files {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

/// Compiler, options, and the width of a warp on the CPU, which -march=native does not tell.
std::string compiler() {
  return GOTHIC_COMPILER ", " + std::to_string(8 * sizeof(cpu::Float)) + "-bit vectors";
}

}  // namespace

std::string version() { return GOTHIC_VERSION; }

Provenance current_provenance(std::string program, int argc, const char* const* argv) {
  Provenance provenance{.program = std::move(program),
                        .version = version(),
                        .revision = source_revision,
                        .compiler = compiler(),
                        .device = {},
                        .machine = host_facts(),
                        .command_line = {},
                        .date = utc_now(),
                        .options = {}};
  for (int i = 0; i < argc; ++i) {
    if (i > 0) provenance.command_line += ' ';
    provenance.command_line += argv[i];
  }
  return provenance;
}

void Provenance::set(const DeviceIdentity& identity) {
  device = identity.name;
  if (!identity.facts.empty()) machine += (machine.empty() ? "" : ", ") + identity.facts;
}

std::map<std::string, std::string> entries(const Provenance& provenance) {
  std::map<std::string, std::string> result = {{"program", provenance.program},
                                               {"version", provenance.version},
                                               {"revision", provenance.revision},
                                               {"compiler", provenance.compiler},
                                               {"device", provenance.device},
                                               {"machine", provenance.machine},
                                               {"command_line", provenance.command_line},
                                               {"date", provenance.date}};
  std::erase_if(result, [](const auto& entry) { return entry.second.empty(); });
  return result;
}

void write_provenance(hid_t file, const Provenance& provenance) {
  const std::map<std::string, std::string> fixed = entries(provenance);
  write_attributes(file, "Provenance", Attributes(fixed.begin(), fixed.end()));
  write_attributes(file, "Options",
                   Attributes(provenance.options.begin(), provenance.options.end()));
}

std::map<std::string, std::string> read_origin(const std::filesystem::path& path) {
  const InputFile file(path);
  std::map<std::string, std::string> origin = file.text_attributes("/Provenance");
  origin.merge(file.text_attributes("/Options"));
  return origin;
}

}  // namespace gothic::files
