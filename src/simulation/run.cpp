#include "simulation/run.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <stdexcept>
#include <string>

#include "io/error.hpp"
#include "io/table.hpp"

namespace gothic {

namespace {

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int) { stop_requested = 1; }

using Kind = io::TableWriter::Kind;

/// steps.h5: one row per step.
class StepLog {
 public:
  StepLog(const std::filesystem::path& folder, const io::Provenance& provenance)
      : table_(folder / "steps.h5", "Steps",
               {{"step", Kind::integer},
                {"time", Kind::real},
                {"dt", Kind::real},
                {"active", Kind::integer},
                {"groups", Kind::integer},
                {"interactions", Kind::integer},
                {"cells_judged", Kind::integer},
                {"rebuilt", Kind::integer},
                {"level_min", Kind::integer},
                {"level_max", Kind::integer},
                {"predict", Kind::real},
                {"keys", Kind::real},
                {"sort", Kind::real},
                {"build", Kind::real},
                {"groups_time", Kind::real},
                {"moments", Kind::real},
                {"walk", Kind::real},
                {"correct", Kind::real},
                {"total", Kind::real},
                {"sharing", Kind::integer},
                {"group_extent", Kind::real}},
               provenance) {}

  void append(const StepRecord& r) {
    const auto integer = [](auto value) { return std::int64_t(value); };
    table_.append({r.step,
                   r.time,
                   r.dt,
                   integer(r.active),
                   integer(r.force.group_count),
                   integer(r.force.interactions),
                   integer(r.force.cells_judged),
                   integer(r.rebuilt),
                   integer(r.level_min),
                   integer(r.level_max),
                   r.predict,
                   r.force.keys,
                   r.force.sort,
                   r.force.build,
                   r.force.groups,
                   r.force.moments,
                   r.force.walk,
                   r.correct,
                   r.total,
                   integer(r.force.sharing),
                   double(r.force.group_extent)});
    interactions_ += integer(r.force.interactions);
  }

  void finish(const io::Attributes& timing) {
    io::Attributes all = timing;
    all["steps"] = std::int64_t(table_.rows());
    all["interactions_total"] = interactions_;
    table_.set_attributes("Timing", all);
    table_.finish();
  }

 private:
  io::TableWriter table_;
  std::int64_t interactions_ = 0;
};

/// energy.h5: one row whenever all particles are at one time.
class EnergyLog {
 public:
  EnergyLog(const std::filesystem::path& folder, const io::Provenance& provenance)
      : table_(folder / "energy.h5", "Energy",
               {{"step", Kind::integer},
                {"time", Kind::real},
                {"kinetic", Kind::real},
                {"potential", Kind::real},
                {"total", Kind::real},
                {"virial_ratio", Kind::real},
                {"momentum_x", Kind::real},
                {"momentum_y", Kind::real},
                {"momentum_z", Kind::real},
                {"angular_momentum_x", Kind::real},
                {"angular_momentum_y", Kind::real},
                {"angular_momentum_z", Kind::real},
                {"center_x", Kind::real},
                {"center_y", Kind::real},
                {"center_z", Kind::real}},
               provenance) {}

  void append(std::int64_t step, double time, const Conserved& c) {
    if (!std::isfinite(c.total())) {
      throw std::runtime_error("the energy became infinite at time " + std::to_string(time) +
                               "; use a smaller --eta or a larger --softening");
    }
    table_.append({step, time, c.kinetic, c.potential, c.total(), c.virial_ratio(), c.momentum[0],
                   c.momentum[1], c.momentum[2], c.angular_momentum[0], c.angular_momentum[1],
                   c.angular_momentum[2], c.center[0], c.center[1], c.center[2]});
  }

  void finish() { table_.finish(); }

 private:
  io::TableWriter table_;
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, request_stop);
}

void make_output_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError("--output " + folder.string() + ": the folder cannot be made (" +
                     error.message() + "); choose another one");
  }
}

RunEnd run(Simulation& simulation, io::Snapshot& snapshot, const std::filesystem::path& folder,
           const RunLimits& limits, bool write_snapshot, const RunClock& clock,
           const io::Provenance& provenance) {
  StepLog steps(folder, provenance);
  EnergyLog energy(folder, provenance);
  energy.append(0, simulation.time(), simulation.conserved());
  std::int64_t step = 0;
  while (!simulation.finished() && (limits.steps == 0 || step < limits.steps) &&
         stop_requested == 0) {
    const StepRecord record = simulation.step();
    step = record.step;
    steps.append(record);
    if (simulation.synchronised()) energy.append(step, record.time, simulation.conserved());
  }
  const double write_start = steady_seconds();
  if (write_snapshot) {
    io::Forces forces;
    simulation.save(snapshot, forces);
    io::write_snapshot(folder / "snapshot_000.h5", snapshot, provenance, &forces);
  }
  energy.finish();
  const double end = steady_seconds();
  steps.finish({{"wall", end - clock.start},
                {"read", clock.read},
                {"set_up", clock.set_up},
                {"bootstrap", simulation.bootstrap_seconds()},
                {"write", end - write_start},
                {"particles", std::int64_t(snapshot.particles.size())},
                {"threads", std::int64_t(simulation.threads())},
                {"memory", std::int64_t(simulation.memory())}});
  return stop_requested != 0 ? RunEnd::stopped_by_signal : RunEnd::finished;
}

}  // namespace gothic
