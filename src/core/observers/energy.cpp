#include "core/observers/energy.hpp"

#include <string>

namespace gothic {

const std::vector<ColumnOf<EnergyRecord>>& energy_columns() {
  using Energy = const EnergyRecord&;
  static const std::vector<ColumnOf<EnergyRecord>> columns = [] {
    const std::string energy = "mass velocity^2",
                      of_potential =
                          "potential energy, half of sum m phi; of static potentials the whole sum";
    std::vector<ColumnOf<EnergyRecord>> result = {
        {"step", "", "step after which all particles were at one time; 0 is the start",
         [](Energy e) { return e.step; }},
        {"time", "time", "that time", [](Energy e) { return e.time; }},
        {"kinetic", energy, "kinetic energy", [](Energy e) { return e.sums.kinetic; }},
        {"potential", energy, of_potential, [](Energy e) { return e.sums.potential; }},
        {"total", energy, "their sum", [](Energy e) { return e.sums.total(); }},
        {"virial_ratio", "",
         "-2 K / sum m r.a about the centre of mass and its velocity: 1 in equilibrium, whatever "
         "the softening",
         [](Energy e) { return e.sums.virial_ratio(); }}};
    const auto add_vector = [&](const std::string& name, const std::string& unit,
                                const std::string& meaning, auto vector) {
      for (int axis = 0; axis < 3; ++axis) {
        result.emplace_back(name + "_" + "xyz"[axis], unit, meaning,
                            [=](Energy e) { return (e.sums.*vector)[axis]; });
      }
    };
    add_vector("momentum", "mass velocity", "momentum", &Conserved::momentum);
    add_vector("angular_momentum", "mass length velocity", "angular momentum about the origin",
               &Conserved::angular_momentum);
    add_vector("center", "length", "centre of mass", &Conserved::center);
    const std::string of_particles =
        " change of a particle's energy since the start, over the sum of its kinetic and absolute "
        "potential energy; NaN unless all particles are without mass";
    result.emplace_back("tracer_error", "", "root mean square of the" + of_particles,
                        [](Energy e) { return e.tracers.rms; });
    result.emplace_back("tracer_error_max", "", "largest" + of_particles,
                        [](Energy e) { return e.tracers.largest; });
    return result;
  }();
  return columns;
}

}  // namespace gothic
