#include <nlohmann/json.hpp>
#include <ostream>

#include "run/reporter.hpp"

namespace gothic {
namespace {

using Json = nlohmann::ordered_json;

class JsonReporter final : public Reporter {
 public:
  explicit JsonReporter(std::ostream& out) : out_(out) {}

  double interval() const override { return 1; }

  void started(const RunOutline& outline, double wall) override {
    outline_ = outline;
    write({{"event", "start"},
           {"time", outline.time},
           {"end_time", outline.end_time},
           {"step", outline.step},
           {"last_step", last_step()},
           {"particles", outline.particles},
           {"device", outline.device},
           {"threads", outline.threads},
           {"wall_s", wall}});
  }

  void progress(const Progress& progress) override {
    write(with_rates(event("progress", progress), progress));
  }

  void wrote(const std::string& kind, const std::string& file, const Progress& progress) override {
    Json line = event(kind, progress);
    line["file"] = file;
    write(line);
  }

  void warned(const std::string& message, const Progress& progress) override {
    Json line = event("warning", progress);
    line["message"] = message;
    write(line);
  }

  void ended(const std::string& reason, const Progress& progress) override {
    Json line = with_rates(event("end", progress), progress);
    line["reason"] = reason;
    write(line);
  }

 private:
  /// The keys that all events but the first have.
  static Json event(const std::string& name, const Progress& progress) {
    return {{"event", name},
            {"time", progress.time},
            {"step", progress.step},
            {"wall_s", progress.wall}};
  }

  Json with_rates(Json line, const Progress& progress) const {
    line.update({{"end_time", outline_.end_time},
                 {"last_step", last_step()},
                 {"steps_per_s", progress.steps_per_second},
                 {"interactions_per_s", progress.interactions_per_second},
                 {"energy_error", progress.energy_error},
                 {"smallest_step", progress.shortest_step},
                 {"eta_s", progress.remaining}});
    return line;
  }

  Json last_step() const { return outline_.last_step > 0 ? Json(outline_.last_step) : Json(); }

  /// Numbers that are not finite become null, bytes that are not UTF-8 U+FFFD.
  void write(const Json& line) {
    out_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
  }

  std::ostream& out_;
  RunOutline outline_;
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter(std::ostream& out) {
  return std::make_unique<JsonReporter>(out);
}

}  // namespace gothic
