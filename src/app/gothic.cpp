#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/commands.hpp"
#include "core/device/host.hpp"
#include "core/setting_error.hpp"
#include "files/error.hpp"
#include "run/agreement.hpp"
#include "settings/command_line.hpp"

namespace gothic {
namespace {

/// Throws InputError unless all ranks were started with the same options.
void require_same_options(Communicator& ranks, const Options& options) {
  std::string all;
  for (const auto& [name, value] : options.values()) {
    all.append(name).append("=").append(value).append("\n");
  }
  const std::vector<std::size_t> found = gathered(ranks, std::hash<std::string>()(all));
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    if (found[rank] == found.front()) continue;
    throw InputError("rank " + std::to_string(rank) +
                     " was started with other options than rank 0; start all with the same");
  }
}

void refuse_ranks(parallel::World& world, const std::string& command) {
  if (world.ranks().size() == 1) return;
  throw InputError(command + " runs on one device, and was started on " +
                   std::to_string(world.ranks().size()) + " ranks; leave out mpirun or srun");
}

int main_program(const std::optional<Options>& options, const files::Provenance& provenance,
                 parallel::World& world) {
  if (!options) return done;
  require_same_options(world.ranks(), *options);
  if (options->has("threads")) use_host_threads(int(options->integer("threads")));
  const std::string& command = options->command().name;
  if (command == "gothic run") return run_command(*options, provenance, world);
  if (command == "gothic force") return force_command(*options, provenance, world);
  refuse_ranks(world, command);
  if (command == "gothic direct") return direct_command(*options, provenance, world);
  return bench_command(*options, provenance);
}

/// What goes wrong, in one line, and the exit status.
struct Failure {
  std::string message;
  int status;
};

/// The failure that the exception being handled means.
Failure present_failure() {
  try {
    throw;
  } catch (const InputError& error) {
    return {error.what(), wrong_usage};
  } catch (const SettingError& error) {
    return {error.message(option_name), wrong_usage};
  } catch (const std::filesystem::filesystem_error& error) {
    return {bad_path_message(error), wrong_usage};
  } catch (const std::bad_alloc& error) {
    return {out_of_memory_message(error), failed};
  } catch (const std::exception& error) {
    return {error.what(), failed};
  }
}

/// How long a rank that fails waits for the others to fail too.
constexpr std::chrono::seconds patience(2);

/// Ends all ranks with a message of this rank. Where all ranks fail, only the lowest one with a
/// message speaks, and the others wait until it ends them.
[[noreturn]] void end_all(parallel::World& world, const Failure& failure) {
  std::signal(SIGTERM, SIG_DFL);  // by which the launcher ends ranks that wait
  const int own = world.ranks().rank();
  if (world.first_to_tell(true, patience).value_or(own) != own) {
    for (;;) std::this_thread::sleep_for(patience);
  }
  std::fprintf(stderr, "gothic: rank %d: %s\n", own, failure.message.c_str());
  world.abort(failure.status);
}

}  // namespace
}  // namespace gothic

int main(int argc, char** argv) {
  using namespace gothic;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is reported like a full disk
  // Kernels are loaded while the input is read, not within the first force.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  std::unique_ptr<parallel::World> world;
  try {
    world = std::make_unique<parallel::World>();
    const std::optional<Options> options =
        read_command_line("gothic", files::version(), argc, argv);
    const std::string command = options ? options->command().name : "gothic";
    const int status =
        main_program(options, files::current_provenance(command, argc, argv), *world);
    require_printed();
    return status;
  } catch (const FailedElsewhere& error) {
    world->first_to_tell(false, patience);  // the other rank asks as well, and speaks
    return error.fault == Fault::usage ? wrong_usage : failed;
  } catch (...) {
    const Failure failure = present_failure();
    if (world && world->ranks().size() > 1) end_all(*world, failure);
    std::fprintf(stderr, "gothic: %s\n", failure.message.c_str());
    return failure.status;
  }
}
