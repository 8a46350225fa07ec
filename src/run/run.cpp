#include "run/run.hpp"

#include <fmt/format.h>

#include <any>
#include <chrono>
#include <csignal>
#include <future>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/messages/slices.hpp"
#include "files/error.hpp"
#include "run/files_of_ranks.hpp"
#include "run/force_error_bounds.hpp"
#include "run/force_timing.hpp"
#include "run/observers.hpp"
#include "run/run_logs.hpp"
#include "run/run_monitor.hpp"

namespace gothic {

namespace {

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int signal) {
  stop_requested = 1;
  if (signal == SIGINT) std::signal(signal, SIG_DFL);
}

/// snapshot_000.h5, snapshot_001.h5, ...
std::string snapshot_name(int number) { return fmt::format("snapshot_{:03}.h5", number); }

std::filesystem::path path_of(const files::FoundCheckpoint* earlier) {
  return earlier != nullptr ? earlier->path : std::filesystem::path();
}

/// A run from its first to its last step.
class Run {
 public:
  Run(Simulation& simulation, files::Snapshot& snapshot, std::filesystem::path folder,
      const RunOptions& options, const RunClock& clock, files::Provenance provenance,
      RunMonitor& monitor, RunTime& time, const files::FoundCheckpoint* earlier,
      Communicator& ranks)
      : ranks_(ranks),
        time_(time),
        simulation_(simulation),
        snapshot_(snapshot),
        folder_(std::move(folder)),
        options_(options),
        clock_(clock),
        provenance_(std::move(provenance)),
        monitor_(monitor),
        start_time_(snapshot.time),
        plan_(start_time_, options.time > 0 ? start_time_ + options.time : never, options.outputs),
        earlier_(earlier != nullptr ? earlier->checkpoint.progress : Numbers()),
        snapshots_(int(before("snapshots"))),
        step_(std::int64_t(before("step"))),
        interactions_(before("interactions")),
        first_energy_(before("first_energy")),
        force_bounds_(simulation.facts().force.error, snapshot.components),
        last_checkpoint_(time_.seconds()),
        has_checkpoint_(earlier != nullptr),
        newest_(earlier == nullptr ? files::Newest::becomes_previous : earlier->newest()),
        ended_(before("ended") != 0),
        particles_(slices_of(ranks, snapshot.particles.size()).all) {
    if (leads(ranks)) {
      logs_.emplace(folder_, observers(), snapshot, provenance_, path_of(earlier));
    }
  }

  RunEnd go() {
    if (!has_checkpoint_) begin();
    if (has_checkpoint_ && simulation_.synchronised()) judge(simulation_.energy());
    ended_ = ended_ && done();  // else the run is to go further than it did
    const bool had_ended = ended_;
    if (!ended_) aim();
    while (!done()) {
      advance();
      asked_to_stop_ = time_.renew(stop_requested != 0);
      if (done()) break;
      if (wants_to_stop()) return stop();  // after a step at least, so that every part gets on
      if (wants_checkpoint()) try_checkpoint();
    }
    finish();
    if (!rule_.empty()) return {false, "stopped by " + rule_};
    return {false, had_ended ? "finished before" : "finished"};
  }

 private:
  using Numbers = std::map<std::string, double>;
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// What progress() told at the end of the part before; 0 if there is none.
  double before(const std::string& name) const {
    const auto found = earlier_.find(name);
    return found != earlier_.end() ? found->second : 0;
  }

  bool done() const {
    return simulation_.time() >= plan_.end() || (options_.steps > 0 && step_ >= options_.steps) ||
           !rule_.empty();
  }

  bool wants_to_stop() const {
    return asked_to_stop_ || (options_.stop_after > 0 && wall() >= options_.stop_after);
  }

  bool wants_checkpoint() const {
    return options_.checkpoint_interval > 0 &&
           time_.seconds() - last_checkpoint_ >= options_.checkpoint_interval;
  }

  /// Seconds since the program began.
  double wall() const { return time_.seconds() - clock_.start; }

  void begin() {
    measure(Schedule::synchronised);
    measure_errors();
    take(options_.outputs.any());
  }

  /// Cuts the steps to come at the next time of the plan.
  void aim() {
    if (!done()) simulation_.stop_at(plan_.next(simulation_.time()));
  }

