#include "ic/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gothic::ic {
namespace {

constexpr std::chrono::milliseconds interval{500};

}  // namespace

Progress::Progress(std::ostream& out, std::string what, std::size_t total)
    : out_(out), what_(std::move(what)), total_(total), next_(Clock::now() + interval) {}

Progress::~Progress() {
  if (width_ > 0) out_ << '\r' << std::string(width_, ' ') << '\r' << std::flush;
}

void Progress::add(std::size_t done) {
  const std::scoped_lock lock(adding_);
  done_ += done;
  if (Clock::now() < next_) return;
  const double fraction = static_cast<double>(done_) / static_cast<double>(total_);
  const std::string line = fmt::format("{}: {:.0f} %", what_, 100 * fraction);
  out_ << '\r' << line << std::flush;
  width_ = std::max(width_, line.size());
  next_ = Clock::now() + interval;
}

}  // namespace gothic::ic
