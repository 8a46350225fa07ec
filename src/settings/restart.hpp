#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/engine/engine.hpp"
#include "files/checkpoint.hpp"
#include "files/snapshot.hpp"
#include "settings/options.hpp"
#include "settings/settings.hpp"

/// How the program and the Python package go on from checkpoints.
namespace gothic {

/// Throws InputError that lists the options that change the course of a run and have another value
/// in the checkpoint than now. Fields are compared by their text, wherever their files lie; for the
/// input see require_same_input. Options that a function of Python lacks are not compared.
/// \param options tell how messages name them
/// \param now their names and values, as Settings::provenance gives them
/// \param remedy ends the message
void require_same_course(const files::FoundCheckpoint& found, const Options& options,
                         const std::map<std::string, std::string>& now, const std::string& remedy);

/// The name under which files hold input_digest() among the options.
inline constexpr const char* input_digest_name = "input.digest";

/// files::input_digest of the particles of all ranks.
/// \param snapshot part of this rank
std::string input_digest(const files::Snapshot& snapshot, Communicator& ranks);

/// Reads the input again and throws InputError, with the difference, unless the run of the
/// checkpoint began with the same particles. A restart needs the checkpoint alone, so the input may
/// be missing: then returns a warning, else nothing.
std::string require_same_input(const files::FoundCheckpoint& found, const Settings& settings,
                               Communicator& ranks);

/// A simulation that starts at the snapshot or goes on from a checkpoint, where there is one.
/// \throws InputError if the checkpoint's state does not belong to a simulation with these options
std::unique_ptr<Simulation> simulation_of(Engine& engine, const files::Snapshot& snapshot,
                                          const ForceOptions& force, const StepOptions& steps,
                                          const files::FoundCheckpoint* earlier);

}  // namespace gothic
