#include "io/provenance.hpp"

#include <ctime>

#include "io/attribute.hpp"
#include "revision.hpp"

namespace gothic::io {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace

Provenance current_provenance(std::string program, int argc, const char* const* argv) {
  Provenance provenance{.program = std::move(program),
                        .version = GOTHIC_VERSION,
                        .revision = source_revision,
                        .compiler = GOTHIC_COMPILER,
                        .device = {},
                        .command_line = {},
                        .date = utc_now(),
                        .options = {}};
  for (int i = 0; i < argc; ++i) {
    if (i > 0) provenance.command_line += ' ';
    provenance.command_line += argv[i];
  }
  return provenance;
}

void write_provenance(hid_t file, const Provenance& provenance) {
  write_attributes(file, "Provenance",
                   {{"program", provenance.program},
                    {"version", provenance.version},
                    {"revision", provenance.revision},
                    {"compiler", provenance.compiler},
                    {"device", provenance.device},
                    {"command_line", provenance.command_line},
                    {"date", provenance.date}});
  write_attributes(file, "Options",
                   Attributes(provenance.options.begin(), provenance.options.end()));
}

}  // namespace gothic::io
