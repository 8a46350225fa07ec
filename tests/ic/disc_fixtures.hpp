#pragma once

#include "fixtures.hpp"
#include "io/units.hpp"

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

/// The Andromeda galaxy of Geehan et al. (2006) and Fardal et al. (2007), as in config/models.
inline Model andromeda() {
  Model model;
  model.units = {.length_in_cm = io::kiloparsec,
                 .mass_in_g = 1e10 * io::solar_mass,
                 .velocity_in_cm_per_s = 1e5};
  model.softening = 0.015625;
  model.components.push_back({.name = "halo",
                              .profile = ProfileKind::nfw,
                              .mass = 81.1,
                              .scale = 7.63,
                              .cutoff = 250,
                              .cutoff_width = 25});
  model.components.push_back({.name = "bulge",
                              .profile = ProfileKind::hernquist,
                              .mass = 3.24,
                              .scale = 0.61,
                              .cutoff = 6.1,
                              .cutoff_width = 0.61,
                              .type = 4});
  model.components.push_back({.name = "disc",
                              .profile = ProfileKind::exponential_disc,
                              .mass = 3.66,
                              .scale = 5.4,
                              .cutoff = 54,
                              .cutoff_width = 5.4,
                              .type = 4});
  model.components.back().disc = {.height = 0.6, .toomre_q = 2, .toomre_q_radius = 5.4};
  return model;
}

}  // namespace gothic::ic
