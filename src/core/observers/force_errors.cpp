#include "core/observers/force_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace gothic {
namespace {

using Vector = SampledForce::Vector;

double product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Vector& a) { return std::sqrt(product(a, a)); }
Vector error_of(const SampledForce& one) {
  const auto& [x, y, z] = one.found;
  return {x - one.exact[0], y - one.exact[1], z - one.exact[2]};
}

/// |e| / |a|; 0 where there is neither.
double relative_error(const SampledForce& one) {
  const double error = length(error_of(one));
  return error > 0 ? error / length(one.exact) : 0;
}

/// A sampled particle and the number of particles for which it stands.
struct Weighted {
  const SampledForce* force;
  double weight;
  double error;  ///< relative
};

/// The least error of the sample that so large a fraction of the particles does not exceed.
/// \param sample in the order of the errors
double quantile(const std::vector<Weighted>& sample, double fraction) {
  double all = 0;
  for (const Weighted& one : sample) all += one.weight;
  double below = 0;
  for (const Weighted& one : sample) {
    below += one.weight;
    if (below >= fraction * all * (1 - 1e-12)) return one.error;
  }
  return 0;
}

/// A sum over all particles, of which some are sampled, and its variance if the particles are
/// independent.
struct Estimate {
  double sum = 0, variance = 0;
};

template <class Value>
Estimate estimated(const std::vector<Weighted>& sample, Value value) {
  Estimate estimate;
  for (const Weighted& one : sample) {
    const double own = value(*one.force);
    estimate.sum += one.weight * own;
    estimate.variance += one.weight * one.weight * own * own;
  }
  return estimate;
}

/// \param sample of one component or all, in any order
ForceErrorRecord record_of(const ForceSample& about, std::vector<Weighted> sample) {
  std::ranges::sort(sample, {}, &Weighted::error);
  const auto work = estimated(sample, [](const SampledForce& one) {
    return one.mass * product(error_of(one), one.velocity);
  });
  const auto power = estimated(
      sample, [](const SampledForce& one) { return product(error_of(one), one.velocity); });
  const double count = estimated(sample, [](const SampledForce&) { return 1; }).sum;
  const double squares =
      estimated(sample, [](const SampledForce& one) { return product(one.exact, one.exact); }).sum;
  const double scale = estimated(sample, [](const SampledForce& one) {
                         return length(one.exact) * length(one.velocity);
                       }).sum;
  ForceErrorRecord record;
  record.step = about.step;
  record.time = about.time;
  record.sampled = sample.size();
  record.median = quantile(sample, 0.5);
  record.percentile_99 = quantile(sample, 0.99);
  record.largest = sample.empty() ? 0 : sample.back().error;
  record.power = scale > 0 ? power.sum / scale : 0;
  record.power_error = scale > 0 ? std::sqrt(power.variance) / scale : 0;
  record.work = work.sum;
  record.work_error = std::sqrt(work.variance);
  record.potential = estimated(sample, [](const SampledForce& one) {
                       return one.mass * (one.found_potential - one.exact_potential) / 2;
                     }).sum;
  record.acceleration = count > 0 ? std::sqrt(squares / count) : 0;
  record.accuracy = about.acceptance.accuracy;
  record.order = about.acceptance.order;
  record.seconds = about.seconds;
  return record;
}

}  // namespace

std::vector<ForceErrorRecord> force_errors(const ForceSample& sample) {
  std::vector<ForceErrorRecord> records(1);
  std::vector<Weighted> all;
  std::uint64_t particles = 0;
  for (const ForceSample::Component& component : sample.components) {
    std::vector<Weighted> own;
    for (const SampledForce& force : sample.forces) {
      if (force.component == component.number) own.push_back({&force, 0, relative_error(force)});
    }
    for (Weighted& one : own) one.weight = double(component.particles) / double(own.size());
    all.insert(all.end(), own.begin(), own.end());
    particles += component.particles;
    if (sample.components.size() == 1) break;
    ForceErrorRecord& record = records.emplace_back(record_of(sample, std::move(own)));
    record.component = component.number;
    record.particles = component.particles;
  }
  records.front() = record_of(sample, std::move(all));
  records.front().particles = particles;
  return records;
}

const std::vector<ColumnOf<ForceErrorRecord>>& force_error_columns() {
  using Errors = const ForceErrorRecord&;
  static const std::vector<ColumnOf<ForceErrorRecord>> columns = {
      {"step", "", "step after which the forces were sampled; 0 is the start",
       [](Errors e) { return e.step; }},
      {"time", "time", "time of the forces", [](Errors e) { return e.time; }},
      {"component", "", "row of /Components of the snapshots; -1 for all particles",
       [](Errors e) { return e.component; }},
      {"particles", "", "of the component", [](Errors e) { return e.particles; }},
      {"sampled", "", "those of them whose forces were summed directly",
       [](Errors e) { return e.sampled; }},
      {"median", "", "median of the relative errors |a - a_direct| / |a_direct|",
       [](Errors e) { return e.median; }},
      {"percentile_99", "", "error that 99 % of the particles do not exceed",
       [](Errors e) { return e.percentile_99; }},
      {"largest", "", "largest error of the sample", [](Errors e) { return e.largest; }},
      {"power", "",
       "P, mean of e.v over the mean of |a| |v|, with e = a - a_direct: the share of the errors "
       "that pushes along the velocities and heats",
       [](Errors e) { return e.power; }},
      {"power_error", "", "standard error of P", [](Errors e) { return e.power_error; }},
      {"work", "mass velocity^2 / time", "sum of m e.v: the energy changes at this rate",
       [](Errors e) { return e.work; }},
      {"work_error", "mass velocity^2 / time", "standard error of this sum",
       [](Errors e) { return e.work_error; }},
      {"potential", "mass velocity^2",
       "sum of m (phi - phi_direct) / 2: by so much the energy that is measured is off",
       [](Errors e) { return e.potential; }},
      {"accuracy", "", "accuracy parameter of the forces", [](Errors e) { return e.accuracy; }},
      {"order", "", "to which cells acted: 0 point, 1 quadrupole, 2 octupole",
       [](Errors e) { return int(e.order); }},
      {"seconds", "s", "that the sample took", [](Errors e) { return e.seconds; }}};
  return columns;
}

const std::vector<ObserverOf<ForceSample>>& sample_observers() {
  static const std::vector<ObserverOf<ForceSample>> all = {observer<ForceSample>(
      "force_errors",
      "a row for all particles and for each of several components, at the start and every so many "
      "steps",
      force_error_columns(), force_errors)};
  return all;
}

}  // namespace gothic
