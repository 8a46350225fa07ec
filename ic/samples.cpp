#include "ic/samples.hpp"

#include <algorithm>
#include <string>

#include "core/setting_error.hpp"

namespace gothic::ic {

std::vector<std::size_t> particle_counts(const Model& model, std::size_t count) {
  const std::vector<Component>& components = model.components;
  if (count < components.size()) {
    throw SettingError("particles", "fewer than the model has components; give at least " +
                                        std::to_string(components.size()));
  }
  double share_left = 1, mass_left = 0;
  for (const Component& component : components) {
    share_left -= component.share;
    if (component.share == 0 && !component.is_black_hole()) mass_left += component.mass;
  }
  std::vector<std::size_t> counts(components.size(), 1);
  std::vector<double> fair(components.size());
  std::size_t others = 0;  // components without particles so far, black holes apart
  for (std::size_t k = 0; k < components.size(); ++k) {
    if (components[k].is_black_hole()) {
      --count;
      continue;
    }
    ++others;
    const double share = components[k].share;
    fair[k] = share > 0 ? share : share_left * components[k].mass / mass_left;
  }
  if (others == 0) return counts;
  // The counts of all but the largest component are rounded down; the largest takes what is left.
  const auto largest =
      static_cast<std::size_t>(std::max_element(fair.begin(), fair.end()) - fair.begin());
  double left = 1;
  for (std::size_t k = 0; k < components.size(); ++k) {
    if (components[k].is_black_hole() || k == largest) continue;
    --others;
    constexpr double rounding = 1e-6;
    const auto own =
        static_cast<std::size_t>(static_cast<double>(count) * fair[k] / left + rounding);
    counts[k] = std::clamp<std::size_t>(own, 1, count - others);
    count -= counts[k];
    left -= fair[k];
  }
  counts[largest] = count;
  return counts;
}

std::vector<Sample> samples_of(const Model& model, std::size_t count) {
  std::vector<Sample> samples;
  for (const std::size_t particles : particle_counts(model, count)) {
    const double mass = model.components[samples.size()].mass / static_cast<double>(particles);
    samples.push_back({particles, mass});
  }
  return samples;
}

}  // namespace gothic::ic
