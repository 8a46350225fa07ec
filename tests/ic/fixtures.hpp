#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "ic/diagnostics.hpp"
#include "ic/galaxy.hpp"

namespace gothic::ic {

/// The name of a model in the names of tests.
inline std::ostream& operator<<(std::ostream& out, const Model& model) {
  for (const Component& component : model.components) out << component.name << ' ';
  return out;
}

/// A component as a model file gives it, named after its profile, with M = a = 1 and these keys.
inline Component component(const std::string& profile, const std::string& keys = "") {
  const std::string scale = profile == "black_hole" ? "" : "scale = 1\n";
  const std::string text = "[[component]]\nname = \"" + profile + "\"\nprofile = \"" + profile +
                           "\"\nmass = 1\n" + scale + keys;
  return parse_model(text, profile + ".toml").components.front();
}

/// The keys of a cutoff.
inline std::string cutoff(double radius, double width) {
  return "cutoff = " + std::to_string(radius) + "\ncutoff_width = " + std::to_string(width) + "\n";
}

/// A component without its cutoff, for closed forms; a model file must have a cutoff if the density
/// falls slowly.
inline Component uncut(const std::string& profile, const std::string& keys = "") {
  Component result = component(profile, cutoff(10, 1) + keys);
  result.cutoff = 0;
  return result;
}

/// A model of components in units with G = 1.
template <class... Components>
Model model_of(Components... components) {
  Model model;
  (model.components.push_back(std::move(components)), ...);
  return model;
}

inline SphericalSystem spheres_of(const Model& model) {
  return {sphere_profiles(model), model.units.gravitational_constant()};
}

inline Model plummer_sphere() { return model_of(component("plummer")); }
inline Model hernquist_sphere() { return model_of(uncut("hernquist")); }
inline Model cut_hernquist_sphere() { return model_of(component("hernquist", cutoff(20, 2))); }
inline Model nfw_sphere(double radius = 5, double width = 0.5) {  // as in the paper
  return model_of(component("nfw", cutoff(radius, width)));
}
inline Model king_sphere(double w0) {
  return model_of(component("king", "w0 = " + std::to_string(w0)));
}
inline Model sersic_sphere(double n) {
  return model_of(component("sersic", "n = " + std::to_string(n)));
}

/// A Plummer sphere as the rows of a table.
inline Model tabulated_sphere() {
  std::vector<DensityRow> rows;
  for (int k = -40; k <= 40; ++k) {
    const double r = std::exp(0.1 * k);
    rows.push_back({r, 7 * std::pow(1 + r * r, -2.5)});
  }
  return model_of(Component{.name = "table", .shape = table_shape(rows)});
}

/// A sphere of each profile, in equilibrium.
inline std::vector<Model> every_sphere() {
  return {plummer_sphere(), hernquist_sphere(), nfw_sphere(), king_sphere(1), king_sphere(7),
          sersic_sphere(1), sersic_sphere(4), model_of(component("einasto", "alpha = 0.17")),
          tabulated_sphere(), model_of(component("burkert", cutoff(10, 1))),
          model_of(component("moore", cutoff(10, 1))),
          // A cusp whose potential has no bottom (Jaffe 1983), cut.
          model_of(component("double_power", cutoff(20, 2) + "alpha = 1\nbeta = 4\ngamma = 2"))};
}

/// A small dense bulge in a halo, masses and radii as in a spiral galaxy.
inline Model bulge_and_halo() {
  Component halo = component("nfw", cutoff(30, 3));
  Component bulge = component("hernquist", cutoff(10, 1) + "type = 4\n");
  halo.mass = 20;
  bulge.scale = 0.08;
  bulge.cutoff *= bulge.scale;
  bulge.cutoff_width *= bulge.scale;
  return model_of(halo, bulge);
}

/// A King model, which ends, within a sphere that reaches farther.
inline Model cluster_in_halo() {
  Component stars = component("king", "w0 = 7");
  stars.mass = 0.3;
  stars.scale = 0.1;
  return model_of(component("plummer"), stars);
}

/// Stars with a cusp around a black hole.
inline Model bulge_with_black_hole() {
  Component hole = component("black_hole", "softening = 1e-5");
  hole.mass = 2e-3;
  return model_of(component("hernquist", cutoff(20, 2)), hole);
}

/// An exponential disc with G = M = R_d = 1.
inline Model exponential_disc(double height) {
  return model_of(
      component("exponential_disc", "toomre_q = 1.5\nheight = " + std::to_string(height)));
}

/// A disc that is small compared with its halo.
inline Model disc_in_halo() {
  Component halo = component("hernquist", cutoff(20, 2));
  halo.mass = 20;
  halo.scale = 5;
  halo.cutoff *= halo.scale;
  halo.cutoff_width *= halo.scale;
  return model_of(halo, exponential_disc(0.1).components.front());
}

/// 2 K / -W of the particles of a component.
inline double virial_ratio(const Galaxy& galaxy, const files::Particles& particles,
                           std::size_t component) {
  ParticleSums sums(galaxy);
  sums.add(particles);
  return sums.virial_ratio(component);
}

/// An example in config/models.
inline Model example(const std::string& name) {
  return read_model(MODEL_FOLDER "/" + name + ".toml");
}

/// The Andromeda galaxy, settled; all tests of a process use the same one.
inline const Galaxy& andromeda() {
  static const Galaxy galaxy(example("m31"), 2);
  return galaxy;
}

/// Largest distance between the distribution of `values` and the uniform one in (0, 1), in units of
/// the 0.1 % limit of the Kolmogorov-Smirnov test.
inline double kolmogorov_distance(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    distance = std::max(distance, std::abs(values[i] - (static_cast<double>(i) + 0.5) / n));
  }
  return distance * std::sqrt(n) / 1.95;
}

}  // namespace gothic::ic
