#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "ic/radial_table.hpp"

namespace gothic::files {
class TomlSection;
}

/// The densities that components of a model may have.
namespace gothic::ic {

/// Radius and density: a row of a table.
using DensityRow = std::array<double, 2>;

/// A dimensionless density of a sphere, or surface density of a disc: g(x), where x is the radius
/// in units of the component's scale.
class Shape {
 public:
  virtual ~Shape() = default;

  /// g, g' and g'' at x > 0; zero where the density has ended.
  virtual Jet jet(double x) const = 0;

  /// The logarithmic slopes -d ln g / d ln x at the centre and far out. A model is refused where
  /// they stand for infinite energy or an infinite extent.
  struct Slopes {
    double inner = 0, outer = std::numeric_limits<double>::infinity();
  };
  virtual Slopes slopes() const { return {}; }

  /// The x where the density bends.
  virtual double size() const { return 1; }

  /// The x beyond which the mass does not matter: where x^3 g has fallen to 1e-16 of its maximum,
  /// or for power laws 1e7 times the x of the maximum. It is a very large x if x^3 g does not fall.
  virtual double reach() const;

  /// The rows that the density was read from; none for a formula.
  virtual std::vector<DensityRow> rows() const { return {}; }
};

using ShapePointer = std::shared_ptr<const Shape>;

/// g as a jet, from ln g and its first two derivatives with respect to ln x.
inline Jet from_logarithm(double x, const Jet& logarithm) {
  const double g = std::exp(logarithm.value), slope = logarithm.first;
  return {g, g * slope / x, g * (logarithm.second + slope * (slope - 1)) / (x * x)};
}

/// The model of King (1966) with W0 > 0; x is the radius in units of the core radius. g is 1 at the
/// centre and ends at the tidal radius.
ShapePointer king_shape(double w0);

/// The density whose projection is the profile of Sersic (1963) with index n, above 0.5 and up to
/// 10; x is the radius in units of the effective radius.
ShapePointer sersic_shape(double n);

/// b of Sersic's profile: P(2 n, b) = 1/2, P the regularised incomplete gamma function.
double sersic_b(double n);

/// A density given at some radii: a cubic spline of ln g in ln x, twice continuously
/// differentiable. The radii must increase. Beyond the last radius g goes on as a power law. Within
/// the first radius its slope goes on as the power of x, from 0 to 2, that the first rows follow: 0
/// is a power law, 2 a flat core. size() is the first radius where the density falls as x^-2 or
/// faster, or else the last radius.
ShapePointer table_shape(std::vector<DensityRow> rows);
/// The same shape from natural logarithms of radius and density; it has no rows().
ShapePointer table_shape(std::vector<double> log_radius, std::vector<double> log_density);

/// Reads the rows of a table from a text file: radius and density on a line, comments after '#'.
/// Throws InputError "FILE:LINE: table: problem; remedy" if the file cannot be read, a line is not
/// two numbers, a radius or density is not positive, the radii do not increase, or there are fewer
/// than 4 rows.
std::vector<DensityRow> read_density_table(const std::filesystem::path& path);

/// How a component is built: a sphere from its distribution function, a disc from the Jeans
/// equations, a black hole as one particle at rest.
enum class Kind { sphere, disc, black_hole };

/// A profile that a component of a model file may have: its word, its own keys and its density.
struct Profile {
  std::string_view name;
  Kind kind;

  /// The keys that its density or mass has beside the keys of every sphere or disc.
  std::vector<std::string_view> keys;

  /// Reads the keys of the density and makes the density. Names of files are relative to `folder`.
  /// Throws InputError.
  std::function<ShapePointer(const files::TomlSection& section,
                             const std::filesystem::path& folder)>
      read;

  /// Whether the density ends by itself, so that a component has no keys for a cutoff.
  bool has_edge = false;
};

/// Every profile, in the order in which messages list them.
const std::vector<Profile>& profiles();

}  // namespace gothic::ic
