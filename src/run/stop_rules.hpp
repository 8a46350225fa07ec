#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/simulation.hpp"
#include "core/messages/one_rank.hpp"
#include "files/snapshot.hpp"

/// Rules by which a run stops: "energy > 0.01", "radius(disc, 0.5) > 10kpc", "time > 3Gyr".
namespace gothic {

/// A quantity and the bound beyond which it stops a run.
struct StopRule {
  enum class Quantity {
    energy,   ///< magnitude of the relative change of the energy since the start
    radius,   ///< Lagrangian radius of a component about the densest point
    density,  ///< mean density of a component within that radius
    time
  };
  std::string text;  ///< as it was given
  Quantity quantity = Quantity::energy;
  std::int32_t component = -1;
  std::size_t fraction = 0;  ///< of the component's mass within the radius; see lagrange_fractions
  bool is_upper = true;      ///< whether it holds above the bound
  double bound = 0;          ///< in the units of the particles
};

/// Reads rules with " or " between them; none from an empty text.
/// \param option how messages call the text
/// \param particles for units and components; the part of this rank
/// \param ranks all must call it
/// \throws InputError for what is no rule, and for components and fractions that there are not
std::vector<StopRule> read_stop_rules(const std::string& text, const std::string& option,
                                      const files::Snapshot& particles,
                                      Communicator& ranks = one_rank());

/// The first rule that holds, with the value of its quantity; empty if none does.
/// \param simulation whose particles are at one time
/// \param energy_error see energy_error()
std::string holding_rule(const std::vector<StopRule>& rules, Simulation& simulation,
                         double energy_error);

/// Throws InputError if a rule holds at the start of a simulation, so that it would never go on.
void require_none_holds(const std::vector<StopRule>& rules, const std::string& option,
                        Simulation& simulation);

}  // namespace gothic
