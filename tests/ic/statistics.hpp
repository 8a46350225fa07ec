#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace gothic::ic {

/// Largest distance of the distribution of `values`, uniform in (0, 1) if all is well, from that,
/// in units of the 0.1 % limit of the Kolmogorov-Smirnov test.
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
