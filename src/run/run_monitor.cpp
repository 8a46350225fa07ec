#include "run/run_monitor.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "core/messages/slices.hpp"
#include "files/text.hpp"

namespace gothic {
namespace {

/// Runs beyond these are told what makes them long.
constexpr double many_steps = 1e6, long_time = 14 * 86400.0;
/// Steps that show the pace of a run.
constexpr std::int64_t enough_steps = 64;

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::unique_ptr<Reporter> make_reporter(LogKind kind, const RunMonitor::Means& means) {
  if (kind == LogKind::automatic && !means.is_terminal) return make_summary_reporter(means.out);
  if (kind == LogKind::json) return make_json_reporter(means.out);
  if (kind == LogKind::none) return nullptr;
  return make_text_reporter(means.error, means.is_terminal ? means.columns : nullptr);
}

using files::formatted;

/// Not finite ones, too: they are what is looked for.
std::string number(float value) {
  return std::isfinite(value) ? formatted("{:.4g}", value) : std::isnan(value) ? "nan" : "inf";
}

/// \param particle that wants the shortest step, in words
std::string remedy_of_steps(const std::string& particle) {
  return ": " + particle +
         "; use a larger --softening or a larger --eta, and check the input for heavy particles in "
         "one place";
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
  if (outline.is_isolated) {
    const std::string warning = virial_warning(outline.virial_ratio, outline.particles);
    if (!warning.empty()) warned(warning);
  }
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

void RunMonitor::measured(double energy_error, double first_energy) {
  energy_error_ = energy_error;
  first_energy_ = first_energy;
  if (!(std::abs(energy_error) <= std::abs(largest_error_))) largest_error_ = energy_error;
  const std::string warning = energy_bound_.warning(energy_error, [this](double error) {
    return particles_.cause_of_change(error, first_energy_, work_);
  });
  if (!warning.empty()) warned(warning);
}

void RunMonitor::warned(const std::string& message) {
  tell(RunEvent::warning, message);
  means_.error << "gothic: warning: " << message << std::endl;
}

void RunMonitor::ended(const std::string& reason, bool is_done) {
  look();
  const bool is_known = std::isfinite(energy_error_) && energy_error_ != 0;
  if (is_done && is_known) {
    outline_.advice = "for a smaller change of the energy: " +
                      particles_.cause_of_change(energy_error_, first_energy_, work_);
  }
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
  const std::string problem = problem_of_steps();
  if (problem.empty()) return;
  is_stuck_ = true;
  warned(problem);
}

std::string RunMonitor::problem_of_steps() const {
  const double tick = particles_.shortest_countable;
  const Advance recent = speed_.window();
  const auto shortest = [&] { return particles_.shortest().particle; };
  if (tick > 0 && shortest_step_ <= tick && particles_.shortest().step < tick) {
    return "a particle wants a step below " + files::shortest(tick) +
           ", the shortest that this run can count" + remedy_of_steps(shortest());
  }
  if (shortest_step_ > 0 && now_.time + shortest_step_ == now_.time) {
    return "the steps are so short that the time, " + files::shortest(now_.time) +
           ", no longer advances" + remedy_of_steps(shortest());
  }
  if (now_.step - outline_.step < enough_steps || !std::isfinite(outline_.end_time)) return "";
  return length_warning((outline_.end_time - now_.time) / recent.time_per_step(),
                        speed_.seconds_to_time(outline_.end_time), shortest);
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
                          .largest_error = largest_error_,
                          .shortest_step = shortest_step_,
                          .remaining = outline_.last_step > 0
                                           ? speed_.seconds_to_step(outline_.last_step)
                                           : speed_.seconds_to_time(outline_.end_time),
                          .wall = means_.seconds() - start_};
  reporter_->tell(event, progress, text);
}

std::string virial_warning(double virial_ratio, std::uint64_t particles) {
  constexpr double factor = 4;  // twice or half the velocities of equilibrium
  constexpr std::uint64_t many = 100;
  const bool is_cold = virial_ratio<1 / factor, is_hot = virial_ratio> factor;
  if (particles < many || !(is_cold || is_hot)) return "";
  return fmt::format(
      "the virial ratio is {} at the start, and 1 in equilibrium: the particles will {}; unless "
      "that is meant, check the units of velocities, masses and positions",
      files::rounded(virial_ratio, 2), is_cold ? "collapse" : "fly apart");
}

std::string length_warning(double steps, double seconds,
                           const std::function<std::string()>& shortest) {
  if (!(steps > many_steps) && !(seconds > long_time)) return "";
  const std::string pace =
      std::isfinite(seconds) ? ", " + files::duration(seconds) + " at this pace" : "";
  return fmt::format("{:.2g} steps remain{}{}", steps, pace, remedy_of_steps(shortest()));
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
                step, described(particle, snapshot, ranks) + " has felt the acceleration " +
                          formatted("{:.4g}", std::sqrt(a2)) + ", and so has the step " +
                          formatted("{:.4g}", step)};
          },
          [&, start = snapshot.time](double error, double first_energy, const ForceWork& work) {
            return EnergyWatch{simulation, work, snapshot, start, ranks}.cause(error, first_energy);
          }};
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
