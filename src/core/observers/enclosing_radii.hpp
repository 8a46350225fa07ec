#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/device/bits.hpp"
#include "core/device/combine.hpp"
#include "core/device/device.hpp"
#include "core/messages/communicator.hpp"

/// Radii that hold given fractions of a mass.
namespace gothic {

/// The square of a particle's distance from the centre, and its mass.
struct Shell {
  float radius2;
  float mass;
  bool counts = true;  ///< shells that do not are as if they were not there
};

namespace detail {

/// Square radii that are not negative have the order of their bits. They are found digit by digit.
inline constexpr int digit_bits = 8, digits = 1 << digit_bits, most_prefixes = 8;

/// The first digits of the radii that are sought.
struct Prefixes {
  std::uint32_t prefix[most_prefixes];
  int count = 0;

  /// The place of a prefix in the list, or count.
  GOTHIC_HD int place_of(std::uint32_t wanted) const {
    int place = 0;
    while (place < count && prefix[place] != wanted) ++place;
    return place;
  }
};

/// Masses as whole numbers, which have the same sum in any order. All masses together have some
/// 2^61 of them.
struct Quanta {
  double scale = 1;       ///< a power of two; 0: all shells weigh 1
  std::uint64_t all = 0;  ///< quanta of all shells that count

  GOTHIC_HD std::uint64_t of(const Shell& shell) const {
    if (!shell.counts) return 0;
    return scale > 0 ? std::uint64_t(std::int64_t(double{shell.mass} * scale)) : 1;
  }
  double mass() const { return scale > 0 ? double(all) / scale : 0; }
};

template <class Device, class Of>
Quanta quanta_of(const Device& device, Communicator& ranks, std::size_t n, Of shell) {
  const double mass = reduce_all(
      device, ranks, n, 0.0,
      [=] GOTHIC_DEVICE(std::size_t i) {
        const Shell one = shell(i);
        return one.counts ? double{one.mass} : 0.0;
      },
      Sum{});
  Quanta quanta{.scale = mass > 0 ? std::exp2(60 - std::ilogb(mass)) : 0};
  quanta.all = reduce_all(
      device, ranks, n, std::uint64_t(0),
      [=] GOTHIC_DEVICE(std::size_t i) { return quanta.of(shell(i)); }, Sum{});
  return quanta;
}

/// A radius that is sought.
struct Search {
  double wanted;             ///< quanta within the radius
  std::uint64_t before = 0;  ///< quanta of the shells whose first digits are smaller
  std::uint32_t prefix = 0;  ///< the first digits
};

/// Finds the next digit of some radii, most_prefixes at most: the weight of each digit's shells
/// tells it.
/// \param shift of that digit
template <class Device, class Of>
void find_digit(const Device& device, Communicator& ranks, std::size_t n, Of shell,
                const Quanta& quanta, int shift, std::span<Search> searches) {
  Prefixes known{};
  for (const Search& search : searches) {
    if (known.place_of(search.prefix) == known.count) known.prefix[known.count++] = search.prefix;
  }
  constexpr std::size_t bins = most_prefixes * digits;
  const auto own =
      device.template histogram<bins, std::uint64_t>(n, [=] GOTHIC_DEVICE(std::size_t i) {
        const Shell one = shell(i);
        if (!one.counts) return WeighedBin{0, 0};
        const std::uint32_t number = bits_of(one.radius2) >> shift;
        const int place = known.place_of(number / digits);
        if (place == known.count) return WeighedBin{0, 0};
        return WeighedBin{place * digits + int(number % digits), quanta.of(one)};
      });
  using Weights = std::remove_cv_t<decltype(own)>;
  const Weights weights = combined(ranks, own, [](Weights a, const Weights& b) {
    for (std::size_t bin = 0; bin < bins; ++bin) a[bin] += b[bin];
    return a;
  });
  for (Search& search : searches) {
    const int place = known.place_of(search.prefix);
    std::uint64_t within = search.before;
    for (int digit = 0; digit < digits && double(within) < search.wanted; ++digit) {
      const std::uint64_t weight = weights[std::size_t(place) * digits + std::size_t(digit)];
      if (weight == 0) continue;
      search.prefix = known.prefix[place] * digits + std::uint32_t(digit);
      search.before = within;
      within += weight;
    }
  }
}

}  // namespace detail

/// The mass of some shells, and radii that hold fractions of it.
struct EnclosingRadii {
  double mass = 0;
  std::vector<double> radius;
};

/// Radii that enclose given fractions of the mass: of each, the least distance of a particle within
/// which there is so much. Particles count alike if none has mass. The same shells give the same
/// radii in any order and on any number of ranks.
/// \param n shells of the own rank
/// \param shell takes an index and returns a Shell, on the device
template <class Device, class Of>
EnclosingRadii enclosing_radii(const Device& device, Communicator& ranks, std::size_t n, Of shell,
                               std::span<const double> fractions) {
  const detail::Quanta quanta = detail::quanta_of(device, ranks, n, shell);
  constexpr double rounding = 1e-12;  // of the fractions
  EnclosingRadii result{.mass = quanta.mass(), .radius = {}};
  for (std::size_t first = 0; first < fractions.size(); first += detail::most_prefixes) {
    std::vector<detail::Search> searches;
    for (const double fraction : fractions.subspan(
             first, std::min<std::size_t>(detail::most_prefixes, fractions.size() - first))) {
      searches.push_back({.wanted = fraction * double(quanta.all) * (1 - rounding)});
    }
    for (int shift = 32 - detail::digit_bits; shift >= 0; shift -= detail::digit_bits) {
      detail::find_digit(device, ranks, n, shell, quanta, shift, searches);
    }
    for (const detail::Search& search : searches) {
      result.radius.push_back(std::sqrt(double{std::bit_cast<float>(search.prefix)}));
    }
  }
  return result;
}

}  // namespace gothic
