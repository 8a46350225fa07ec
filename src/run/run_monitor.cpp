#include "run/run_monitor.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/messages/slices.hpp"
#include "files/text.hpp"

namespace gothic {
namespace {

/// No run of so many steps ends in a lifetime of its results.
constexpr double too_many_steps = 1e9;
/// Steps that show the pace of a run.
constexpr std::int64_t enough_steps = 64;

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::unique_ptr<Reporter> make_reporter(LogKind kind, const RunMonitor::Means& means) {
  if (kind == LogKind::automatic) kind = means.is_terminal ? LogKind::text : LogKind::none;
  if (kind == LogKind::json) return make_json_reporter(means.out);
  if (kind == LogKind::none) return nullptr;
  return make_text_reporter(means.error, means.is_terminal ? means.columns : nullptr);
}

using files::formatted;

/// Not finite ones, too: they are what is looked for.
std::string number(float value) {
  return std::isfinite(value) ? formatted("{:.4g}", value) : std::isnan(value) ? "nan" : "inf";
}

std::string vector(const Vec4& v) {
  std::string text(1, '(');
  text.append(number(v.x)).append(", ").append(number(v.y)).append(", ").append(number(v.z));
  return text += ')';
}

}  // namespace

RunMonitor::Means RunMonitor::process_means() {
  return {
      std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1, terminal_columns, [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
      }};
}

RunMonitor::Means RunMonitor::silent_means() {
  static std::ostream nowhere(nullptr);
  Means means = process_means();
  return {nowhere, nowhere, false, nullptr, means.seconds};
}

std::string EnergyBound::warning(double error, const std::function<std::string()>& cause) {
  if (bound_ == 0 || !(std::abs(error) > bound_)) return "";
  const double bound = std::exchange(bound_, 0);
  return fmt::format(
      "the energy has changed by {} of its value at the start, more than the energy bound of {}: "
      "{}",
      files::rounded(error, 2), files::shortest(bound), cause());
}

RunMonitor::RunMonitor(LogKind kind, Means means)
    : means_(std::move(means)), reporter_(make_reporter(kind, means_)), start_(means_.seconds()) {}

void RunMonitor::started(const RunOutline& outline, Particles particles) {
  outline_ = outline;
  particles_ = std::move(particles);
  energy_bound_ = EnergyBound(outline.energy_bound);
  last_look_ = last_report_ = means_.seconds();
  now_ = {last_look_, outline.time, outline.step, 0};
  speed_ = RecentSpeed(now_);
  read_levels();
  tell(RunEvent::start);
  check_steps();
}

void RunMonitor::stepped(const StepRecord& record) {
  now_ = {means_.seconds(), record.time, record.step,
          now_.interactions + record.force.counts.interactions()};
  speed_.add(now_, period_);
  if (now_.wall - last_look_ < look_interval) return;
  look();
  if (!reporter_ || now_.wall - last_report_ < reporter_->interval()) return;
  last_report_ = now_.wall;
  tell(RunEvent::progress);
}

void RunMonitor::measured(double energy_error) {
  energy_error_ = energy_error;
  const std::string warning = energy_bound_.warning(energy_error, particles_.cause_of_error);
  if (!warning.empty()) warned(warning);
}

void RunMonitor::warned(const std::string& message) {
  tell(RunEvent::warning, message);
  means_.error << "gothic: warning: " << message << std::endl;
}

void RunMonitor::ended(const std::string& reason) {
  look();
  tell(RunEvent::end, reason);
}

void RunMonitor::failed() { tell(RunEvent::end, "failed"); }

void RunMonitor::look() {
  last_look_ = means_.seconds();
  read_levels();
  check_steps();
}

void RunMonitor::read_levels() {
  const StepLevels levels = particles_.levels();
  if (levels.empty()) return;
  period_ = work_period(levels);
  shortest_step_ = levels.front().step;
}

void RunMonitor::check_steps() {
  if (is_stuck_ || now_.time >= outline_.end_time) return;
  const double tick = particles_.shortest_countable;
  const Advance recent = speed_.window();
  const std::string steps = "the steps are so short that ";
  std::string problem;
  if (tick > 0 && shortest_step_ <= tick && particles_.shortest().step < tick) {
    problem = "a particle wants a step below " + files::shortest(tick) +
              ", the shortest that this run can count";
  } else if (recent.step >= enough_steps && recent.time == 0) {
    problem = steps + "the time, " + files::shortest(now_.time) + ", no longer advances";
  } else if (recent.step >= enough_steps && std::isfinite(outline_.end_time) &&
             outline_.end_time - now_.time > too_many_steps * recent.time_per_step()) {
    problem = steps + "more than 1e9 of them remain";
  } else {
    return;
  }
  is_stuck_ = true;
  warned(problem + ": " + particles_.shortest().particle +
         "; use a larger --softening or a larger --eta, and check the input for heavy particles "
         "in one place");
}

void RunMonitor::tell(RunEvent event, const std::string& text, double time) {
  if (!reporter_) return;
  const Advance recent = speed_.window();
  const Progress progress{.outline = outline_,
                          .time = time,
                          .step = now_.step,
                          .steps_per_second = recent.steps_per_second(),
                          .interactions_per_second = recent.interactions_per_second(),
                          .energy_error = energy_error_,
                          .shortest_step = shortest_step_,
                          .remaining = outline_.last_step > 0
                                           ? speed_.seconds_to_step(outline_.last_step)
                                           : speed_.seconds_to_time(outline_.end_time),
                          .wall = means_.seconds() - start_};
  reporter_->tell(event, progress, text);
}

std::string described(const OneParticle& particle, const files::Snapshot& snapshot,
                      Communicator& ranks) {
  struct Name {
    std::uint64_t id = 0;
    std::int32_t component = -1;
    bool is_known = false;
  };
  const Slices slices = slices_of(ranks, snapshot.particles.size());
  Name own;
  if (const std::size_t place = particle.slot - slices.first; place < slices.own) {
    own = {snapshot.particles.id[place], snapshot.particles.component[place], true};
  }
  const Name name = combined(ranks, own, [](Name a, Name b) { return a.is_known ? a : b; });
  const auto component = std::size_t(name.component);
  std::string words = "particle " + std::to_string(name.id);
  if (component < snapshot.components.size()) words += " of " + snapshot.components[component].name;
  return words + " at " + vector(particle.position);
}

std::string cause_of_error(Simulation& simulation, std::span<const float> masses,
                           Communicator& ranks) {
  const ForceOptions force = simulation.facts().force;
  const Roughness rough = simulation.diagnosis().roughness;
  const double sum =
      combined(ranks, std::accumulate(masses.begin(), masses.end(), 0.0), std::plus<>());
  const double mass = sum / double(slices_of(ranks, masses.size()).all);
  const double pull = force.acceptance.gravity * mass / (force.softening * force.softening);
  const std::string shorter = "use a smaller eta, or a smaller fixed or longest step";
  if (mass == 0 || rough.acceleration == 0) return "the steps are long; " + shorter;
  const double change = rough.change / rough.acceleration, neighbour = pull / rough.acceleration;
  if (neighbour > 10) {
    return fmt::format(
        "the softening is short for so few particles, at that distance one pulls {:.2g} times as "
        "strongly as all together do on average; use a longer softening, or more particles",
        neighbour);
  }
  if (change > 0.25) {
    return fmt::format(
        "the steps are long, accelerations change by {:.2g} of their value in one (root mean "
        "squares); {}",
        change, shorter);
  }
  return fmt::format(
      "probably forces, or else steps, are not accurate enough; use a smaller accuracy parameter "
      "than {}, or a smaller eta",
      force.acceptance.accuracy);
}

double energy_error(const EnergyRecord& energy, double first_energy) {
  const Conserved& sums = energy.sums;
  return sums.mass > 0 ? sums.total() / first_energy - 1 : energy.tracers.largest;
}

RunMonitor::Particles particles_of(Simulation& simulation, const files::Snapshot& snapshot,
                                   Communicator& ranks) {
  // At the end the steps are cut, and none follows.
  return {[&] { return simulation.finished() ? StepLevels() : simulation.levels(); },
          simulation.facts().shortest_countable,
          [&] {
            const Diagnosis diagnosis = simulation.diagnosis();
            const OneParticle& particle = diagnosis.shortest;
            const double step = diagnosis.shortest_step;
            const float a2 = step_acceleration2(particle.acceleration, particle.velocity);
            return RunMonitor::Particles::Shortest{
                step, described(particle, snapshot, ranks) + " has the acceleration " +
                          formatted("{:.4g}", std::sqrt(a2)) + ", and so the step " +
                          formatted("{:.4g}", step)};
          },
          [&] { return cause_of_error(simulation, snapshot.particles.mass, ranks); }};
}

void check_finite(Simulation& simulation, const files::Snapshot& snapshot, const Conserved& sums,
                  Communicator& ranks) {
  if (std::isfinite(sums.total())) return;
  std::string message =
      "the energy became infinite at time " + formatted("{:.6g}", simulation.time());
  const OneParticle first = simulation.diagnosis().not_finite;
  if (first.slot != OneParticle::none) {
    message += ": " + described(first, snapshot, ranks) + " with the velocity " +
               vector(first.velocity) + " and the acceleration " + vector(first.acceleration) +
               " is the first that is not finite";
  }
  throw std::runtime_error(message + "; use a smaller eta or a larger softening");
}

}  // namespace gothic
