#include "run/number_range.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "files/error.hpp"
#include "files/text.hpp"

namespace gothic {
namespace {

constexpr double longest = 1e9, fastest = 1e18, lightest = 1e-30, most = 1e37;

double largest(const std::vector<files::Vec3>& vectors) {
  float result = 0;
  for (const files::Vec3& v : vectors) {
    result = std::max({result, std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  }
  return double{result};
}

void require(bool in_range, const std::string& field, const std::string& what) {
  if (in_range) return;
  throw InputError(field + ": " + what +
                   ", out of the range of single precision; choose other units or remove outliers");
}

}  // namespace

void require_in_range(const files::Snapshot& snapshot, double softening, const std::string& file) {
  const double length = largest(snapshot.particles.position);
  require(
      length <= longest, file + ": Coordinates",
      "one is " + files::shortest(length) + ", and at most " + files::shortest(longest) + " works");
  const double speed = largest(snapshot.particles.velocity);
  require(
      speed <= fastest, file + ": Velocities",
      "one is " + files::shortest(speed) + ", and at most " + files::shortest(fastest) + " works");
  double mass = 0;
  for (const float m : snapshot.particles.mass) mass += double{m};
  const double gravity = snapshot.units.gravitational_constant();
  const double strongest =
      mass *
      std::max({std::pow(softening, -3), gravity / (softening * softening), length * length, 1.0});
  require((mass == 0 || mass >= lightest) && strongest <= most, file + ": Masses",
          "their sum is " + files::shortest(mass) + " with a softening of " +
              files::shortest(softening));
}

}  // namespace gothic
