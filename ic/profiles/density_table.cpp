#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "files/error.hpp"
#include "files/input_file.hpp"
#include "files/toml.hpp"
#include "ic/profiles/profiles.hpp"

namespace gothic::ic {
namespace {

/// The power of x that the slope of y(ln x) follows between the first rows: 2 for a flat core, 0
/// for a cusp.
double power_of_slope(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 3) return 0;
  const double first = (y[1] - y[0]) / (x[1] - x[0]), next = (y[2] - y[1]) / (x[2] - x[1]);
  if (first >= 0 || next >= 0) return 0;
  constexpr double core = 2, nearly = 1.8;
  const double power = std::log(next / first) / ((x[2] - x[0]) / 2);
  return power > nearly ? core : std::max(power, 0.0);
}

/// Second derivatives at the nodes of the spline through (x, y), from the tridiagonal equations for
/// a slope without jumps. The second derivative is `power` times the slope at the first node, and
/// zero at the last.
std::vector<double> spline_curvature(const std::vector<double>& x, const std::vector<double>& y,
                                     double power) {
  const std::size_t n = x.size();
  const auto gap = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / gap(i); };
  std::vector<double> curvature(n), diagonal(n, 1), above(n);
  diagonal[0] = 1 + power * gap(0) / 3;
  above[0] = power * gap(0) / 6;
  curvature[0] = power * slope(0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double factor = gap(i - 1) / 6 / diagonal[i - 1];
    above[i] = gap(i) / 6;
    diagonal[i] = (gap(i - 1) + gap(i)) / 3 - factor * above[i - 1];
    curvature[i] = slope(i) - slope(i - 1) - factor * curvature[i - 1];
  }
  for (std::size_t i = n - 1; i-- > 0;) {
    curvature[i] = (curvature[i] - above[i] * curvature[i + 1]) / diagonal[i];
  }
  return curvature;
}

class TableShape final : public Shape {
 public:
  TableShape(std::vector<double> log_radius, std::vector<double> log_density,
             std::vector<DensityRow> rows)
      : log_radius_(std::move(log_radius)),
        log_density_(std::move(log_density)),
        power_(power_of_slope(log_radius_, log_density_)),
        curvature_(spline_curvature(log_radius_, log_density_, power_)),
        rows_(std::move(rows)) {
    const auto steep = [&](double t) {
      const Jet g = jet(std::exp(t));
      return g.first * std::exp(t) <= -2 * g.value;
    };
    const auto found = std::find_if(log_radius_.begin(), log_radius_.end() - 1, steep);
    size_ = std::exp(*found);
  }

  Jet jet(double x) const override;

  /// The slopes at the first and at the last row.
  Slopes slopes() const override {
    const auto slope = [&](double log_radius) {
      const double x = std::exp(log_radius);
      const Jet g = jet(x);
      return -g.first * x / g.value;
    };
    return {slope(log_radius_.front()), slope(log_radius_.back())};
  }

  double size() const override { return size_; }
  std::vector<DensityRow> rows() const override { return rows_; }

 private:
  std::vector<double> log_radius_, log_density_;
  double power_;                   // power of x that the slope follows within the first radius
  std::vector<double> curvature_;  // d^2 ln g / d(ln x)^2 at the radii
  double size_ = 1;
  std::vector<DensityRow> rows_;
};

Jet TableShape::jet(double x) const {
  const double t = std::log(x);
  const double inside = std::clamp(t, log_radius_.front(), log_radius_.back());
  const auto above = std::upper_bound(log_radius_.begin() + 1, log_radius_.end() - 1, inside);
  const auto i = static_cast<std::size_t>(above - log_radius_.begin()) - 1;
  const double h = log_radius_[i + 1] - log_radius_[i];
  const double b = (inside - log_radius_[i]) / h, a = 1 - b;
  const double low = curvature_[i], high = curvature_[i + 1];
  const double slope = (log_density_[i + 1] - log_density_[i]) / h +
                       h / 6 * ((1 - 3 * a * a) * low + (3 * b * b - 1) * high);
  const double value = a * log_density_[i] + b * log_density_[i + 1] +
                       h * h / 6 * (a * (a * a - 1) * low + b * (b * b - 1) * high);
  if (t == inside) {
    return from_logarithm(x, {value, slope, a * low + b * high});
  }
  if (t > inside || power_ == 0) {
    return from_logarithm(x, {value + slope * (t - inside), slope, 0});
  }
  const double fall = std::exp(power_ * (t - inside));  // the slope goes as x^power
  return from_logarithm(x,
                        {value - slope / power_ * (1 - fall), slope * fall, slope * power_ * fall});
}

constexpr std::size_t fewest_rows = 4;
constexpr double smallest = 1e-30, largest = 1e30;

/// What is wrong with a row of a table, or empty. `previous` is the row before, or null.
std::string problem_of(const DensityRow& row, const DensityRow* previous) {
  const auto [radius, density] = row;
  if (!std::isfinite(radius) || !std::isfinite(density)) return "is not finite; write numbers";
  if (radius <= 0) return "the radius is " + files::in_words(radius) + "; it must be positive";
  if (density <= 0) {
    return "the density is " + files::in_words(density) +
           "; it must be positive, leave out rows without";
  }
  if (std::min(radius, density) < smallest || std::max(radius, density) > largest) {
    return "is not from " + files::in_words(smallest) + " to " + files::in_words(largest) +
           "; choose other units";
  }
  if (previous && radius <= (*previous)[0]) {
    return "the radius " + files::in_words(radius) + " does not exceed the one before, " +
           files::in_words((*previous)[0]) + "; sort the rows";
  }
  return "";
}

}  // namespace

ShapePointer table_shape(std::vector<DensityRow> rows) {
  std::vector<double> log_radius, log_density;
  for (const auto& [radius, density] : rows) {
    log_radius.push_back(std::log(radius));
    log_density.push_back(std::log(density));
  }
  return std::make_shared<TableShape>(std::move(log_radius), std::move(log_density),
                                      std::move(rows));
}

ShapePointer table_shape(std::vector<double> log_radius, std::vector<double> log_density) {
  return std::make_shared<TableShape>(std::move(log_radius), std::move(log_density),
                                      std::vector<DensityRow>());
}

std::vector<DensityRow> read_density_table(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::istringstream in(files::read_text(path, "table"));
  std::vector<DensityRow> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    if ((words >> std::ws).eof()) continue;
    const std::string where = file + ":" + std::to_string(number) + ": table: ";
    DensityRow row{};
    if (!(words >> row[0] >> row[1]) || !(words >> std::ws).eof()) {
      throw InputError(where + "is not two numbers; write radius and density");
    }
    const std::string problem = problem_of(row, rows.empty() ? nullptr : &rows.back());
    if (!problem.empty()) throw InputError(where + problem);
    rows.push_back(row);
  }
  if (rows.size() < fewest_rows) {
    throw InputError(file + ": table: has " + std::to_string(rows.size()) +
                     " rows; give at least " + std::to_string(fewest_rows));
  }
  return rows;
}

}  // namespace gothic::ic
