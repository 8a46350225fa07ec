#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <vector>

#include "app/commands.hpp"
#include "app/cost_estimate.hpp"
#include "core/device/host.hpp"
#include "core/messages/slices.hpp"
#include "files/output_file.hpp"
#include "files/text.hpp"
#include "parallel/rank_device.hpp"
#include "run/disk_use.hpp"
#include "run/files_of_ranks.hpp"
#include "run/observers.hpp"
#include "run/run_monitor.hpp"

namespace gothic {
namespace {

using files::bytes;
using files::duration;
using files::formatted;

/// Memory of the host for the buffers and caches of a run's open files; measured.
constexpr double bytes_of_open_files = 10e6;

void print(const std::string& name, const std::string& value, const std::string& remark = "") {
  std::cout << "  " << std::left << std::setw(26) << name;
  if (remark.empty()) {
    std::cout << value << '\n';
  } else {
    std::cout << std::setw(24) << value << ' ' << remark << '\n';
  }
}

/// Prints every option with its value and where the value comes from. Options that are left to the
/// device have the device's choice.
void print_options(const Settings& settings, const std::map<std::string, std::string>& values,
                   const SimulationFacts& facts) {
  std::map<std::string, std::string> origins = settings.options().origins();
  if (origins.at("softening") == "default") {
    origins["softening"] = settings.options().text("input");
  }
  const ForceOptions& force = facts.force;
  const std::map<std::string, std::string> chosen = {
      {"device", facts.device.name},
      {"threads", std::to_string(facts.threads)},
      {"order", order_names[int(force.acceptance.order)]},
      {"leaf-capacity", std::to_string(force.leaf_capacity)},
      {"list-capacity", std::to_string(force.list_capacity)},
      {"group-size", std::to_string(force.group_size)},
      {"sharing", std::to_string(force.sharing)},
      {"root", force.root == RootChoice::newton ? "newton" : "estimate"},
      {"warp-threads", std::to_string(facts.blocks.warp_threads)},
      {"index-threads", std::to_string(facts.blocks.index_threads)}};
  std::cout << "Options\n";
  for (const auto& [name, value] : values) {
    if (!origins.contains(name)) continue;  // the text of a file, no option
    std::string shown = value, origin = origins.at(name);
    const bool is_left_to_device = value == "0" || value == "auto";
    const auto own = chosen.find(name);
    if (own != chosen.end() && is_left_to_device && own->second != value) {
      shown = own->second;
      origin = origin == "default" ? "device" : std::string("device, ").append(origin);
    }
    print(name, shown.empty() ? "-" : shown, origin);
  }
}

/// Some steps, to see what they cost: at most eight, and no more once they have taken a second.
std::vector<StepRecord> take_steps(Simulation& simulation, Communicator& ranks) {
  constexpr std::size_t most = 8;
  constexpr double enough = 1;
  std::vector<StepRecord> steps;
  RunTime time(ranks);
  const double start = time.seconds();
  while (steps.size() < most && !simulation.finished() &&
         (steps.empty() || time.seconds() - start < enough)) {
    steps.push_back(simulation.step());
    time.renew(false);
  }
  return steps;
}

double seconds_of(const ForceCost& cost) {
  return cost.keys + cost.sort + cost.build + cost.groups + cost.moments + cost.walk;
}

void print_levels(const StepLevels& levels, double particles) {
  std::cout << "\nParticles by the step that they take first\n";
  for (const StepLevel& level : levels) {
    print(files::shortest(level.step), std::to_string(level.particles),
          formatted("{:.3g} %", 100 * level.particles / particles));
  }
}

void print_time(const SimulationFacts& facts, const RunClock& clock, double steps,
                const CostEstimate& expectation) {
  std::cout << "\nExpected, as long as the particles keep these steps\n";
  print("shortest step", files::shortest(expectation.shortest_step));
  print("steps in a longest one", formatted("{:.0f}", expectation.steps_per_longest));
  print("active particles", formatted("{:.3g} %", 100 * expectation.active), "mean of the steps");
  print("steps with one tree", formatted("{:.2g}", expectation.tree_interval));
  print("steps in all", formatted("{:.0f}", steps));
  print("first force", duration(facts.bootstrap_seconds + seconds_of(facts.first_force)));
  print("time per step", duration(expectation.seconds_per_step), "mean");
  print("time of the run",
        duration(clock.read + clock.set_up + steps * expectation.seconds_per_step),
        "files not included");
}

/// \param message empty for none
void warn(const std::string& message) {
  if (!message.empty()) std::cerr << "gothic: warning: " << message << std::endl;
}

/// Memory of one rank, in bytes.
struct RankMemory {
  MemoryUse device;
  HostMemory host;
};

/// A run takes most memory when it saves its state: so that is done here as in run().
/// \returns the memory of every rank
std::vector<RankMemory> measured_memory(Simulation& simulation, files::Snapshot& snapshot,
                                        const RunOptions& run, Communicator& ranks) {
  {
    Forces forces;
    simulation.save(snapshot.particles, forces);
    // One rank copies what it writes while the run goes on.
    const files::Particles copy = ranks.size() == 1 ? snapshot.particles : files::Particles();
  }
  if (run.checkpoint_interval > 0 || run.final_checkpoint) {
    files::Checkpoint checkpoint = new_checkpoint(simulation, snapshot, snapshot.time);
    use_parts(ranks, checkpoint, [](const files::Checkpoint&) {});
  }
  const RankMemory own{simulation.memory(), host_memory()};
  return gathered(ranks, own);
}

void print_memory(const std::vector<RankMemory>& ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankMemory& memory = ranks[rank];
    std::cout << "\nMemory" << (ranks.size() > 1 ? " of rank " + std::to_string(rank) : "") << '\n';
    print("of the device", bytes(double(memory.device.used)),
          bytes(double(memory.device.free)) + " are free");
    print("of the host, at most", bytes(double(memory.host.peak) + bytes_of_open_files),
          bytes(double(memory.host.available)) + " are free");
  }
}

void print_disk(const std::filesystem::path& output, const DiskUse& use) {
  std::cout << "\nDisk\n";
  print("each snapshot", bytes(use.snapshot), std::to_string(use.snapshots) + " of them");
  print("each checkpoint", bytes(use.checkpoint),
        "at most " + std::to_string(use.checkpoints) + " of them");
  print("logs", bytes(use.logs));
  print("free", bytes(files::free_space(output).value_or(0)), output.string());
  warn(disk_warning(use, output));
}

}  // namespace

