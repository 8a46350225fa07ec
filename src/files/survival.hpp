#pragma once

#include <cstdint>
#include <functional>

namespace gothic::files {

/// Whether `work` comes to an end, if only by an exception, without a crash and within a processor
/// time in seconds. Another process does it, so that a crash does no harm here; what it changes in
/// memory or prints is lost. It ends with this one, whose locks it shares. True if there can be no
/// other process.
///
/// The HDF5 library needs this: some damaged files crash it or make it run forever, and nothing
/// that a program can ask it tells beforehand.
bool survives(std::uint64_t seconds, const std::function<void()>& work);

}  // namespace gothic::files
