#pragma once

#include "fixtures.hpp"
#include "ic/galaxy.hpp"
#include "ic/model.hpp"

namespace gothic::ic {

/// An exponential disc with G = M = R_d = 1.
inline Model exponential_disc(double height, double toomre_q = 1.5) {
  Model model;
  Component disc{.name = "disc", .profile = ProfileKind::exponential_disc, .type = 4};
  disc.disc = {.height = height, .toomre_q = toomre_q, .toomre_q_radius = 1};
  model.components.push_back(disc);
  return model;
}

/// A disc, small against the halo that holds it.
inline Model disc_in_halo() {
  Model model = exponential_disc(0.1);
  Component halo{.name = "halo",
                 .profile = ProfileKind::hernquist,
                 .mass = 20,
                 .scale = 5,
                 .cutoff = 100,
                 .cutoff_width = 10};
  model.components.insert(model.components.begin(), halo);
  return model;
}

/// The Andromeda galaxy of config/models.
inline Model andromeda() { return read_model(MODEL_FOLDER "/m31.toml"); }

/// The same settled; it takes a moment, so tests share it.
inline const Galaxy& shared_andromeda() {
  static const Galaxy galaxy(andromeda(), 2);
  return galaxy;
}

}  // namespace gothic::ic
