#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "app/commands.hpp"
#include "core/setting_error.hpp"
#include "files/error.hpp"
#include "options/command_line.hpp"

namespace gothic {
namespace {

int main_program(int argc, char** argv) {
  const std::string version = files::current_provenance("gothic").version;
  const std::optional<Options> options = read_command_line("gothic", version, argc, argv);
  if (!options) return done;
  const std::string& command = options->command().name;
  const files::Provenance provenance = files::current_provenance(command, argc, argv);
  if (command == "gothic run") return run_command(*options, provenance);
  if (command == "gothic force") return force_command(*options, provenance);
  if (command == "gothic direct") return direct_command(*options, provenance);
  return bench_command(*options, provenance);
}

}  // namespace
}  // namespace gothic

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is reported like a full disk
  try {
    return gothic::main_program(argc, argv);
  } catch (const gothic::InputError& error) {
    std::fprintf(stderr, "gothic: %s\n", error.what());
    return gothic::wrong_usage;
  } catch (const gothic::SettingError& error) {
    std::fprintf(stderr, "gothic: %s\n", error.message(gothic::option_name).c_str());
    return gothic::wrong_usage;
  } catch (const std::bad_alloc& error) {
    std::fprintf(stderr, "gothic: %s\n", gothic::out_of_memory_message(error).c_str());
    return gothic::failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gothic: %s\n", error.what());
    return gothic::failed;
  }
}
