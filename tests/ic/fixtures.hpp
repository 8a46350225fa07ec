#pragma once

#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "ic/model.hpp"

namespace gothic::ic {

/// How tests call a model.
inline std::ostream& operator<<(std::ostream& out, const Model& model) {
  for (const Component& component : model.components) out << component.name << ' ';
  return out;
}

/// A model of one component, G = M = a = 1 unless it says otherwise.
inline Model model_of(Component component) {
  if (component.name.empty()) component.name = name_of(component.profile);
  Model model;
  model.components.push_back(std::move(component));
  return model;
}

inline Model plummer_sphere() { return model_of({.name = "", .profile = ProfileKind::plummer}); }

inline Model hernquist_sphere() {
  return model_of({.name = "", .profile = ProfileKind::hernquist});
}

inline Model nfw_sphere(double cutoff, double cutoff_width) {
  return model_of(
      {.name = "", .profile = ProfileKind::nfw, .cutoff = cutoff, .cutoff_width = cutoff_width});
}

/// With a cutoff, so that the centre of mass of particles has little scatter.
inline Model cut_hernquist_sphere() {
  Model model = hernquist_sphere();
  model.components.front().cutoff = 20;
  model.components.front().cutoff_width = 2;
  return model;
}

/// The sphere of the paper.
inline Model nfw_sphere() { return nfw_sphere(5, 0.5); }

inline Model king_sphere(double w0) {
  return model_of({.name = "", .profile = ProfileKind::king, .w0 = w0});
}

inline Model sersic_sphere(double n) {
  return model_of({.name = "", .profile = ProfileKind::sersic, .n = n});
}

inline Model einasto_sphere(double alpha) {
  return model_of({.name = "", .profile = ProfileKind::einasto, .alpha = alpha});
}

/// A Plummer sphere, told by some rows of a table.
inline Model tabulated_sphere() {
  Component component{.name = "", .profile = ProfileKind::table};
  for (int k = -40; k <= 40; ++k) {
    const double r = std::exp(0.1 * k);
    component.table.push_back({r, 7 * std::pow(1 + r * r, -2.5)});
  }
  return model_of(component);
}

/// A sphere of each profile, in equilibrium and without discs.
inline std::vector<Model> every_sphere() {
  std::vector<Model> models{plummer_sphere(),   hernquist_sphere(), nfw_sphere(),
                            nfw_sphere(3, 0.7), king_sphere(1),     king_sphere(7),
                            sersic_sphere(1),   sersic_sphere(4),   einasto_sphere(0.17),
                            tabulated_sphere()};
  for (const ProfileKind profile : {ProfileKind::burkert, ProfileKind::moore}) {
    models.push_back(model_of({.name = "", .profile = profile, .cutoff = 10, .cutoff_width = 1}));
  }
  // A cusp whose potential has no bottom (Jaffe 1983), cut.
  models.push_back(model_of({.name = "",
                             .profile = ProfileKind::double_power,
                             .cutoff = 20,
                             .cutoff_width = 2,
                             .alpha = 1,
                             .beta = 4,
                             .gamma = 2}));
  return models;
}

/// A small dense bulge in a halo, masses and radii as in a spiral galaxy.
inline Model bulge_and_halo() {
  Model model = nfw_sphere(30, 3);
  model.components.front().mass = 20;
  model.components.push_back({.name = "bulge",
                              .profile = ProfileKind::hernquist,
                              .mass = 1,
                              .scale = 0.08,
                              .cutoff = 0.8,
                              .cutoff_width = 0.08,
                              .type = 4});
  return model;
}

/// A King model, which ends, within a halo that reaches further.
inline Model cluster_in_halo() {
  Model model = plummer_sphere();
  model.components.push_back(
      {.name = "stars", .profile = ProfileKind::king, .mass = 0.3, .scale = 0.1, .w0 = 7});
  return model;
}

/// Stars with a cusp around a black hole.
inline Model bulge_with_black_hole() {
  Model model = cut_hernquist_sphere();
  model.components.push_back(
      {.name = "hole", .profile = ProfileKind::black_hole, .mass = 2e-3, .softening = 1e-5});
  return model;
}

}  // namespace gothic::ic