void dry_run(const Settings& settings, files::Snapshot snapshot, RunClock clock,
             parallel::World& world) {
  Communicator& ranks = world.ranks();
  const double start = snapshot.time;
  const auto all = std::uint32_t(slices_of(ranks, snapshot.particles.size()).all);
  const double particles = all;
  const RunOptions run = settings.run(snapshot);
  const StepOptions step_options = settings.steps(snapshot.units);
  const auto engine = make_engine(parallel::rank_device(settings.device(), world), ranks);
  const auto simulation =
      engine->simulation(snapshot.particles, snapshot.time, settings.force(snapshot), step_options);
  clock.set_up = steady_seconds() - clock.start - clock.read;
  const StepLevels levels = simulation->levels();
  const double ratio = virial_ratio(*simulation);
  const ForceErrorRecord errors = force_errors(simulation->force_sample()).front();
  const ForceCost first_force = simulation->facts().first_force;
  const StepCost cost = measured_cost(first_force, take_steps(*simulation, ranks), all,
                                      step_options.rebuild_interval);
  const CostEstimate expectation = estimated(levels, cost);
  const double shortest = expectation.shortest_step;
  const double steps = run.steps > 0 ? double(run.steps) : std::ceil(run.time / shortest);
  const double end = start + (run.time > 0 ? run.time : steps * shortest);
  const std::vector<RankMemory> memory = measured_memory(*simulation, snapshot, run, ranks);
  const std::map<std::string, std::string> values = settings.provenance(snapshot);
  const std::string too_long = length_warning(steps, steps * expectation.seconds_per_step, [&] {
    return particles_of(*simulation, *engine, snapshot, ranks).shortest().particle;
  });
  if (!leads(ranks)) return;
  const SimulationFacts facts = simulation->facts();
  print_options(settings, values, facts);
  print_memory(memory);
  print_disk(settings.options().file("output"), disk_use(run, particles, start, end, steps));
  print_levels(levels, particles);
  print_time(facts, clock, steps, expectation);
  std::cout << "\nState at the start\n";
  print("virial ratio", formatted("{:.3g}", ratio), "1 in equilibrium");
  print("force error, 99 %", formatted("{:.2g}", errors.percentile_99),
        "accuracy " + formatted("{:.3g}", errors.accuracy) + ", " + order_names[int(errors.order)]);
  if (facts.force.external.count == 0) warn(virial_warning(ratio, all));
  if (run.steps == 0) warn(too_long);
}

}  // namespace gothic
