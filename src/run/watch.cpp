#include "run/watch.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <utility>

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

std::unique_ptr<Reporter> make_reporter(LogKind kind, const Watch::Means& means) {
  if (kind == LogKind::automatic) kind = means.is_terminal ? LogKind::text : LogKind::none;
  if (kind == LogKind::json) return make_json_reporter(means.out);
  if (kind == LogKind::none) return nullptr;
  return make_text_reporter(means.error, means.is_terminal ? means.columns : nullptr);
}

}  // namespace

Watch::Means Watch::process_means() {
  return {
      std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1, terminal_columns, [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
      }};
}

Watch::Watch(LogKind kind, Means means)
    : means_(std::move(means)), reporter_(make_reporter(kind, means_)), start_(means_.seconds()) {}

void Watch::started(const RunOutline& outline, Particles particles) {
  outline_ = outline;
  particles_ = std::move(particles);
  last_look_ = last_report_ = means_.seconds();
  now_ = {last_look_, outline.time, outline.step, 0};
  pace_ = Pace(now_);
  read_levels();
  if (reporter_) reporter_->started(outline_, last_look_ - start_);
}

void Watch::stepped(const StepRecord& record) {
  now_ = {means_.seconds(), record.time, record.step,
          now_.interactions + record.force.interactions};
  pace_.add(now_, period_);
  if (now_.wall - last_look_ < look_interval) return;
  look();
  if (!reporter_ || now_.wall - last_report_ < reporter_->interval()) return;
  last_report_ = now_.wall;
  reporter_->progress(progress());
}

void Watch::measured(double energy) {
  if (std::isnan(first_energy_)) {
    first_energy_ = energy;
    look();
  }
  energy_error_ = (energy - first_energy_) / std::abs(first_energy_);
}

void Watch::wrote(const std::string& kind, const std::string& file) {
  if (reporter_) reporter_->wrote(kind, file, progress());
}

void Watch::warned(const std::string& message) {
  if (reporter_) reporter_->warned(message, progress());
  means_.error << "gothic: warning: " << message << std::endl;
}

void Watch::ended(const std::string& reason) {
  look();
  if (reporter_) reporter_->ended(reason, progress());
}

void Watch::failed() {
  if (reporter_) reporter_->ended("failed", progress());
}

void Watch::look() {
  last_look_ = means_.seconds();
  read_levels();
  check_steps();
}

void Watch::read_levels() {
  const StepLevels levels = particles_.levels();
  period_ = work_period(levels);
  shortest_step_ = levels.front().step;
}

void Watch::check_steps() {
  if (is_stuck_ || now_.time >= outline_.end_time) return;
  const double tick = particles_.shortest_countable;
  const std::string steps = "the steps are so short that ";
  std::string problem;
  if (tick > 0 && shortest_step_ <= tick && particles_.shortest().step < tick) {
    problem = "a particle wants a step below " + files::shortest(tick) +
              ", the shortest that this run can count";
  } else if (pace_.steps() >= enough_steps && pace_.time_per_step() == 0) {
    problem = steps + "the time, " + files::shortest(now_.time) + ", no longer advances";
  } else if (pace_.steps() >= enough_steps &&
             outline_.end_time - now_.time > too_many_steps * pace_.time_per_step() &&
             std::isfinite(outline_.end_time)) {
    problem = steps + "more than 1e9 of them remain";
  } else {
    return;
  }
  is_stuck_ = true;
  warned(problem + ": " + particles_.shortest().particle +
         "; use a larger --softening or a larger --eta, and check the input for heavy particles "
         "in one place");
}

Progress Watch::progress() const {
  const double wall = means_.seconds();
  const double remaining = outline_.last_step > 0 ? pace_.seconds_to_step(outline_.last_step)
                                                  : pace_.seconds_to_time(outline_.end_time);
  return {now_.time,
          now_.step,
          pace_.steps_per_second(),
          pace_.interactions_per_second(),
          energy_error_,
          shortest_step_,
          remaining,
          wall - start_};
}

}  // namespace gothic
