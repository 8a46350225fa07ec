#include "ic/disc/orbit_mixer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/device/host_pieces.hpp"
#include "ic/disc/meridional_grid.hpp"

namespace gothic::ic {
namespace {

constexpr std::size_t rows = 320, columns = 160;

/// Scales of the axes: most points lie within a few of them.
constexpr double rows_in_half_mass_radii = 0.33, columns_in_heights = 2;

/// Fraction of the way to infinity at which the last point lies.
constexpr double last = 0.985;

constexpr float steps_per_period = 24;
constexpr double epicycles = 4;
constexpr double fewest_steps = 256, most_steps = 4096;

/// The point of an axis before `place`, at most the last but one; the last but one also if `place`
/// is not a number.
int before(float place, std::size_t last_point) {
  return place < static_cast<float>(last_point) ? static_cast<int>(place)
                                                : static_cast<int>(last_point) - 1;
}

float interpolate(const float* corner, float x, float y) {
  const float low = corner[0] + y * (corner[1] - corner[0]);
  const float high = corner[columns] + y * (corner[columns + 1] - corner[columns]);
  return low + x * (high - low);
}

}  // namespace

double OrbitMixer::Axis::at(std::size_t i) const {
  const double x = last * static_cast<double>(i) / static_cast<double>(count - 1);
  return scale * x / (1 - x);
}

double OrbitMixer::Axis::rate(std::size_t i) const {
  const double x = at(i) + scale;
  return static_cast<double>(count - 1) / last * scale / (x * x);
}

OrbitMixer::OrbitMixer(const DiscSystem& discs, std::size_t disc, unsigned threads)
    : axis_distance_{rows, 0}, height_{columns, 0} {
  const ThickDisc& own = discs.disc(disc);
  const double half_mass_radius = own.surface().radius_of_mass(own.component().mass / 2);
  axis_distance_.scale = rows_in_half_mass_radii * half_mass_radius;
  height_.scale = columns_in_heights * own.component().disc.height;
  tabulate(discs, threads);
  find_frequencies(half_mass_radius);
}

void OrbitMixer::tabulate(const DiscSystem& discs, unsigned threads) {
  std::vector<double> heights;
  for (std::size_t j = 0; j < columns; ++j) heights.push_back(height_.at(j));
  std::vector<double> potential(rows * columns);
  inward_.resize(rows * columns);
  downward_.resize(rows * columns);
  for_pieces(rows, 4, threads, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      // On the axis the potential of a black hole or a cusp bends sharply; it is not needed there.
      const double R = i > 0 ? axis_distance_.at(i) : 1e-3 * axis_distance_.at(1);
      const std::vector<double> row = discs.potential(R, heights);
      std::copy(row.begin(), row.end(),
                potential.begin() + static_cast<std::ptrdiff_t>(i * columns));
      const std::vector<double> slope = derivative(row, 1);
      for (std::size_t j = 1; j < columns; ++j) {
        downward_[i * columns + j] = static_cast<float>(-slope[j] * height_.rate(j));
      }
    }
  });
  std::vector<double> column(rows);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) column[i] = potential[i * columns + j];
    const std::vector<double> slope = derivative(column, 1);
    for (std::size_t i = 1; i < rows; ++i) {
      inward_[i * columns + j] = static_cast<float>(-slope[i] * axis_distance_.rate(i));
    }
  }
}

void OrbitMixer::find_frequencies(double typical_radius) {
  const std::size_t typical = row_of(typical_radius);
  std::vector<double> square;  // square of the circular speed
  for (std::size_t i = 0; i < rows; ++i) {
    square.push_back(std::max(-inward_[i * columns] * axis_distance_.at(i), 0.0));
  }
  const std::vector<double> slope = derivative(square, 1);
  for (std::size_t i = 1; i < rows; ++i) {
    const double R = axis_distance_.at(i);
    const double circular = square[i] / (R * R);
    const double epicycle = 2 * circular + slope[i] * axis_distance_.rate(i) / R;
    const double vertical = -downward_[i * columns + 1] / height_.at(1);
    const double fastest = std::max({circular, epicycle, vertical});
    frequency_.push_back(static_cast<float>(std::sqrt(fastest)));
    if (i != typical) continue;
    const double steps = epicycles * steps_per_period * std::sqrt(fastest / epicycle);
    steps_ = static_cast<int>(std::clamp(steps, fewest_steps, most_steps));
  }
  frequency_.insert(frequency_.begin(), frequency_.front());
}

std::size_t OrbitMixer::row_of(double axis_distance) const {
  const double place = axis_distance / (axis_distance + axis_distance_.scale) / last * (rows - 1);
  return std::clamp<std::size_t>(static_cast<std::size_t>(place), 1, rows - 1);
}

float OrbitMixer::longest_step(const Stars& stars, std::size_t star) const {
  const float x = stars.position[0][star], y = stars.position[1][star];
  const float R = std::hypot(x, y);
  const float spin = std::abs(x * stars.velocity[1][star] - y * stars.velocity[0][star]);
  // A star comes no nearer to the axis than about half of the radius where a circular orbit has the
  // star's angular momentum.
  const float circular = std::sqrt(std::max(-inward_[row_of(R) * columns] * R, 0.0F));
  const float nearest = 0.5F * std::min(R, circular > 0 ? spin / circular : R);
  return 2 * std::numbers::pi_v<float> / (steps_per_period * frequency_[row_of(nearest)]);
}

void OrbitMixer::kick(Stars& stars, const Lanes& step) const {
  const auto [x, y, z] = stars.position;
  const auto row_scale = static_cast<float>(axis_distance_.scale);
  const auto column_scale = static_cast<float>(height_.scale);
  constexpr auto per_row = static_cast<float>((rows - 1) / last);
  constexpr auto per_column = static_cast<float>((columns - 1) / last);
  std::array<std::array<float, lanes>, 3> pull;
  for (std::size_t k = 0; k < lanes; ++k) {
    const float R = std::sqrt(x[k] * x[k] + y[k] * y[k]) + 1e-20F, h = std::abs(z[k]);
    const float row = R / (R + row_scale) * per_row, column = h / (h + column_scale) * per_column;
    const int i = before(row, rows - 1), j = before(column, columns - 1);
    const float u = std::min(row - static_cast<float>(i), 1.0F);
    const float v = std::min(column - static_cast<float>(j), 1.0F);
    const int corner = i * static_cast<int>(columns) + j;
    const float inward = interpolate(&inward_[corner], u, v) / R;
    pull[0][k] = inward * x[k];
    pull[1][k] = inward * y[k];
    pull[2][k] = std::copysign(1.0F, z[k]) * interpolate(&downward_[corner], u, v);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t k = 0; k < lanes; ++k) stars.velocity[d][k] += step[k] * pull[d][k];
  }
}

void OrbitMixer::move(Stars& stars, const Lanes& fraction,
                      const std::function<void(const Stars&)>& visit) const {
  Lanes whole, half;
  for (std::size_t k = 0; k < lanes; ++k) {
    whole[k] = fraction[k] * longest_step(stars, k);
    half[k] = whole[k] / 2;
  }
  const auto drift = [&](const Lanes& step) {
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t k = 0; k < lanes; ++k) {
        stars.position[d][k] += step[k] * stars.velocity[d][k];
      }
    }
  };
  for (int step = 0; step < steps_; ++step) {
    drift(half);
    kick(stars, whole);
    drift(half);
    if (visit) visit(stars);
  }
}

}  // namespace gothic::ic
