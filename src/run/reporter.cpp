#include "run/reporter.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "files/text.hpp"

namespace gothic {
namespace {

using files::duration;
using files::formatted;
using files::with_prefix;

class TextReporter final : public Reporter {
 public:
  /// What is told of a run.
  enum class Events { all, start_and_end };

  TextReporter(std::ostream& out, std::function<int()> columns, Events events = Events::all)
      : out_(out), columns_(std::move(columns)), events_(events) {}
  TextReporter(const TextReporter&) = delete;
  ~TextReporter() override { close_line(); }

  double interval() const override { return columns_ ? 0.5 : 10; }

  void tell(RunEvent event, const Progress& progress, const std::string& text) override {
    if (event == RunEvent::start) {
      show(beginning(progress));
      close_line();
    } else if (event == RunEvent::end) {
      show(place(progress) + ", " + text + " after " + duration(progress.wall) + state(progress) +
               ending(progress),
           false);
      close_line();
      if (!progress.outline.advice.empty()) show(progress.outline.advice, false);
      close_line();
    } else if (events_ == Events::start_and_end) {
      return;
    } else if (event == RunEvent::progress) {
      const bool is_known = std::isfinite(progress.remaining);
      show(place(progress) + (is_known ? ", ETA " + duration(progress.remaining) : "") +
           state(progress));
    } else if (event == RunEvent::snapshot) {
      show(text + " is of t " + formatted("{:.5g}", progress.time));
      close_line();
    } else if (event == RunEvent::warning) {
      if (is_open_) out_ << "\r\033[K" << std::flush;
      is_open_ = false;
    }
  }

 private:
  static std::string place(const Progress& progress) {
    const RunOutline& outline = progress.outline;
    std::string text = "t " + formatted("{:.5g}", progress.time);
    if (std::isfinite(outline.end_time)) text += " of " + formatted("{:.5g}", outline.end_time);
    text += ", step " + std::to_string(progress.step);
    if (outline.last_step > 0) text += " of " + std::to_string(outline.last_step);
    return text;
  }

  static std::string beginning(const Progress& progress) {
    const RunOutline& outline = progress.outline;
    const std::string ratio = std::isfinite(outline.virial_ratio)
                                  ? ", virial ratio " + formatted("{:.3g}", outline.virial_ratio)
                                  : "";
    return fmt::format("{}, {} particles on {}{}{}", place(progress), outline.particles,
                       outline.device, ratio, outline.forces.empty() ? "" : ", " + outline.forces);
  }

  static std::string ending(const Progress& progress) {
    const std::string output = progress.outline.output;
    return fmt::format("; largest dE/E {}{}", formatted("{:.1e}", progress.largest_error),
                       output.empty() ? "" : "; results are in " + output);
  }

  static std::string state(const Progress& progress) {
    return fmt::format(
        ", {} steps/s, {} pairs/s, dE/E {}, shortest step {}",
        with_prefix(progress.steps_per_second), with_prefix(progress.interactions_per_second),
        formatted("{:.1e}", progress.energy_error), formatted("{:.3g}", progress.shortest_step));
  }

  /// \param fits whether the line is cut where the terminal ends
  void show(std::string line, bool fits = true) {
    if (!columns_) {
      out_ << line << std::endl;
      return;
    }
    const int columns = columns_();
    // The last column stays free: some terminals begin a new line there.
    if (fits && columns > 1 && line.size() >= std::size_t(columns))
      line.resize(std::size_t(columns) - 1);
    out_ << '\r' << line << "\033[K" << std::flush;
    is_open_ = true;
  }

  void close_line() {
    if (is_open_) out_ << std::endl;
    is_open_ = false;
  }

  std::ostream& out_;
  std::function<int()> columns_;
  Events events_;
  bool is_open_ = false;  ///< whether the cursor is on the line of the progress
};

using Json = nlohmann::ordered_json;

class JsonReporter final : public Reporter {
 public:
  explicit JsonReporter(std::ostream& out) : out_(out) {}

  double interval() const override { return 1; }

  void tell(RunEvent event, const Progress& progress, const std::string& text) override {
    static constexpr std::array names = {"start",      "progress", "snapshot",
                                         "checkpoint", "warning",  "end"};
    const RunOutline& outline = progress.outline;
    const Json last_step = outline.last_step > 0 ? Json(outline.last_step) : Json();
    Json line = {{"event", names[std::size_t(event)]},
                 {"time", progress.time},
                 {"step", progress.step},
                 {"wall_s", progress.wall}};
    if (event == RunEvent::start) {
      line.update({{"end_time", outline.end_time},
                   {"last_step", last_step},
                   {"particles", outline.particles},
                   {"device", outline.device},
                   {"threads", outline.threads},
                   {"virial_ratio", outline.virial_ratio},
                   {"force_error", outline.force_error}});
    }
    if (event == RunEvent::progress || event == RunEvent::end) {
      line.update({{"end_time", outline.end_time},
                   {"last_step", last_step},
                   {"steps_per_s", progress.steps_per_second},
                   {"interactions_per_s", progress.interactions_per_second},
                   {"energy_error", progress.energy_error},
                   {"smallest_step", progress.shortest_step},
                   {"eta_s", progress.remaining}});
    }
    if (event == RunEvent::snapshot || event == RunEvent::checkpoint) line["file"] = text;
    if (event == RunEvent::warning) line["message"] = text;
    if (event == RunEvent::end) {
      line.update({{"largest_energy_error", progress.largest_error},
                   {"reason", text},
                   {"advice", outline.advice.empty() ? Json() : Json(outline.advice)}});
    }
    // Numbers that are not finite become null, bytes that are not UTF-8 U+FFFD.
    out_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
  }

 private:
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Reporter> make_text_reporter(std::ostream& out, std::function<int()> columns) {
  return std::make_unique<TextReporter>(out, std::move(columns));
}

std::unique_ptr<Reporter> make_summary_reporter(std::ostream& out) {
  return std::make_unique<TextReporter>(out, nullptr, TextReporter::Events::start_and_end);
}

std::unique_ptr<Reporter> make_json_reporter(std::ostream& out) {
  return std::make_unique<JsonReporter>(out);
}

}  // namespace gothic
