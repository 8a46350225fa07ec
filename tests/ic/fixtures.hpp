#pragma once

#include <ostream>

#include "ic/model.hpp"

namespace gothic::ic {

/// How tests call a model.
inline std::ostream& operator<<(std::ostream& out, const Model& model) {
  for (const Component& component : model.components) out << component.name << ' ';
  return out;
}

/// Spheres with G = M = a = 1, without cutoff.
inline Model plummer_sphere() {
  Model model;
  model.components.push_back({.name = "plummer", .profile = ProfileKind::plummer});
  return model;
}

inline Model hernquist_sphere() {
  Model model;
  model.components.push_back({.name = "hernquist", .profile = ProfileKind::hernquist});
  return model;
}

inline Model nfw_sphere(double cutoff, double cutoff_width) {
  Model model;
  model.components.push_back(
      {.name = "nfw", .profile = ProfileKind::nfw, .cutoff = cutoff, .cutoff_width = cutoff_width});
  return model;
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

}  // namespace gothic::ic
