#pragma once

#include <functional>
#include <string>

#include "files/checkpoint.hpp"

namespace gothic::files {

/// Throws the error about an object of a checkpoint, and what is wrong with it.
using ComplainOfCheckpoint =
    std::function<void(const std::string& object, const std::string& problem)>;

/// Complains of what no simulation writes and none could go on from: numbers that are not finite,
/// particles twice or without a place in the input, keys out of order, levels that the time grid
/// does not have, times that run backwards, and what is missing of the progress. All arrays must
/// have one length.
void validate(const Checkpoint& checkpoint, const ComplainOfCheckpoint& complain);

}  // namespace gothic::files
