#include "run/stop_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <any>
#include <cmath>
#include <numbers>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

#include "core/observers/error_sample.hpp"
#include "core/observers/lagrangian_radii.hpp"
#include "files/error.hpp"
#include "files/quantity.hpp"
#include "files/text.hpp"

namespace gothic {
namespace {

using Quantity = StopRule::Quantity;

bool needs_radii(const StopRule& rule) {
  return rule.quantity == Quantity::radius || rule.quantity == Quantity::density;
}

/// Names of the components that have particles, by their numbers; where there are no names, the
/// numbers.
std::vector<std::pair<std::int32_t, std::string>> named_components(const files::Snapshot& particles,
                                                                   Communicator& ranks) {
  std::vector<std::pair<std::int32_t, std::string>> named;
  for (const auto& [number, count] : components_of(ranks, particles.particles.component)) {
    const auto place = std::size_t(number);
    const bool has_name = place < particles.components.size();
    named.emplace_back(number,
                       has_name ? particles.components[place].name : std::to_string(number));
  }
  return named;
}

/// Reads rules and throws what is wrong with one.
class RuleReader {
 public:
  RuleReader(const std::string& option, const files::Snapshot& particles, Communicator& ranks)
      : option_(option), units_(particles.units), components_(named_components(particles, ranks)) {}

  StopRule read(const std::string& text) const {
    static const std::regex form(
        R"(\s*(energy|time|radius|density)\s*(?:\(([^(),]*)(?:,([^(),]*))?\))?\s*([<>])\s*(.*?)\s*)");
    std::smatch part;
    if (!std::regex_match(text, part, form)) {
      fail(text,
           "is no rule; write energy > BOUND, time > TIME, radius(COMPONENT, FRACTION) > LENGTH or "
           "density(COMPONENT, FRACTION) < DENSITY");
    }
    StopRule rule{.text = text};
    rule.quantity = part[1] == "energy"   ? Quantity::energy
                    : part[1] == "time"   ? Quantity::time
                    : part[1] == "radius" ? Quantity::radius
                                          : Quantity::density;
    const bool is_of_component = needs_radii(rule);
    if (is_of_component != part[2].matched) {
      fail(text, is_of_component
                     ? "names no component; " + use_one_of_components()
                     : part[1].str() + " is that of all particles; leave out the component");
    }
    if (is_of_component) rule.component = component(text, trimmed(part[2]));
    rule.fraction = fraction(text, part[3].matched ? trimmed(part[3]) : "0.5");
    rule.is_upper = part[4] == ">";
    rule.bound = bound(text, rule.quantity, part[5]);
    return rule;
  }

 private:
  [[noreturn]] void fail(const std::string& text, const std::string& problem) const {
    throw InputError(option_ + " '" + text + "': " + problem);
  }

  static std::string trimmed(const std::string& text) {
    return std::regex_replace(text, std::regex(R"(^\s+|\s+$)"), "");
  }

  std::string use_one_of_components() const {
    std::vector<std::string> names;
    for (const auto& [number, name] : components_) names.push_back(name);
    return fmt::format("use one of: {}", fmt::join(names, ", "));
  }

  std::int32_t component(const std::string& text, const std::string& name) const {
    for (const auto& [number, own] : components_) {
      if (own == name) return number;
    }
    fail(text, "there is no component '" + name + "'; " + use_one_of_components());
  }

  std::size_t fraction(const std::string& text, const std::string& number) const {
    const auto found =
        std::ranges::find(lagrange_fractions, files::read_number(number).value_or(0));
    if (found == lagrange_fractions.end()) {
      fail(text,
           fmt::format("'{}' is no fraction of the mass whose radius is measured; use one of: {}",
                       number, fmt::join(lagrange_fractions, ", ")));
    }
    return std::size_t(found - lagrange_fractions.begin());
  }

  double bound(const std::string& text, Quantity quantity, const std::string& number) const {
    using files::Dimension;
    const Dimension dimension = quantity == Quantity::energy   ? Dimension::none
                                : quantity == Quantity::time   ? Dimension::time
                                : quantity == Quantity::radius ? Dimension::length
                                                               : Dimension::density;
    const std::optional<files::Quantity> read = files::read_quantity(number, dimension);
    if (!read || !(read->number > 0) || !std::isfinite(read->number)) {
      const std::string units = dimension == Dimension::none
                                    ? ""
                                    : ", whose unit may be " + files::known_units(dimension);
      fail(text, "'" + number + "' is no number above 0" + units + "; correct it");
    }
    const std::optional<double> own = read->in(units_);
    if (!own) fail(text, "the particles have model units; leave out the unit");
    return *own;
  }

  std::string option_;
  files::Units units_;
  std::vector<std::pair<std::int32_t, std::string>> components_;
};

double value_of(const StopRule& rule, double time, double energy_error,
                const std::vector<LagrangianRadii>& components) {
  if (rule.quantity == Quantity::energy) return std::abs(energy_error);
  if (rule.quantity == Quantity::time) return time;
  const LagrangianRadii& own =
      *std::ranges::find(components, rule.component, &LagrangianRadii::component);
  const double radius = own.radius[rule.fraction];
  if (rule.quantity == Quantity::radius) return radius;
  const double mass = lagrange_fractions[rule.fraction] * own.mass;
  return mass / (4 * std::numbers::pi / 3 * radius * radius * radius);
}

}  // namespace

std::vector<StopRule> read_stop_rules(const std::string& text, const std::string& option,
                                      const files::Snapshot& particles, Communicator& ranks) {
  if (text.empty()) return {};
  const RuleReader reader(option, particles, ranks);
  constexpr std::string_view between = " or ";
  std::vector<StopRule> rules;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + between.size()) {
    end = std::min(text.find(between, begin), text.size());
    rules.push_back(reader.read(text.substr(begin, end - begin)));
  }
  return rules;
}

std::string holding_rule(const std::vector<StopRule>& rules, Simulation& simulation,
                         double energy_error) {
  std::vector<LagrangianRadii> radii;
  if (std::ranges::any_of(rules, needs_radii)) {
    radii = std::any_cast<std::vector<LagrangianRadii>>(simulation.measure("lagrange").found);
  }
  for (const StopRule& rule : rules) {
    const double value = value_of(rule, simulation.time(), energy_error, radii);
    const bool holds = rule.is_upper ? value > rule.bound : value < rule.bound;
    if (holds) return fmt::format("{} ({:.4g})", rule.text, value);
  }
  return "";
}

void require_none_holds(const std::vector<StopRule>& rules, const std::string& option,
                        Simulation& simulation) {
  const std::string rule = holding_rule(rules, simulation, 0);
  if (rule.empty()) return;
  throw InputError(option + " " + rule + ": holds at the start; choose another bound");
}

}  // namespace gothic
