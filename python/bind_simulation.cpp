#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "core/engine/engine.hpp"
#include "core/messages/one_rank.hpp"
#include "core/setting_error.hpp"
#include "files/checkpoint.hpp"
#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/text.hpp"
#include "run/force_error_bounds.hpp"
#include "run/observers.hpp"
#include "run/result_files.hpp"
#include "run/run_logs.hpp"
#include "run/run_monitor.hpp"
#include "settings/restart.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

/// Name, unit and meaning of each column.
using Columns = std::vector<std::tuple<std::string, std::string, std::string>>;

nb::list as_list(const Row& row) {
  nb::list values;
  for (const Value& value : row) {
    std::visit([&](auto number) { values.append(number); }, value);
  }
  return values;
}

/// A row of steps.h5, in the order of its columns.
nb::list row(const StepRecord& record) {
  return as_list(step_observers().front().measure(record).rows.front());
}

/// Adds the options of a checkpoint that functions of Python take and that were not given.
Arguments with_those_of(const std::map<std::string, std::string>& stored, Arguments given) {
  for (const Option& option : command_named("gothic run").options) {
    const auto value = stored.find(option.name);
    if (!option.python || value == stored.end() || value->second.empty()) continue;
    const bool is_given = std::ranges::any_of(
        given, [&](const auto& argument) { return argument.first == option.name; });
    if (!is_given) given.emplace_back(option.name, value->second);
  }
  return given;
}

files::FoundCheckpoint checkpoint_in(const std::filesystem::path& folder) {
  std::optional<files::FoundCheckpoint> found = files::find_checkpoint(folder);
  if (found) return std::move(*found);
  throw InputError(folder.string() + ": has no checkpoint; check the name");
}

