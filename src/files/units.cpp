#include "files/units.hpp"

namespace gothic::files {

double Units::gravitational_constant() const {
  if (*this == Units{}) return 1;
  return newton_constant * mass_in_g / (length_in_cm * velocity_in_cm_per_s * velocity_in_cm_per_s);
}

double Units::time_in_s() const { return length_in_cm / velocity_in_cm_per_s; }

}  // namespace gothic::files
