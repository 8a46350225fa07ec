#include "run/force_error_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "files/text.hpp"

namespace gothic {

using files::formatted;

std::string in_words(const ForceErrorRecord& all) {
  return fmt::format("99 % of the force errors below {} (accuracy {}, {})",
                     formatted("{:.2g}", all.percentile_99), formatted("{:.3g}", all.accuracy),
                     order_names[int(all.order)]);
}

std::string ForceErrorBounds::of_all(const ForceErrorRecord& all) const {
  constexpr double much = 1.25;
  if (asked_ == 0 || !(all.percentile_99 > much * asked_)) return "";
  const std::string found =
      fmt::format("99 % of the force errors are below {}, not {} as was asked for: ",
                  formatted("{:.2g}", all.percentile_99), files::shortest(asked_));
  if (all.step > 0) return found + "the accuracy of the coming steps is corrected";
  return found + "no accuracy that was tried gives it; ask for a larger --force-error";
}

std::string ForceErrorBounds::of_component(const ForceErrorRecord& one, double of_all) const {
  constexpr double much = 2;
  if (asked_ == 0 || !(one.percentile_99 > much * std::max(asked_, of_all))) return "";
  const auto number = std::size_t(one.component);
  const std::string name = number < components_.size() ? components_[number].name
                                                       : "component " + std::to_string(number);
  return fmt::format(
      "99 % of the force errors on {} are below {}, more than twice the {} that is asked for all "
      "particles; use a smaller --force-error if {} matters",
      name, formatted("{:.2g}", one.percentile_99), files::shortest(asked_), name);
}

std::string ForceErrorBounds::of_power(const ForceErrorRecord& all, const ForceWork& work,
                                       const Energy& energy) {
  constexpr double sure = 4;  // standard errors
  if (!std::isfinite(energy.span) || energy.bound == 0) return "";
  if (work.samples() < ForceWork::enough) return "";
  const double certain = std::abs(work.mean()) - sure * work.error();
  if (!(certain * energy.span > energy.bound * std::abs(energy.total))) return "";
  return fmt::format(
      "the errors of the forces point along the velocities, with P = {}; they would change the "
      "energy by {} of its value within the run, more than the energy bound of {}; use a smaller "
      "accuracy, or a smaller --force-error",
      formatted("{:.1e}", all.power), formatted("{:.1g}", work.mean() * energy.span / energy.total),
      files::shortest(energy.bound));
}

std::vector<std::string> ForceErrorBounds::warnings(const std::vector<ForceErrorRecord>& records,
                                                    const ForceWork& work, const Energy& energy) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& kind, std::string warning) {
    if (!warning.empty() && told_.insert(kind).second) result.push_back(std::move(warning));
  };
  for (const ForceErrorRecord& record : records) {
    if (record.component != ForceErrorRecord::all) {
      add("component " + std::to_string(record.component),
          of_component(record, records.front().percentile_99));
      continue;
    }
    add(record.step > 0 ? "later" : "start", of_all(record));
    add("power", of_power(record, work, energy));
  }
  return result;
}

}  // namespace gothic
