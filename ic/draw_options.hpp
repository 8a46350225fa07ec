#pragma once

#include "core/device/host.hpp"
#include "ic/initial_conditions.hpp"
#include "options/options.hpp"

namespace gothic::ic {

/// What the options of gothic-ic, or of the function of Python that stands for it, ask for.
/// \param units of the model
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
