#include "core/observers/error_sample.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "core/device/scrambled.hpp"
#include "core/messages/exchange.hpp"

namespace gothic {
namespace {

/// A number that looks random, from 0 to 1.
double scrambled_share(std::uint64_t id) { return double(scrambled(id) >> 11) * 0x1p-53; }

/// The end of the run of equal components that begins at a place.
std::size_t end_of_run(std::span<const std::int32_t> components, std::size_t first) {
  std::size_t end = first + 1;
  while (end < components.size() && components[end] == components[first]) ++end;
  return end;
}

}  // namespace

std::vector<ForceSample::Component> components_of(Communicator& ranks,
                                                  std::span<const std::int32_t> components) {
  std::map<std::int32_t, std::uint64_t> own;
  for (std::size_t i = 0, end = 0; i < components.size(); i = end) {
    end = end_of_run(components, i);
    own[components[i]] += end - i;
  }
  std::vector<ForceSample::Component> listed;
  for (const auto& [number, particles] : own) listed.push_back({number, particles});
  std::map<std::int32_t, std::uint64_t> all;
  for (const auto& [number, particles] : joined(ranks, std::move(listed))) all[number] += particles;
  std::vector<ForceSample::Component> result;
  for (const auto& [number, particles] : all) result.push_back({number, particles});
  return result;
}

std::uint64_t ErrorSample::particles() const {
  std::uint64_t sum = 0;
  for (const ForceSample::Component& component : components) sum += component.particles;
  return sum;
}

ErrorSample error_sample(Communicator& ranks, std::span<const std::uint64_t> ids,
                         std::span<const std::int32_t> components, std::size_t first,
                         std::uint32_t count) {
  ErrorSample sample{.components = components_of(ranks, components), .members = {}};
  const auto all = double(sample.particles());
  std::map<std::int32_t, double> share;  // of a component's particles
  for (const auto& [number, particles] : sample.components) {
    const double wanted =
        0.5 * count * (double(particles) / all) + 0.5 * count / double(sample.components.size());
    share[number] = all <= count ? 1 : wanted / double(particles);
  }
  for (std::size_t i = 0; i < ids.size();) {
    const double own_share = share.at(components[i]);
    for (const std::size_t end = end_of_run(components, i); i < end; ++i) {
      if (scrambled_share(ids[i]) >= own_share) continue;
      sample.members.push_back({std::uint32_t(first + i), components[i]});
    }
  }
  sample.members = joined(ranks, std::move(sample.members));
  std::ranges::sort(sample.members, {}, &ErrorSample::Member::slot);
  return sample;
}

}  // namespace gothic
