#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
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
};

/// How a run is getting on. What is not known is not a number.
struct Progress {
  double time = 0;                 ///< simulated
  std::int64_t step = 0;           ///< number of the last step
  double steps_per_second = 0;     ///< of late
  double interactions_per_second;  ///< the same
  double energy_error = 0;         ///< change since the start over the absolute value then
  double shortest_step = 0;        ///< at present
  double remaining = 0;            ///< seconds to the end
  double wall = 0;                 ///< seconds since the start
};

/// Tells people or programs of a run.
class Reporter {
 public:
  virtual ~Reporter() = default;

  /// Seconds between two calls of `progress`, at least.
  virtual double interval() const = 0;

  virtual void started(const RunOutline& outline, double wall) = 0;
  virtual void progress(const Progress& progress) = 0;
  /// \param kind snapshot or checkpoint
  virtual void wrote(const std::string& kind, const std::string& file,
                     const Progress& progress) = 0;
  /// Called before the message goes to standard error.
  virtual void warned(const std::string& message, const Progress& progress) = 0;
  /// \param reason a few words, such as finished
  virtual void ended(const std::string& reason, const Progress& progress) = 0;
};

/// One line for readers. On a terminal it is written anew in place, twice a second; elsewhere every
/// ten seconds there is a new line.
///
/// \param columns asked for the width of the terminal; empty if there is none
std::unique_ptr<Reporter> make_text_reporter(std::ostream& out, std::function<int()> columns);

/// Objects of JSON, one to a line; see docs/long_runs.md.
std::unique_ptr<Reporter> make_json_reporter(std::ostream& out);

}  // namespace gothic
