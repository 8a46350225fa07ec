#pragma once

#include <string>

namespace gothic::files {

/// What this machine is: "node=..., system=..., cpu=..., cores=..., memory=...", of what it tells.
/// The cores are those that the process may use.
std::string host_facts();

}  // namespace gothic::files