  void advance() {
    const StepRecord record = simulation_.step();
    step_ = record.step;
    interactions_ += double(record.force.counts.interactions());
    if (logs_) {
      for (const auto& observer : step_observers()) {
        logs_->append(observer.name, observer.measure(record).rows);
      }
    }
    if (simulation_.synchronised()) measure(Schedule::synchronised);
    if (record.sampled) measure_errors();
    monitor_.stepped(record);
    if (is_written()) finish_writing();
    if (simulation_.finished() && !done()) {
      take(true);
      aim();
    }
  }

  /// Observes all particles, which are at one time if that is the schedule.
  void measure(Schedule schedule) {
    for (const Observer& observer : particle_observers()) {
      if (observer.schedule != schedule) continue;
      const Measurement measurement = simulation_.measure(observer.name);
      if (const auto* energy = std::any_cast<EnergyRecord>(&measurement.found)) watch(*energy);
      if (logs_) logs_->append(observer.name, measurement.rows);
    }
  }

  /// Logs the errors of the present forces.
  void measure_errors() {
    const ForceSample& sample = simulation_.force_sample();
    for (const auto& observer : sample_observers()) {
      const Measurement measurement = observer.measure(sample);
      const auto* errors = std::any_cast<std::vector<ForceErrorRecord>>(&measurement.found);
      if (errors != nullptr) watch(*errors);
      if (logs_) logs_->append(observer.name, measurement.rows);
    }
  }

  void watch(const std::vector<ForceErrorRecord>& errors) {
    const double span = plan_.end() - start_time_;
    monitor_.sampled(errors.front());
    for (const std::string& warning : force_bounds_.warnings(
             errors, monitor_.force_work(), {first_energy_, options_.energy_bound, span})) {
      monitor_.warned(warning);
    }
  }

  /// \throws std::runtime_error if the energy is not finite
  void watch(const EnergyRecord& energy) {
    check_finite(simulation_, snapshot_, energy.sums, ranks_);
    if (step_ == 0) first_energy_ = energy.sums.total();
    monitor_.measured(energy_error(energy, first_energy_), first_energy_);
    if (step_ > 0) judge(energy);
  }

  /// Finds whether a rule ends the run.
  void judge(const EnergyRecord& energy) {
    rule_ = holding_rule(options_.stop_rules, simulation_, energy_error(energy, first_energy_));
  }

  /// Observes the present state, and writes it if that is wanted.
  void take(bool with_snapshot) {
    measure(Schedule::states);
    if (with_snapshot) write_snapshot();
  }

  /// Writes the present state, on one rank while the run goes on.
  void write_snapshot() {
    const double start = steady_seconds();
    finish_writing();
    simulation_.save(snapshot_.particles, forces_);
    snapshot_.time = simulation_.time();
    writing_to_ = folder_ / snapshot_name(snapshots_++);
    if (ranks_.size() == 1) {
      background_ = std::async(std::launch::async, [this] {
        files::write_snapshot(writing_to_, snapshot_, provenance_, &forces_, options_.compression);
      });
    } else {
      write_snapshot_of_ranks(ranks_, writing_to_, snapshot_, provenance_, forces_,
                              options_.compression);
      tell_written();
    }
    writing_ += steady_seconds() - start;
  }

