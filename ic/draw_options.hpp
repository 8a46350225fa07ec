#pragma once

#include "core/device/host.hpp"
#include "ic/initial_conditions.hpp"
#include "settings/options.hpp"

namespace gothic::ic {

/// The draw that the options of gothic-ic, or of its counterpart in Python, ask for.
/// \param units the model's units
inline Draw draw_of(const Options& options, const files::Units& units) {
  const auto threads = int(options.integer("threads"));
  return {.particles = std::size_t(options.integer("particles")),
          .seed = std::uint32_t(options.integer("seed")),
          .quiet = options.flag("quiet-start"),
          .allow_negative = options.flag("allow-negative"),
          .duration = options.quantity("duration", units),
          .threads = unsigned(threads > 0 ? threads : host_threads())};
}

}  // namespace gothic::ic
