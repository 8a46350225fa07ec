#include "ic/disc/meridional_grid.hpp"

#include <algorithm>
#include <cmath>

namespace gothic::ic {
namespace {

/// Lagrange's polynomials with nodes 0, 1, 2, 3.
std::array<double, 4> cubic_basis(double x) {
  const double a = x, b = x - 1, c = x - 2, d = x - 3;
  return {-b * c * d / 6, a * c * d / 2, -a * b * d / 2, a * b * c / 6};
}

/// The first of the four points around `position` among `count`.
std::size_t first_of_four(double position, std::size_t count) {
  const auto before = static_cast<std::ptrdiff_t>(position) - 1;
  return static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(before, 0, static_cast<std::ptrdiff_t>(count) - 4));
}

}  // namespace

MeridionalGrid::MeridionalGrid(const RadialGrid& rows, double top, std::size_t columns)
    : rows_(rows), heights_(columns) {
  for (std::size_t j = 0; j < columns; ++j) {
    const double s = static_cast<double>(j) / static_cast<double>(columns - 1);
    heights_[j] = top * s * s;
  }
}

MeridionalGrid::Place MeridionalGrid::place(double axis_distance, double height) const {
  const auto [index, fraction] = rows_.place(std::log(axis_distance));
  const double x = static_cast<double>(index) + fraction;
  const double last = static_cast<double>(columns() - 1);
  const double y = std::min(std::sqrt(height / top()), 1.0) * last;
  Place place{first_of_four(x, rows_.size()), first_of_four(y, columns()), {}, {}};
  place.row_weight = cubic_basis(x - static_cast<double>(place.row));
  place.column_weight = cubic_basis(y - static_cast<double>(place.column));
  return place;
}

double MeridionalGrid::at(const std::vector<double>& table, const Place& place) const {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double* const row = &table[(place.row + i) * columns() + place.column];
    double along = 0;
    for (std::size_t j = 0; j < 4; ++j) along += place.column_weight[j] * row[j];
    sum += place.row_weight[i] * along;
  }
  return sum;
}

double MeridionalGrid::at_row(const std::vector<double>& function, const Place& place) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += place.row_weight[i] * function[place.row + i];
  return sum;
}

std::vector<double> MeridionalGrid::log_radial_derivative(const std::vector<double>& table) const {
  std::vector<double> result(table.size()), column(rows_.size());
  for (std::size_t j = 0; j < columns(); ++j) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = table[i * columns() + j];
    const std::vector<double> slope = derivative(column, rows_.step());
    for (std::size_t i = 0; i < column.size(); ++i) result[i * columns() + j] = slope[i];
  }
  return result;
}

std::vector<double> MeridionalGrid::integral_to(std::vector<double> values) const {
  const double last = static_cast<double>(columns() - 1);
  for (std::size_t j = 0; j < columns(); ++j) {  // dz = 2 top s ds
    values[j] *= 2 * top() * static_cast<double>(j) / (last * last);
  }
  std::vector<double> integral(columns());
  for (std::size_t j = 0; j + 2 < columns(); j += 2) {  // Simpson; its parabola divides the pair
    const double a = values[j], b = values[j + 1], c = values[j + 2];
    integral[j + 1] = integral[j] + (5 * a + 8 * b - c) / 12;
    integral[j + 2] = integral[j] + (a + 4 * b + c) / 3;
  }
  return integral;
}

std::vector<double> derivative(const std::vector<double>& values, double step) {
  const std::size_t count = values.size();
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = std::clamp<std::size_t>(i, 2, count - 3) - 2;
    const double* const y = &values[first];
    switch (i - first) {
      case 0:
        result[i] = (-25 * y[0] + 48 * y[1] - 36 * y[2] + 16 * y[3] - 3 * y[4]) / 12;
        break;
      case 1:
        result[i] = (-3 * y[0] - 10 * y[1] + 18 * y[2] - 6 * y[3] + y[4]) / 12;
        break;
      case 3:
        result[i] = (3 * y[4] + 10 * y[3] - 18 * y[2] + 6 * y[1] - y[0]) / 12;
        break;
      case 4:
        result[i] = (25 * y[4] - 48 * y[3] + 36 * y[2] - 16 * y[1] + 3 * y[0]) / 12;
        break;
      default:
        result[i] = (y[0] - 8 * y[1] + 8 * y[3] - y[4]) / 12;
    }
    result[i] /= step;
  }
  return result;
}

}  // namespace gothic::ic