  bool is_written() const {
    return background_.valid() &&
           background_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  /// Waits for what write_snapshot() began. Throws what went wrong there.
  void finish_writing() {
    if (!background_.valid()) return;
    background_.get();
    tell_written();
  }

  void tell_written() { monitor_.wrote(RunEvent::snapshot, writing_to_.string(), snapshot_.time); }

  /// What is told of the run so far, those parts that were stopped included.
  Numbers progress() const {
    Numbers numbers = {{"step", double(step_)},         {"snapshots", snapshots_},
                       {"interactions", interactions_}, {"first_energy", first_energy_},
                       {"ended", ended_ ? 1 : 0},       {"parts", 1 + before("parts")}};
    const Numbers seconds = {{"wall", wall()},
                             {"read", clock_.read},
                             {"set_up", clock_.set_up},
                             {"bootstrap", simulation_.facts().bootstrap_seconds},
                             {"write", writing_}};
    for (const auto& [name, now] : seconds) numbers[name] = before(name) + now;
    return numbers;
  }

  /// The present state, copied while a snapshot may still be written.
  files::Checkpoint new_state() {
    const double start = steady_seconds();
    files::Checkpoint checkpoint = new_checkpoint(simulation_, snapshot_, start_time_);
    finish_writing();
    writing_ += steady_seconds() - start;
    return checkpoint;
  }

  void write(files::Checkpoint checkpoint) {
    const double start = steady_seconds();
    checkpoint.progress = progress();
    std::vector<files::TableWriter*> tables;
    if (logs_) tables = logs_->tables();
    write_checkpoint_of_ranks(ranks_, folder_, checkpoint, provenance_, tables, newest_);
    newest_ = files::Newest::becomes_previous;
    monitor_.wrote(RunEvent::checkpoint, files::checkpoint_path(folder_).string(),
                   simulation_.time());
    has_checkpoint_ = true;
    last_checkpoint_ = time_.seconds();
    writing_ += steady_seconds() - start;
  }

  /// A run goes on without a checkpoint that it cannot write: there may be room for the next.
  void try_checkpoint(const std::string& otherwise = "the run goes on") {
    files::Checkpoint state = new_state();
    try {
      write(std::move(state));
    } catch (const std::runtime_error& error) {  // of the disk, or the folder
      monitor_.warned(std::string(error.what()) + "; " + otherwise);
      last_checkpoint_ = time_.seconds();
    }
  }

  RunEnd stop() {
    write(new_state());
    close_logs();
    return {true, "stopped"};
  }

  /// Where the run had ended before, nothing but the logs is left to be done.
  void finish() {
    if (!ended_) {
      take(options_.snapshot);
      ended_ = true;
      // Where there is an earlier one the newest must be of the end.
      if (has_checkpoint_ || options_.final_checkpoint) {
        try_checkpoint("the run is done, but cannot be continued from its end");
      }
      const double start = steady_seconds();
      finish_writing();
      writing_ += steady_seconds() - start;
    }
    close_logs();
  }

  void close_logs() {
    if (!logs_) return;
    const Numbers so_far = progress();
    files::Attributes timing = {{"interactions_total", std::int64_t(interactions_)},
                                {"steps", std::int64_t(logs_->steps())},
                                {"parts", std::int64_t(so_far.at("parts"))},
                                {"particles", std::int64_t(particles_)},
                                {"threads", std::int64_t(simulation_.facts().threads)},
                                {"memory", std::int64_t(simulation_.memory().used)}};
    for (const char* name : {"wall", "read", "set_up", "bootstrap", "write"}) {
      timing[name] = so_far.at(name);
    }
    timing.merge(work_of_process());
    logs_->finish(timing);
  }

  Communicator& ranks_;
  RunTime& time_;
  Simulation& simulation_;
  files::Snapshot& snapshot_;
  std::filesystem::path folder_;
  RunOptions options_;
  RunClock clock_;
  files::Provenance provenance_;
  RunMonitor& monitor_;
  double start_time_;
  OutputSchedule plan_;
  Numbers earlier_;              ///< progress() of the parts before
  std::optional<RunLogs> logs_;  ///< of the first rank
  int snapshots_;
  std::int64_t step_;
  double interactions_;  ///< exact below 2^53
  double first_energy_;
  ForceErrorBounds force_bounds_;
  double last_checkpoint_;
  bool has_checkpoint_;
  files::Newest newest_;  ///< a damaged one must not replace the one before
  bool ended_;
  std::size_t particles_;  ///< of all ranks
  bool asked_to_stop_ = false;
  std::string rule_;                  ///< that ends the run; empty for none
  double writing_ = 0;                ///< seconds
  std::filesystem::path writing_to_;  ///< snapshot that was begun last
  files::Forces forces_;              ///< on the particles of that snapshot
  /// Reads snapshot_ and forces_. Last: its destructor waits for what uses the other members.
  std::future<void> background_;
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool RunTime::renew(bool flag) {
  struct Told {
    double seconds;
    bool flag;
  };
  const auto join = [](const Told& a, const Told& b) { return Told{a.seconds, a.flag || b.flag}; };
  const Told all = combined(ranks_, Told{steady_seconds(), flag}, join);
  seconds_ = all.seconds;
  return all.flag;
}

void stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, request_stop);
  if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

RunEnd run(Simulation& simulation, files::Snapshot& snapshot, const std::filesystem::path& folder,
           const RunOptions& options, const RunClock& clock, const files::Provenance& provenance,
           RunMonitor& monitor, RunTime& time, const files::FoundCheckpoint* earlier,
           Communicator& ranks) {
  return Run(simulation, snapshot, folder, options, clock, provenance, monitor, time, earlier,
             ranks)
      .go();
}

}  // namespace gothic
