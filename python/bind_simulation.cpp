#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>

#include "bindings.hpp"
#include "core/engine/engine.hpp"
#include "files/error.hpp"
#include "files/text.hpp"
#include "run/run_logs.hpp"
#include "run/run_monitor.hpp"

namespace gothic::python {
namespace {

using namespace nb::literals;

using Vector = std::tuple<double, double, double>;

Vector vector(std::span<const double, 3> axes) { return {axes[0], axes[1], axes[2]}; }

/// A row of steps.h5, in the order of its columns.
nb::list row(const StepRecord& record) {
  nb::list values;
  for (const LogColumn<StepRecord>& column : step_columns()) {
    std::visit([&](auto value) { values.append(value); }, column.value(record));
  }
  return values;
}

/// A simulation that several threads of Python may hold: one at a time uses it.
class HeldSimulation {
 public:
  HeldSimulation(const HeldSnapshot& held, const Arguments& arguments) {
    const nb::gil_scoped_release others_go_on;
    const Settings settings = settings_of("gothic run", arguments, held);
    const StepOptions steps = settings.steps();
    origin_ = files::current_provenance("gothic.Simulation");
    origin_.options = settings.provenance(held.data);
    simulation_ =
        make_engine(settings.device())
            ->simulation(held.data.particles, held.data.time, settings.force(held.data), steps);
    origin_.device = simulation_->device_name();
    start_ = held.data;
    start_.particles.position = {};
    start_.particles.velocity = {};
    name_ = held.name;
    if (steps.end_time > 0) end_ = held.data.time + steps.end_time;
  }

  /// Returns what a function of the simulation returns. Other threads of Python go on meanwhile.
  template <class Function>
  auto use(Function function) {
    const nb::gil_scoped_release others_go_on;
    const std::scoped_lock lock(mutex_);
    return std::invoke(function, *simulation_);
  }

  double time() { return use(&Simulation::time); }
  bool is_finished() { return time() >= end_; }

  nb::list step() {
    return row(use([&](Simulation& simulation) {
      if (simulation.time() >= end_) {
        throw std::runtime_error("the end is reached; make another simulation of its snapshot");
      }
      if (simulation.finished()) simulation.stop_at(end_);
      const StepRecord record = simulation.step();
      if (simulation.synchronised()) check_finite(simulation, start_, simulation.conserved());
      return record;
    }));
  }

  /// Steps until the end or `until` is reached or, if `steps` is not 0, so many are done. Python's
  /// signal handlers run between them.
  nb::list run(std::optional<double> until, std::int64_t steps) {
    nb::list records;
    if (until) aim(*until);
    while (!is_finished() && (!until || time() < *until) &&
           (steps == 0 || std::int64_t(records.size()) < steps)) {
      records.append(step());
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return records;
  }

  /// Kinetic and potential energy, virial ratio, momentum, angular momentum, centre of mass.
  auto energy() {
    const Conserved sums = use([](Simulation& simulation) {
      if (!simulation.synchronised()) {
        throw std::runtime_error(
            "the particles are at different times; step until synchronised is true, or run to a "
            "time");
      }
      return simulation.conserved();
    });
    return std::tuple(sums.kinetic, sums.potential, sums.virial_ratio(), vector(sums.momentum),
                      vector(sums.angular_momentum), vector(sums.center));
  }

  /// Puts the present state into a snapshot that nothing was done with.
  void save(HeldSnapshot& held) {
    use([&](Simulation& simulation) {
      held.data = start_;
      held.data.particles.position.resize(start_.particles.size());
      held.data.particles.velocity.resize(start_.particles.size());
      simulation.save(held.data.particles, held.forces);
      held.data.time = simulation.time();
      held.origin = origin_;
      held.name = name_;
    });
  }

 private:
  /// Cuts the steps so that all particles are at `until`, if that is before the end.
  void aim(double until) {
    use([&](Simulation& simulation) {
      if (!(until >= simulation.time())) {
        throw InputError("until: " + files::shortest(until) + " is before the present time, " +
                         files::shortest(simulation.time()) + "; give a later one");
      }
      if (until > simulation.time() && until < end_) simulation.stop_at(until);
    });
  }

  std::mutex mutex_;
  std::unique_ptr<Simulation> simulation_;
  files::Snapshot start_;  ///< without positions and velocities
  files::Provenance origin_;
  std::string name_;
  double end_ = std::numeric_limits<double>::infinity();
};

/// A function of Simulation as a property.
template <auto function>
auto property(HeldSimulation& held) {
  return held.use(function);
}

}  // namespace

void define_simulation(nb::module_& module) {
  nb::class_<HeldSimulation>(module, "Simulation")
      .def(nb::init<const HeldSnapshot&, const Arguments&>(), "snapshot"_a, "arguments"_a)
      .def("_step", &HeldSimulation::step)
      .def("_run", &HeldSimulation::run, "until"_a.none(), "steps"_a)
      .def("_energy", &HeldSimulation::energy)
      .def("_save", &HeldSimulation::save, "snapshot"_a)
      .def_prop_ro("time", &HeldSimulation::time, "Time of the state.")
      .def_prop_ro("finished", &HeldSimulation::is_finished, "Whether the end is reached.")
      .def_prop_ro("synchronised", &property<&Simulation::synchronised>,
                   "Whether all particles are at the present time, not predicted to it.")
      .def_prop_ro("device", &property<&Simulation::device_name>, "Name of what it runs on.")
      .def_prop_ro("threads", &property<&Simulation::threads>,
                   "Number of CPU threads; 0 on a GPU.");
  module.def("step_columns", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> columns;
    for (const LogColumn<StepRecord>& column : step_columns()) {
      columns.emplace_back(column.name, column.unit, column.meaning);
    }
    return columns;
  });
}

}  // namespace gothic::python