/// Gives Python's user a warning.
void warn(const std::string& message) {
  if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

/// A simulation that several threads of Python may hold. One thread at a time uses it.
class HeldSimulation {
 public:
  HeldSimulation(const HeldSnapshot& held, const Arguments& arguments) {
    std::vector<std::string> warnings;
    {
      const nb::gil_scoped_release others_go_on;
      start(settings_of("gothic run", arguments, held), held.data, held.name, nullptr);
      if (asked_error() > 0) warnings = checked_forces(*simulation_);
    }
    for (const std::string& warning : warnings) warn(warning);
  }

  /// Goes on from the newest checkpoint of a folder. Options that are not given are the
  /// checkpoint's.
  HeldSimulation(const std::filesystem::path& folder, const Arguments& arguments) {
    std::string warning;
    {
      const nb::gil_scoped_release others_go_on;
      const files::FoundCheckpoint found = checkpoint_in(folder);
      const std::map<std::string, std::string>& stored = found.checkpoint.options;
      const Settings settings(options_of("gothic run", with_those_of(stored, arguments)),
                              found.path.string());
      require_same_course(found, settings.options(), settings.provenance(found.checkpoint.snapshot),
                          "give the same ones, or none");
      start(settings, found.checkpoint.snapshot, found.path.string(), &found);
      warning = found.warning();
      const bool of_a_run = stored.contains("input");  // our checkpoint would lack its logs
      if (!of_a_run) folders_.push_back({absolute(folder), found.newest()});
    }
    if (!warning.empty()) warn(warning);
  }

  /// Returns what a function of the simulation returns. Other threads of Python go on meanwhile.
  template <class Function>
  auto use(Function function) {
    const nb::gil_scoped_release others_go_on;
    const std::scoped_lock lock(mutex_);
    return std::invoke(function, *simulation_);
  }

  double time() { return use(&Simulation::time); }
  bool is_synchronised() { return use(&Simulation::synchronised); }
  std::string device() { return use(&Simulation::facts).device.name; }
  int threads() { return use(&Simulation::facts).threads; }
  bool has_end() const { return end_ < std::numeric_limits<double>::infinity(); }
  bool is_finished() { return time() >= end_; }
  std::string stopped_by() const { return stopped_by_; }

  nb::list step() {
    std::string warning;
    std::vector<std::string> warnings;
    const StepRecord record = use([&](Simulation& simulation) {
      if (simulation.time() >= end_) refuse_after_end();
      if (simulation.finished()) simulation.stop_at(end_);
      const StepRecord done = simulation.step();
      step_ = done.step;
      stopped_by_.clear();
      if (simulation.synchronised()) warning = checked_energy(simulation);
      if (done.sampled) warnings = checked_forces(simulation);
      return done;
    });
    if (!warning.empty()) warnings.push_back(warning);
    for (const std::string& one : warnings) warn(one);
    return row(record);
  }

  /// Steps until the end or `until` is reached, a rule holds or, if `steps` is not 0, as many steps
  /// are done.
  /// Python's signal handlers run between steps.
  nb::list run(std::optional<double> until, std::int64_t steps) {
    constexpr double rounding = 1e-9;  // of times that were added up
    if (until && has_end() && std::abs(*until - end_) <= rounding * std::abs(end_)) until = end_;
    if (until && *until > end_) {
      throw std::runtime_error("until: the end is reached before " + files::shortest(*until) +
                               ", at " + files::shortest(end_) +
                               "; give an earlier time, or make another simulation");
    }
    if (is_finished() && steps > 0) refuse_after_end();
    nb::list records;
    if (until) aim(*until);
    while (!is_finished() && (!until || time() < *until) &&
           (steps == 0 || std::int64_t(records.size()) < steps)) {
      records.append(step());
      if (!stopped_by_.empty()) break;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return records;
  }

  /// The rows that an observer of the particles or of states finds.
  nb::list measure(const std::string& observer) {
    const std::vector<Row> found =
        use([&](Simulation& simulation) { return measured(simulation, observer); });
    nb::list rows;
    for (const Row& row : found) rows.append(as_list(row));
    return rows;
  }

  /// Puts the present state into a new snapshot.
  void save(HeldSnapshot& held) {
    use([&](Simulation& simulation) {
      save(simulation, held.data, held.forces);
      held.origin = origin_;
      held.name = name_;
    });
  }

  /// Writes the newest checkpoint of a folder, which is made if it is not there. Does not replace
  /// the checkpoint of another simulation.
  void checkpoint(const std::filesystem::path& folder) {
    use([&](Simulation& simulation) {
      Folder* const own = own_folder(folder);
      const ResultFiles present = result_files(folder);
      if (own == nullptr && !present.all.empty()) {
        throw InputError(folder.string() + ": has " + present.all.front().filename().string() +
                         " of another simulation; choose another folder, or remove it");
      }
      files::make_folder(folder);
      files::FolderLock lock;
      lock.take(folder);
      const SimulationState state = simulation.state();
      const std::map<std::string, double> progress = {{"step", double(state.step)},
                                                      {"first_energy", first_energy_}};
      files::write_checkpoint(folder, {start_, state, progress, {}}, origin_, {},
                              own != nullptr ? own->newest : files::Newest::becomes_previous);
      if (own != nullptr) {
        own->newest = files::Newest::becomes_previous;
      } else {
        folders_.push_back({absolute(folder), files::Newest::becomes_previous});
      }
    });
  }

 private:
  [[noreturn]] static void refuse_after_end() {
    throw std::runtime_error("the end is reached; make another simulation of its snapshot");
  }

  /// A folder with checkpoints of this simulation.
  struct Folder {
    std::filesystem::path path;
    files::Newest newest;  ///< a damaged one must not replace the one before
  };

  /// \param snapshot, forces results
  void save(Simulation& simulation, files::Snapshot& snapshot, Forces& forces) const {
    snapshot = start_;
    snapshot.particles.position.resize(start_.particles.size());
    snapshot.particles.velocity.resize(start_.particles.size());
    simulation.save(snapshot.particles, forces);
    snapshot.time = simulation.time();
  }

  static std::vector<Row> measured(Simulation& simulation, const std::string& name) {
    const auto& all = observers();
    const auto observer = std::ranges::find(all, name, &Observer::name);
    const bool at_one_time = observer != all.end() && observer->schedule == Schedule::synchronised;
    if (at_one_time && !simulation.synchronised()) {
      throw std::runtime_error(
          "the particles are at different times; step until synchronised is true, or run to a "
          "time");
    }
    return simulation.measure(name).rows;
  }

  /// Null if the folder has no checkpoints of this simulation.
  Folder* own_folder(const std::filesystem::path& folder) {
    std::error_code missing;
    const auto found = std::ranges::find_if(folders_, [&](const Folder& own) {
      return std::filesystem::equivalent(own.path, folder, missing);
    });
    return found == folders_.end() ? nullptr : &*found;
  }

  /// \param initial the initial snapshot; if there is `earlier`, without positions and velocities
  /// \param earlier the checkpoint that the simulation goes on from; null for none
  void start(const Settings& settings, const files::Snapshot& initial, const std::string& name,
             const files::FoundCheckpoint* earlier) {
    const StepOptions steps = settings.steps(initial.units);
    const RunOptions run = settings.run(initial);
    origin_ = files::current_provenance("gothic.Simulation");
    origin_.options = settings.provenance(initial);
    engine_ = make_engine(settings.device());
    simulation_ = simulation_of(*engine_, initial, settings.force(initial), steps, earlier);
    origin_.set(simulation_->facts().device);
    start_ = initial;
    start_.particles.position = {};
    start_.particles.velocity = {};
    name_ = name;
    energy_bound_ = EnergyBound(run.energy_bound);
    energy_limit_ = run.energy_bound;
    force_bounds_ = ForceErrorBounds(asked_error(), initial.components);
    stop_rules_ = run.stop_rules;
    if (run.time > 0) end_ = initial.time + run.time;
    if (earlier == nullptr) {
      require_none_holds(stop_rules_, "stop_when", *simulation_);
      first_energy_ = simulation_->energy().sums.total();
      return;
    }
    first_energy_ = earlier->checkpoint.progress.at("first_energy");
    step_ = earlier->checkpoint.state.step;
    const auto before = earlier->checkpoint.options.find("time");
    const bool is_same = before != earlier->checkpoint.options.end() &&
                         files::read_number(before->second).value_or(0) == run.time;
    if (!is_same && end_ > simulation_->time()) simulation_->stop_at(end_);
  }

  /// Judges the stop rules.
  /// \returns a warning when the energy is beyond its bound for the first time; else empty
  std::string checked_energy(Simulation& simulation) {
    const EnergyRecord energy = simulation.energy();
    check_finite(simulation, start_, energy.sums);
    const double error = energy_error(energy, first_energy_);
    stopped_by_ = holding_rule(stop_rules_, simulation, error);
    const EnergyWatch watch{simulation, force_work_, start_, start_.time};
    return energy_bound_.warning(error,
                                 [&](double found) { return watch.cause(found, first_energy_); });
  }

  /// 99 % error of the forces that is asked for; 0 for none.
  double asked_error() const { return simulation_->facts().force.error; }

  /// Warnings of the present errors of the forces.
  std::vector<std::string> checked_forces(Simulation& simulation) {
    const std::vector<ForceErrorRecord> found = force_errors(simulation.force_sample());
    force_work_.add(found.front());
    return force_bounds_.warnings(found, force_work_,
                                  {first_energy_, energy_limit_, end_ - start_.time});
  }

  /// Cuts the steps so that all particles are at `until`, if that is before the end.
  void aim(double until) {
    use([&](Simulation& simulation) {
      if (!(until >= simulation.time())) {
        throw InputError("until: " + files::shortest(until) + " is before the present time, " +
                         files::shortest(simulation.time()) + "; give a later one");
      }
      if (!(until > simulation.time() && until < end_)) return;
      try {
        simulation.stop_at(until);
      } catch (const SettingError& error) {
        const auto name = [](const std::string& own) { return own == "time" ? "until" : own; };
        throw InputError(error.message(name));
      }
    });
  }

  std::mutex mutex_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Simulation> simulation_;
  files::Snapshot start_;  ///< without positions and velocities
  files::Provenance origin_;
  std::string name_;
  double first_energy_ = 0;
  std::int64_t step_ = 0;
  EnergyBound energy_bound_;
  double energy_limit_ = 0;  ///< 0 for none
  ForceErrorBounds force_bounds_;
  ForceWork force_work_;
  std::vector<StopRule> stop_rules_;
  std::string stopped_by_;  ///< the rule that holds; empty for none
  double end_ = std::numeric_limits<double>::infinity();
  std::vector<Folder> folders_;
};

}  // namespace

void define_simulation(nb::module_& module) {
  nb::class_<HeldSimulation>(module, "Simulation")
      .def(nb::init<const HeldSnapshot&, const Arguments&>(), "snapshot"_a, "arguments"_a)
      .def(nb::init<const std::filesystem::path&, const Arguments&>(), "folder"_a, "arguments"_a)
      .def("_step", &HeldSimulation::step)
      .def("_run", &HeldSimulation::run, "until"_a.none(), "steps"_a)
      .def("_measure", &HeldSimulation::measure, "observer"_a)
      .def("_save", nb::overload_cast<HeldSnapshot&>(&HeldSimulation::save), "snapshot"_a)
      .def("_checkpoint", &HeldSimulation::checkpoint, "folder"_a)
      .def_prop_ro("_has_end", &HeldSimulation::has_end)
      .def_prop_ro("time", &HeldSimulation::time, "Time of the state.")
      .def_prop_ro("finished", &HeldSimulation::is_finished, "Whether the end is reached.")
      .def_prop_ro("stopped_by", &HeldSimulation::stopped_by,
                   "The rule of stop_when that holds after the last step, with its value, or ''.")
      .def_prop_ro("synchronised", &HeldSimulation::is_synchronised,
                   "Whether all particles are at the present time, not predicted to it.")
      .def_prop_ro("device", &HeldSimulation::device, "Name of what it runs on.")
      .def_prop_ro("threads", &HeldSimulation::threads, "Number of CPU threads; 0 on a GPU.");
  module.def("observers", [] {
    std::vector<std::tuple<std::string, std::string, std::string, Columns>> all;
    for (const Observer& observer : observers()) {
      Columns columns;
      for (const Column& column : observer.columns) {
        columns.emplace_back(column.name, column.unit, column.meaning);
      }
      all.emplace_back(observer.name, log_group(observer.name), observer.meaning,
                       std::move(columns));
    }
    return all;
  });
}

}  // namespace gothic::python
