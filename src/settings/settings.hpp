#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/messages/one_rank.hpp"
#include "files/field_file.hpp"
#include "files/snapshot.hpp"
#include "paper/force_variant.hpp"
#include "paper/published_parts.hpp"
#include "run/run.hpp"
#include "run/run_monitor.hpp"
#include "settings/options.hpp"

namespace gothic {

/// What the options of a command or of a function of Python mean for particles.
///
/// All functions throw InputError where options contradict each other or the particles.
class Settings {
 public:
  /// Bytes of memory that a particle takes when it is read: position, velocity, mass, ID,
  /// component, type.
  static constexpr double bytes_to_read = 12 + 12 + 4 + 8 + 4 + 1;

  /// Reads the file of --external.
  /// \param input what messages call the particles
  /// \param ranks that have a part of the particles each. All must then call
  ///        the same functions.
  Settings(Options options, std::string input, Communicator& ranks = one_rank());
  /// Settings for the particles of --input.
  explicit Settings(const Options& options, Communicator& ranks = one_rank())
      : Settings(options, options.text("input"), ranks) {}

  const Options& options() const { return options_; }
  /// Particles without mass are enough in an external field.
  files::Masses needed_masses() const;

  /// The particles of --input and the places of --at, none where that is not given.
  /// \param bytes_of_each memory that the work on a particle takes at least on the CPU; on a GPU
  ///        only reading takes the host's memory
  files::Snapshot read_input(double bytes_of_each = bytes_to_read) const;
  std::vector<files::Vec3> read_points() const;

  DeviceChoice device() const;
  /// Plummer softening lengths.
  struct Softening {
    double length = 0;                       ///< of all particles, or the shortest
    std::vector<double> of_components = {};  ///< by their numbers; empty if all are equal
  };
  /// The softening of the options or, without --softening, of the particles: that of their
  /// component, or, where it has none, of the snapshot.
  Softening softening(const files::Snapshot& particles) const;
  /// The field in the units of the particles; no potentials without --external.
  ExternalField field(const files::Snapshot& particles) const;
  ForceOptions force(const files::Snapshot& particles) const;
  /// What takes the place of our own way in these forces.
  ForceVariant variant(const files::Snapshot& particles) const;
  /// \param units of the particles
  StepOptions steps(const files::Units& units) const;
  DirectOptions direct(const files::Snapshot& particles) const;
  /// When a run ends and what it writes.
  RunOptions run(const files::Snapshot& particles) const;
  /// Who is told of a run.
  LogKind log() const;

  /// Names and values of all options for the provenance of files, lengths and times in the units of
  /// the particles, with the softening that is used and, as external.text, the text of the file of
  /// --external.
  std::map<std::string, std::string> provenance(const files::Snapshot& particles) const;

 private:
  static std::string text_of(const Softening& softening, const files::Snapshot& particles);
  /// Throws InputError, with `where` the length comes from, unless forces can take it.
  void require_softening(double length, const std::string& where) const;
  /// Throws InputError for an unknown part, or one that several ranks do not have.
  PublishedParts published_parts() const;
  /// Whether a part is as published: it is named, and its own option does not say otherwise.
  bool is_published(PublishedPart part, std::string_view own_option) const;
  void require_whole_steps(double span, double step, const std::string& what) const;

  Options options_;
  std::string input_;
  Communicator& ranks_;
  std::optional<files::FieldFile> field_;
};

}  // namespace gothic
