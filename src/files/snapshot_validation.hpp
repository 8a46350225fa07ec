#pragma once

#include <functional>
#include <string>

#include "files/snapshot.hpp"

namespace gothic::files {

/// Throws the error about particles of `type`: of which of their datasets, and what is wrong with
/// it.
using Complain =
    std::function<void(int type, const std::string& dataset, const std::string& problem)>;

/// Complains of a number that is not finite, a negative mass, no mass at all where that is needed,
/// an ID twice and a component that the snapshot does not name.
void validate(const Snapshot& snapshot, Masses masses, const Complain& complain);

}  // namespace gothic::files
