#include "settings/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <utility>

#include "core/device/all_devices.hpp"
#include "files/error.hpp"
#include "files/points_file.hpp"
#include "files/snapshot_files.hpp"
#include "files/text.hpp"
#include "paper/force_variant.hpp"
#include "paper/published_parts.hpp"
#include "paper/rebuild_rules.hpp"
#include "run/agreement.hpp"
#include "run/distributed_input.hpp"
#include "settings/checked_inputs.hpp"
#include "settings/far_system.hpp"
#include "settings/reading_options.hpp"

namespace gothic {
namespace {

const std::map<std::string, Mac> macs = {
    {"acceleration", Mac::acceleration}, {"multipole", Mac::multipole}, {"opening", Mac::opening}};
const std::map<std::string, Order> orders = [] {
  std::map<std::string, Order> words = {{"auto", Order::automatic}};
  for (int order = 0; order < order_count; ++order) words[order_names[order]] = Order(order);
  return words;
}();
const std::map<std::string, Curve> curves = {{"hilbert", Curve::hilbert},
                                             {"morton", Curve::morton}};
const std::map<std::string, RootChoice> roots = {{"auto", RootChoice::automatic},
                                                 {"newton", RootChoice::newton},
                                                 {"estimate", RootChoice::estimate}};
const std::map<std::string, RebuildRule> rebuild_rule_words(std::begin(rebuild_rules),
                                                            std::end(rebuild_rules));
const std::map<std::string, LogKind> logs = {{"auto", LogKind::automatic},
                                             {"json", LogKind::json},
                                             {"none", LogKind::none},
                                             {"text", LogKind::text}};

Ball ball_named(const std::string& name) {
  return std::ranges::find(ball_words, name, &BallWord::name)->ball;
}

}  // namespace

Settings::Settings(Options options, std::string input, Communicator& ranks)
    : options_(std::move(options)), input_(std::move(input)), ranks_(ranks) {
  if (options_.given("external")) {
    agree(ranks,
          [&] { field_ = files::read_field_file(options_.file("external"), ExternalField::most); });
  }
}

files::Masses Settings::needed_masses() const {
  return field_ ? files::Masses::may_vanish : files::Masses::needed;
}

files::Snapshot Settings::read_input(double bytes_of_each) const {
  const MemoryNeed need{.to_read = bytes_to_read, .to_work = bytes_of_each, .on_host = [this] {
                          return means_host(device().name);
                        }};
  files::Snapshot snapshot =
      read_in_parts(ranks_, input_, needed_masses(), need, reading_of(options_, "gothic"));
  double softening = snapshot.softening;
  if (options_.given("softening")) {
    softening = options_.quantity("softening", snapshot.units);
  } else {
    for (const files::ComponentInfo& component : snapshot.components) {
      const double own = component.softening;
      if (own > 0 && (softening == 0 || own < softening)) softening = own;
    }
  }
  const auto warning = warning_of_far_system(snapshot, softening, ranks_);
  if (warning && leads(ranks_)) {
    std::cerr << "gothic: warning: " << input_ << ": " << *warning << std::endl;
  }
  return snapshot;
}

std::vector<files::Vec3> Settings::read_points() const {
  if (!options_.given("at")) return {};
  return files::read_points(options_.file("at"));
}

DeviceChoice Settings::device() const {
  return {.name = options_.text("device"),
          .threads = int(options_.integer("threads")),
          .blocks = {.warp_threads = int(options_.integer("warp-threads")),
                     .index_threads = int(options_.integer("index-threads"))}};
}

void Settings::require_softening(double length, const std::string& where) const {
  const std::string option = options_.shown("softening");
  if (length == 0) {
    throw InputError(where + ": no softening is given; give its length with " + option);
  }
  constexpr double least = 1e-12, most = 1e12;  // of which cubes are single-precision numbers
  if (length < least || length > most) {
    throw InputError(where + ": " + files::shortest(length) +
                     " is out of the range of single precision; choose other units or give " +
                     files::shortest(least) + " to " + files::shortest(most) + " with " + option);
  }
}

Settings::Softening Settings::softening(const files::Snapshot& particles) const {
  const double mass = combined(ranks_, files::total_mass(particles.particles), std::plus<>());
  if (mass == 0) return {.length = 1};  // softens nothing
  Softening softening;
  if (options_.given("softening")) {
    softening.length = options_.quantity("softening", particles.units);
    require_softening(softening.length, options_.shown("softening"));
  } else {
    softening.length = particles.softening;
    for (const files::ComponentInfo& component : particles.components) {
      const double own = component.softening > 0 ? component.softening : particles.softening;
      require_softening(own, input_ + ": softening of " + component.name);
      softening.of_components.push_back(own);
    }
    if (softening.of_components.empty()) {
      require_softening(softening.length, input_ + ": /Header/Softening");
    } else {
      const auto [shortest, longest] = std::ranges::minmax(softening.of_components);
      softening.length = shortest;
      if (shortest == longest) softening.of_components.clear();
    }
  }
  require_in_range(particles, softening.length, input_, ranks_);
  return softening;
}

ExternalField Settings::field(const files::Snapshot& particles) const {
  if (!field_) return {};
  return external_field(*field_, particles.units);
}

PublishedParts Settings::published_parts() const {
  const std::string text = options_.text("as-published");
  const std::string option = options_.shown("as-published") + " " + text + ": ";
  PublishedParts parts;
  try {
    parts = PublishedParts::named(text);
  } catch (const std::invalid_argument& error) {
    throw InputError(option + error.what());
  }
  const bool of_one_device = parts.has(PublishedPart::groups) ||
                             parts.has(PublishedPart::extents) || parts.has(PublishedPart::walk);
  if (ranks_.size() > 1 && of_one_device) {
    throw InputError(option + "groups, extents and walk are for one device; start one rank");
  }
  return parts;
}

bool Settings::is_published(PublishedPart part, std::string_view own_option) const {
  return published_parts().has(part) && !options_.is_changed(own_option);
}

ForceOptions Settings::force(const files::Snapshot& particles) const {
  const PublishedParts parts = published_parts();
  ForceOptions force;
  force.acceptance = {macs.at(options_.text("mac")), float(options_.number("accuracy")),
                      float(particles.units.gravitational_constant()),
                      is_published(PublishedPart::points, "order")
                          ? Order::point
                          : orders.at(options_.text("order")),
                      !parts.has(PublishedPart::criteria)};
  force.error = options_.number("force-error");
  const Softening softening = this->softening(particles);
  force.softening = softening.length;
  force.component_softening = softening.of_components;
  force.root = roots.at(options_.text("root"));
  force.curve = curves.at(options_.text("curve"));
  force.leaf_capacity = std::uint32_t(options_.integer("leaf-capacity"));
  force.list_capacity = std::uint32_t(options_.integer("list-capacity"));
  force.group_size = std::uint32_t(options_.integer("group-size"));
  force.sharing = int(options_.integer("sharing"));
  force.split_ratio = float(options_.number("split-ratio"));
  if (parts.has(PublishedPart::walk)) {
    if (!softening.of_components.empty()) {
      throw InputError(options_.shown("as-published") +
                       " walk: knows one softening length; give that of all particles with " +
                       options_.shown("softening"));
    }
  }
  if (is_published(PublishedPart::extents, "split-ratio")) force.split_ratio = 0;
  force.variation = variation(variant(particles));
  force.external = field(particles);
  return force;
}

ForceVariant Settings::variant(const files::Snapshot& particles) const {
  const PublishedParts parts = published_parts();
  const bool tune_extent = options_.text("group-extent") == "auto" ||
                           is_published(PublishedPart::extents, "group-extent");
  if (ranks_.size() > 1 && tune_extent) {
    throw InputError(
        options_.shown("group-extent") +
        " auto: is tuned by the seconds of one device; give a length, or start one rank");
  }
  return {.ball = ball_named(options_.text("ball")),
          .extent = float(options_.quantity("group-extent", particles.units)),
          .tune_extent = tune_extent,
          .exact_sizes = parts.has(PublishedPart::sizes),
          .breadth_first = parts.has(PublishedPart::walk)};
}

StepOptions Settings::steps(const files::Units& units) const {
  StepOptions steps;
  steps.rule.eta = options_.number("eta");
  const bool block = options_.text("step") == "block";
  steps.rule.mode = block ? StepRule::Mode::block : StepRule::Mode::shared;
  const PublishedParts parts = published_parts();
  steps.rule.with_memory = !parts.has(PublishedPart::steps);
  if (parts.has(PublishedPart::groups)) steps.rule.together = published_group;
  steps.fixed_step = options_.quantity("dt", units);
  steps.longest_step = options_.quantity("dt-max", units);
  steps.end_time = options_.quantity("time", units);
  steps.rebuild_interval = int(options_.integer("rebuild-interval"));
  steps.error_interval = int(options_.integer("error-interval"));
  const bool as_published = is_published(PublishedPart::rebuild, "rebuild-rule");
  steps.rebuild_policy =
      rebuild_policy(as_published ? RebuildRule::unweighted
                                  : rebuild_rule_words.at(options_.text("rebuild-rule")));
  if (steps.fixed_step > 0) {
    if (block) {
      throw InputError(options_.shown("dt") + ": block steps are adaptive; add " +
                       options_.shown("step") + " shared or leave out " + options_.shown("dt"));
    }
    steps.rule.mode = StepRule::Mode::fixed;
  }
  return steps;
}

DirectOptions Settings::direct(const files::Snapshot& particles) const {
  const Precision single =
      options_.text("root") == "estimate" ? Precision::single_estimate : Precision::single_newton;
  const bool is_double = options_.text("precision") == "double";
  const auto [length, of_components] = softening(particles);
  return {.gravity = particles.units.gravitational_constant(),
          .softening = length,
          .component_softening = of_components,
          .precision = is_double ? Precision::double_precision : single,
          .external = field(particles)};
}

/// Throws InputError unless a span of time is a multiple of the fixed step, where there is one.
void Settings::require_whole_steps(double span, double step, const std::string& what) const {
  if (step == 0) return;
  const double steps = span / step;
  if (std::abs(steps - std::round(steps)) <= 1e-9 * steps) return;
  const std::string dt = options_.shown("dt");
  throw InputError(what + ": is no multiple of " + dt + "; choose another " + dt);
}

RunOptions Settings::run(const files::Snapshot& particles) const {
  constexpr double most_snapshots = 1e6;
  const files::Units& units = particles.units;
  const double step = options_.quantity("dt", units);
  RunOptions run;
  run.steps = options_.integer("steps");
  run.time = options_.quantity("time", units);
  run.stop_after = options_.seconds("stop-after");
  run.checkpoint_interval = options_.seconds("checkpoint-interval");
  run.final_checkpoint = options_.flag("final-checkpoint");
  run.energy_bound = options_.number("energy-bound");
  run.stop_rules =
      read_stop_rules(options_.text("stop-when"), options_.shown("stop-when"), particles, ranks_);
  run.snapshot = options_.flag("snapshot");
  run.compression = int(options_.integer("compression"));
  run.outputs = {options_.quantity("snapshot-interval", units),
                 options_.quantities("snapshot-times", units)};
  std::ranges::sort(run.outputs.times);
  const double end = particles.time + run.time;
  constexpr double rounding = 1e-3;
  if (std::abs(end - particles.time - run.time) > rounding * run.time) {
    throw InputError(fmt::format(
        "{}: /Header/Time: {} is so late that {} {} hardly changes it; set /Header/Time to 0",
        input_, files::shortest(particles.time), options_.shown("time"),
        files::shortest(run.time)));
  }
  for (const double time : run.outputs.times) {
    const std::string what = options_.shown("snapshot-times") + ": " + files::shortest(time);
    if (!std::isfinite(time) || time < particles.time) {
      throw InputError(what + " is before the time of the input, " +
                       files::shortest(particles.time) + "; give times after it");
    }
    if (run.time > 0 && time > end * (1 + 1e-9)) {
      throw InputError(what + " is after the end of the run, " + files::shortest(end) +
                       "; give times before it or a longer " + options_.shown("time"));
    }
    require_whole_steps(time - particles.time, step, what);
  }
  if (run.outputs.interval > 0 && run.time / run.outputs.interval > most_snapshots) {
    throw InputError(options_.shown("snapshot-interval") + ": more than " +
                     files::shortest(most_snapshots) + " snapshots; use a longer interval");
  }
  require_whole_steps(run.outputs.interval, step, options_.shown("snapshot-interval"));
  require_whole_steps(run.time, step, options_.shown("time"));
  return run;
}

LogKind Settings::log() const { return logs.at(options_.text("log")); }

/// One length, or that of each component: "halo=0.5,disc=0.1".
std::string Settings::text_of(const Softening& softening, const files::Snapshot& particles) {
  if (softening.of_components.empty()) return files::shortest(softening.length);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < softening.of_components.size(); ++k) {
    parts.push_back(particles.components[k].name + "=" +
                    files::shortest(softening.of_components[k]));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::map<std::string, std::string> Settings::provenance(const files::Snapshot& particles) const {
  std::map<std::string, std::string> values = options_.values();
  for (auto& [name, value] : values) {
    if (any_option(name).dimension() == files::Dimension::none) continue;
    std::vector<std::string> plain;
    for (const double one : options_.quantities(name, particles.units)) {
      plain.push_back(files::shortest(one));
    }
    if (!plain.empty()) value = fmt::format("{}", fmt::join(plain, ","));
  }
  values["softening"] = text_of(softening(particles), particles);
  if (field_) values["external.text"] = field_->text;
  return values;
}

}  // namespace gothic
