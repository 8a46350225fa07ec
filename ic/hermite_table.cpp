#include "ic/hermite_table.hpp"

#include <utility>

namespace gothic::ic {

HermiteTable::HermiteTable(const RadialGrid& grid, std::vector<Jet> jets)
    : grid_(grid), jets_(std::move(jets)) {}

Jet HermiteTable::operator()(double t) const {
  const auto beyond = [&](const Jet& end, double distance) {
    return Jet{end.value + end.first * distance, end.first, 0};
  };
  if (t < grid_.t(0)) return beyond(jets_.front(), t - grid_.t(0));
  if (t > grid_.last_t()) return beyond(jets_.back(), t - grid_.last_t());
  const auto [i, x] = grid_.place(t);
  const Jet &a = jets_[i], &b = jets_[i + 1];
  const double h = grid_.step();
  // The Taylor polynomial at a, with powers 3 to 5 chosen so that the end is b.
  const double c0 = a.value, c1 = a.first * h, c2 = a.second * h * h / 2;
  const double value = b.value - c0 - c1 - c2;
  const double first = b.first * h - c1 - 2 * c2;
  const double second = b.second * h * h - 2 * c2;
  const double c3 = 10 * value - 4 * first + second / 2;
  const double c4 = -15 * value + 7 * first - second;
  const double c5 = 6 * value - 3 * first + second / 2;
  return {c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5)))),
          (c1 + x * (2 * c2 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / h,
          (2 * c2 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / (h * h)};
}

}  // namespace gothic::ic
