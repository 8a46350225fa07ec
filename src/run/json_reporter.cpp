#include <ostream>

#include "files/json_line.hpp"
#include "run/reporter.hpp"

namespace gothic {
namespace {

class JsonReporter final : public Reporter {
 public:
  explicit JsonReporter(std::ostream& out) : out_(out) {}

  double interval() const override { return 1; }

  void started(const RunOutline& outline, double wall) override {
    outline_ = outline;
    files::JsonLine line;
    line.put("event", "start")
        .put("time", outline.time)
        .put("end_time", outline.end_time)
        .put("step", outline.step);
    put_last_step(line)
        .put("particles", outline.particles)
        .put("device", outline.device)
        .put("threads", outline.threads)
        .put("wall_s", wall);
    write(line);
  }

  void progress(const Progress& progress) override {
    files::JsonLine line = event("progress", progress);
    put_rates(line, progress);
    write(line);
  }

  void wrote(const std::string& kind, const std::string& file, const Progress& progress) override {
    write(event(kind, progress).put("file", file));
  }

  void warned(const std::string& message, const Progress& progress) override {
    write(event("warning", progress).put("message", message));
  }

  void ended(const std::string& reason, const Progress& progress) override {
    files::JsonLine line = event("end", progress);
    put_rates(line, progress);
    write(line.put("reason", reason));
  }

 private:
  /// The keys that all events but the first have.
  static files::JsonLine event(const std::string& name, const Progress& progress) {
    return files::JsonLine()
        .put("event", name)
        .put("time", progress.time)
        .put("step", progress.step)
        .put("wall_s", progress.wall);
  }

  void put_rates(files::JsonLine& line, const Progress& progress) const {
    line.put("end_time", outline_.end_time);
    put_last_step(line)
        .put("steps_per_s", progress.steps_per_second)
        .put("interactions_per_s", progress.interactions_per_second)
        .put("energy_error", progress.energy_error)
        .put("smallest_step", progress.shortest_step)
        .put("eta_s", progress.remaining);
  }

  files::JsonLine& put_last_step(files::JsonLine& line) const {
    if (outline_.last_step > 0) return line.put("last_step", outline_.last_step);
    return line.put_null("last_step");
  }

  void write(const files::JsonLine& line) { out_ << line.text() << '\n' << std::flush; }

  std::ostream& out_;
  RunOutline outline_;
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter(std::ostream& out) {
  return std::make_unique<JsonReporter>(out);
}

}  // namespace gothic
