#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>

namespace gothic {

/// What a run has to do.
struct RunOutline {
  double time = 0;             ///< at the start
  double end_time = 0;         ///< infinite where only the number of steps is limited
  std::int64_t step = 0;       ///< at the start
  std::int64_t last_step = 0;  ///< 0 where only the time is limited
  std::uint64_t particles = 0;
  std::string device;
  int threads = 0;
  double energy_bound = 0;  ///< of the error that is not warned of; 0 for none
  std::string output;       ///< folder of the results
  double virial_ratio = std::numeric_limits<double>::quiet_NaN();  ///< at the start, if known
  std::string forces;  ///< how exact they are at the start, in words; empty if not known
  double force_error = std::numeric_limits<double>::quiet_NaN();  ///< 99 %, at the start, if known
  bool is_isolated = true;  ///< whether no external field pulls the particles
  std::string advice = {};  ///< at the end: why the energy has changed; empty if not known
};

/// How a run is getting on. What is not known is not a number.
struct Progress {
  const RunOutline& outline;
  double time = 0;                     ///< simulated
  std::int64_t step = 0;               ///< number of the last step
  double steps_per_second = 0;         ///< of late
  double interactions_per_second = 0;  ///< of late
  double energy_error = 0;             ///< change since the start over the value then
  double largest_error = 0;            ///< the largest of these changes that was measured
  double shortest_step = 0;            ///< at present
  double remaining = 0;                ///< seconds to the end
  double wall = 0;                     ///< seconds since the start
};

/// What a run tells of itself.
enum class RunEvent { start, progress, snapshot, checkpoint, warning, end };

/// Tells people or programs of a run.
class Reporter {
 public:
  virtual ~Reporter() = default;

  /// Least number of seconds from one RunEvent::progress to the next.
  virtual double interval() const = 0;

  /// A warning is told before the message goes to standard error.
  /// \param text the file that was written, the message of a warning, or why the run ended
  virtual void tell(RunEvent event, const Progress& progress, const std::string& text) = 0;
};

/// One line for readers. On a terminal it is written anew in place, twice a second; elsewhere every
/// ten seconds there is a new line.
///
/// \param columns asked for the width of the terminal; empty if there is none
std::unique_ptr<Reporter> make_text_reporter(std::ostream& out, std::function<int()> columns);

/// The first and the last line of the same.
std::unique_ptr<Reporter> make_summary_reporter(std::ostream& out);

/// Objects of JSON, one to a line; see docs/long_runs.md.
std::unique_ptr<Reporter> make_json_reporter(std::ostream& out);

}  // namespace gothic
