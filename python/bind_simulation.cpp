#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
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

namespace gothic::python {
namespace {

using namespace nb::literals;

using Vector = std::tuple<double, double, double>;

/// Kinetic and potential energy, virial ratio, momentum, angular momentum, centre of mass.
using Sums = std::tuple<double, double, double, Vector, Vector, Vector>;

Vector vector(std::span<const double, 3> axes) { return {axes[0], axes[1], axes[2]}; }

Sums tuple_of(const Conserved& sums) {
  return {sums.kinetic,
          sums.potential,
          sums.virial_ratio(),
          vector(sums.momentum),
          vector(sums.angular_momentum),
          vector(sums.center)};
}

/// A row of steps.h5, in the order of its columns.
nb::list row(const StepRecord& record) {
  nb::list values;
  for (const LogColumn<StepRecord>& column : step_columns()) {
    std::visit([&](auto value) { values.append(value); }, column.value(record));
  }
  return values;
}

void require_finite(const Conserved& sums, double time) {
  if (std::isfinite(sums.total())) return;
  throw std::runtime_error("the energy became infinite at time " + std::to_string(time) +
                           "; use a smaller eta or a larger softening");
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

  /// What a function of the simulation tells.
  template <auto function>
  auto tell() {
    const nb::gil_scoped_release others_go_on;
    const std::scoped_lock lock(mutex_);
    return ((*simulation_).*function)();
  }

  double time() { return tell<&Simulation::time>(); }

  nb::list step() {
    StepRecord record;
    {
      const nb::gil_scoped_release others_go_on;
      const std::scoped_lock lock(mutex_);
      record = advance();
    }
    return row(record);
  }

  /// Steps until the end or `until` is reached or, if `steps` is not 0, so many are done. Python's
  /// signal handlers run between them.
  nb::list run(std::optional<double> until, std::int64_t steps) {
    nb::list records;
    const std::optional<double> goal = aim(until);
    while (!done() && (!goal || time() < *goal) &&
           (steps == 0 || std::int64_t(records.size()) < steps)) {
      records.append(step());
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return records;
  }

  /// Whether the end is reached.
  bool done() {
    const nb::gil_scoped_release others_go_on;
    const std::scoped_lock lock(mutex_);
    return simulation_->time() >= end_;
  }

  Sums energy() {
    const nb::gil_scoped_release others_go_on;
    const std::scoped_lock lock(mutex_);
    if (!simulation_->synchronised()) {
      throw std::runtime_error(
          "the particles are at different times; step until synchronised is true, or run to a "
          "time");
    }
    return tuple_of(simulation_->conserved());
  }

  HeldSnapshot snapshot() {
    const nb::gil_scoped_release others_go_on;
    const std::scoped_lock lock(mutex_);
    HeldSnapshot held;
    held.data = start_;
    held.data.particles.position.resize(start_.particles.size());
    held.data.particles.velocity.resize(start_.particles.size());
    simulation_->save(held.data.particles, held.forces);
    held.data.time = simulation_->time();
    held.origin = origin_;
    held.name = name_;
    return held;
  }

 private:
  /// Cuts the steps so that all particles are at `until`, if that is before the end, and tells it.
  std::optional<double> aim(std::optional<double> until) {
    const nb::gil_scoped_release others_go_on;
    const std::scoped_lock lock(mutex_);
    if (!until) return {};
    if (!(*until >= simulation_->time())) {
      throw InputError("until: " + files::shortest(*until) + " is before the present time, " +
                       files::shortest(simulation_->time()) + "; give a later one");
    }
    if (*until > simulation_->time() && *until < end_) simulation_->stop_at(*until);
    return until;
  }

  StepRecord advance() {
    if (simulation_->time() >= end_) {
      throw std::runtime_error("the end is reached; make another simulation of its snapshot");
    }
    if (simulation_->finished()) simulation_->stop_at(end_);
    const StepRecord record = simulation_->step();
    if (simulation_->synchronised()) {
      require_finite(simulation_->conserved(), simulation_->time());
    }
    return record;
  }

  std::mutex mutex_;
  std::unique_ptr<Simulation> simulation_;
  files::Snapshot start_;  ///< without positions and velocities
  files::Provenance origin_;
  std::string name_;
  double end_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void define_simulation(nb::module_& module) {
  nb::class_<HeldSimulation>(module, "Simulation")
      .def(nb::init<const HeldSnapshot&, const Arguments&>(), "snapshot"_a, "arguments"_a)
      .def("step", &HeldSimulation::step)
      .def("run", &HeldSimulation::run, "until"_a.none(), "steps"_a)
      .def("energy", &HeldSimulation::energy)
      .def("snapshot", &HeldSimulation::snapshot)
      .def_prop_ro("time", &HeldSimulation::time)
      .def_prop_ro("finished", &HeldSimulation::done)
      .def_prop_ro("synchronised", &HeldSimulation::tell<&Simulation::synchronised>)
      .def_prop_ro("device", &HeldSimulation::tell<&Simulation::device_name>)
      .def_prop_ro("threads", &HeldSimulation::tell<&Simulation::threads>);
  module.def("step_columns", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> columns;
    for (const LogColumn<StepRecord>& column : step_columns()) {
      columns.emplace_back(column.name, column.unit, column.meaning);
    }
    return columns;
  });
}

}  // namespace gothic::python
