#pragma once

#include <filesystem>
#include <vector>

#include "ic/shape.hpp"

namespace gothic::ic {

/// A density given at some radii: a cubic spline of ln g in ln x, twice continuously
/// differentiable. Beyond the last radius it goes on as a power law. Within the first its slope
/// goes on as the power of x, from 0 to 2, that the first rows follow: 0 is a power law, 2 a flat
/// core.
class TableShape final : public Shape {
 public:
  explicit TableShape(std::vector<DensityRow> rows);

  /// From natural logarithms of at least two radii, increasing, and of the density there. Without
  /// rows(). Throws std::invalid_argument if there are fewer, if their numbers differ or do not
  /// increase.
  TableShape(std::vector<double> log_radius, std::vector<double> log_density);

  Jet jet(double x) const override;

  /// Those of the first and the last row.
  Slopes slopes() const override;

  /// The first radius of the table where the density falls as x^-2 or faster; the last, if none.
  double size() const override { return size_; }

  const std::vector<DensityRow>& rows() const override { return rows_; }

 private:
  std::vector<double> log_radius_;
  std::vector<double> log_density_;
  std::vector<double> curvature_;  // d^2 ln g / d(ln x)^2 at the radii
  double power_ = 0;
  double size_ = 1;
  std::vector<DensityRow> rows_;
};

/// Reads the rows of a table from a text file: radius and density on a line, comments after '#'.
/// Throws InputError "FILE:LINE: table: problem; remedy" for a file that cannot be read, lines of
/// another kind, radii and densities that are not positive, radii that do not increase, and fewer
/// than 4 rows.
std::vector<DensityRow> read_density_table(const std::filesystem::path& path);

}  // namespace gothic::ic
