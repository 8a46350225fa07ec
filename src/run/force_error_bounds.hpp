#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/gravity/force_options.hpp"
#include "core/observers/force_errors.hpp"
#include "files/snapshot.hpp"
#include "run/energy_change.hpp"

/// What the errors of the forces mean for a run, in words.
namespace gothic {

/// How exact the forces are, such as "99 % of the force errors below 8.7e-4 (accuracy 0.0017,
/// quadrupole)".
std::string in_words(const ForceErrorRecord& all);

/// Warns of errors that are not as they should be, of each kind once.
class ForceErrorBounds {
 public:
  /// What the energy may do.
  struct Energy {
    double total = 0;  ///< at the start
    double bound = 0;  ///< of its relative change; 0: none
    double span = 0;   ///< time from start to end; infinite: not known
  };

  /// \param asked 99 % error that is asked for; 0 for none
  explicit ForceErrorBounds(double asked = 0, std::vector<files::ComponentInfo> components = {})
      : asked_(asked), components_(std::move(components)) {}

  /// The warnings that records give cause for: an error beyond the one asked for, of a component
  /// beyond twice that, and errors whose power, as all samples show it, would change the energy by
  /// more than its bound.
  /// \param work of all samples, these records included
  std::vector<std::string> warnings(const std::vector<ForceErrorRecord>& records,
                                    const ForceWork& work, const Energy& energy);

 private:
  std::string of_all(const ForceErrorRecord& all) const;
  std::string of_component(const ForceErrorRecord& one, double of_all) const;
  static std::string of_power(const ForceErrorRecord& all, const ForceWork& work,
                              const Energy& energy);

  double asked_;
  std::vector<files::ComponentInfo> components_;
  std::set<std::string> told_;  ///< kinds
};

}  // namespace gothic
