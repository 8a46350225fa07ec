#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <vector>

#include "app/commands.hpp"
#include "app/cost_estimate.hpp"
#include "core/device/host.hpp"
#include "core/messages/slices.hpp"
#include "core/observers/conserved.hpp"
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
  Forces forces;
  simulation.save(snapshot.particles, forces);
  if (run.checkpoint_interval > 0 || run.final_checkpoint) {
    files::Checkpoint checkpoint = new_checkpoint(simulation, snapshot, snapshot.time);
    use_parts(ranks, checkpoint, [](const files::Checkpoint&) {});
  }
  const RankMemory own{simulation.memory(), host_memory()};
  return gathered(ranks, own);
}

/// The step that a particle with this force takes, a power of two.
double block_step(const SampledForce& one, double eta, const ForceOptions& force) {
  const auto& [x, y, z] = one.exact;
  const double step =
      time_step(float(x * x + y * y + z * z), eta, force.softening_of(one.component));
  return step < 1e30 ? std::exp2(std::floor(std::log2(step))) : 0;
}

/// How exactly the particles will move.
struct Exactness {
  Conserved sums;                  ///< at the start
  ForceErrorRecord forces, steps;  ///< relative errors
  double particles, span;
};

void print_exactness(const Exactness& about, const ForceOptions& force) {
  const auto both = [](const ForceErrorRecord& errors) {
    return formatted("{:.1e}", errors.median) + ", " + formatted("{:.1e}", errors.percentile_99);
  };
  const double work = about.span / about.sums.total();
  const double relaxation =
      relaxation_time(about.sums, about.particles, force.acceptance.gravity, force.softening);
  const Remedies remedies =
      remedies_for(force, about.sums.mass, about.particles, about.forces.acceleration);
  std::cout << "\nRelative to the accelerations: median, 99 %\n";
  print("errors of forces", both(about.forces),
        "accuracy " + formatted("{:.3g}", about.forces.accuracy) + ", " +
            order_names[int(about.forces.order)]);
  print("errors of steps", both(about.steps), "by the trapezoidal rule");
  print("most of it from", advice(about.forces, about.steps, remedies));
  std::cout << "\nIn the whole run\n";
  print("work of force errors",
        fmt::format("{} +- {}", formatted("{:.0e}", about.forces.work * work),
                    formatted("{:.0e}", std::abs(about.forces.work_error * work))),
        "of the energy, if they stay as they are");
  print("encounters", formatted("{:.2g}", about.span / relaxation), "of the relaxation time");
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
  const Conserved sums = simulation->energy().sums;
  const ForceSample sample = simulation->force_sample();
  const ForceCost first_force = simulation->facts().first_force;
  const StepCost cost = measured_cost(first_force, take_steps(*simulation, ranks), all,
                                      step_options.rebuild_interval);
  const CostEstimate expectation = estimated(levels, cost);
  const auto step_of = [&](const SampledForce& one) {
    const double shortest_of_all = levels.front().step;
    if (step_options.rule.mode != StepRule::Mode::block) return shortest_of_all;
    return block_step(one, step_options.rule.eta, simulation->facts().force);
  };
  const ForceErrorRecord of_steps = step_errors(sample, simulation->force_sample(), step_of);
  const double shortest = expectation.shortest_step;
  const double steps = run.steps > 0 ? double(run.steps) : std::ceil(run.time / shortest);
  const double end = start + (run.time > 0 ? run.time : steps * shortest);
  const std::vector<RankMemory> memory = measured_memory(*simulation, snapshot, run, ranks);
  const std::map<std::string, std::string> values = settings.provenance(snapshot);
  const std::string too_long = length_warning(steps, steps * expectation.seconds_per_step, [&] {
    return particles_of(*simulation, snapshot, ranks).shortest().particle;
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
  if (sums.mass > 0) {
    print_exactness({sums, force_errors(sample).front(), of_steps, particles, end - start},
                    facts.force);
  }
  if (facts.force.external.count == 0) warn(virial_warning(ratio, all));
  if (run.steps == 0) warn(too_long);
}

}  // namespace gothic
