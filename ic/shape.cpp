#include "ic/shape.hpp"

namespace gothic::ic {

double Shape::reach() const {
  constexpr double step = 0.05, negligible = 1e-16, far = 1e7;
  constexpr int farthest = 1000;  // a factor of 5e21
  double highest = 0, x_highest = 0, x = 1e-5 * size();
  for (int k = 0; k < farthest; ++k) {
    const double mass = x * x * x * jet(x).value;
    if (mass > highest) {
      highest = mass;
      x_highest = x;
    } else if (mass < negligible * highest || x > far * x_highest) {
      break;
    }
    x *= 1 + step;
  }
  return x;
}

const std::vector<DensityRow>& Shape::rows() const {
  static const std::vector<DensityRow> none;
  return none;
}

}  // namespace gothic::ic
