#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "files/text.hpp"
#include "run/reporter.hpp"

namespace gothic {
namespace {

using files::duration;
using files::formatted;
using files::with_prefix;

class TextReporter final : public Reporter {
 public:
  TextReporter(std::ostream& out, std::function<int()> columns)
      : out_(out), columns_(std::move(columns)) {}
  TextReporter(const TextReporter&) = delete;
  ~TextReporter() override {
    if (is_open_) out_ << std::endl;
  }

  double interval() const override { return columns_ ? 0.5 : 10; }

  void started(const RunOutline& outline, double) override { outline_ = outline; }

  void progress(const Progress& progress) override {
    std::string line = place(progress);
    if (std::isfinite(progress.remaining)) line += ", ETA " + duration(progress.remaining);
    show(line + state(progress));
  }

  void wrote(const std::string&, const std::string&, const Progress&) override {}

  void warned(const std::string&, const Progress&) override {
    if (is_open_) out_ << "\r\033[K" << std::flush;
    is_open_ = false;
  }

  void ended(const std::string& reason, const Progress& progress) override {
    show(place(progress) + ", " + reason + " after " + duration(progress.wall) + state(progress));
    if (is_open_) out_ << std::endl;
    is_open_ = false;
  }

 private:
  std::string place(const Progress& progress) const {
    std::string text = "t " + formatted("{:.5g}", progress.time);
    if (std::isfinite(outline_.end_time)) text += " of " + formatted("{:.5g}", outline_.end_time);
    text += ", step " + std::to_string(progress.step);
    if (outline_.last_step > 0) text += " of " + std::to_string(outline_.last_step);
    return text;
  }

  static std::string state(const Progress& progress) {
    return fmt::format(
        ", {} steps/s, {} pairs/s, dE/E {}, shortest step {}",
        with_prefix(progress.steps_per_second), with_prefix(progress.interactions_per_second),
        formatted("{:.1e}", progress.energy_error), formatted("{:.3g}", progress.shortest_step));
  }

  void show(std::string line) {
    if (!columns_) {
      out_ << line << std::endl;
      return;
    }
    const int columns = columns_();
    // The last column stays free: some terminals begin a new line there.
    if (columns > 1 && line.size() >= std::size_t(columns)) line.resize(std::size_t(columns) - 1);
    out_ << '\r' << line << "\033[K" << std::flush;
    is_open_ = true;
  }

  std::ostream& out_;
  std::function<int()> columns_;
  RunOutline outline_;
  bool is_open_ = false;  ///< whether the cursor is on the line of the progress
};

}  // namespace

std::unique_ptr<Reporter> make_text_reporter(std::ostream& out, std::function<int()> columns) {
  return std::make_unique<TextReporter>(out, std::move(columns));
}

}  // namespace gothic
