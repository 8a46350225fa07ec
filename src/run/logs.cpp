#include "run/logs.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace gothic {

namespace {

using Kind = files::TableWriter::Kind;
using Columns = std::vector<files::TableWriter::Column>;

Columns lagrange_columns() {
  Columns columns = {{"step", Kind::integer},      {"time", Kind::real},
                     {"component", Kind::integer}, {"mass", Kind::real},
                     {"center_x", Kind::real},     {"center_y", Kind::real},
                     {"center_z", Kind::real}};
  for (const double fraction : lagrange_fractions) {
    const int percent = int(std::lround(100 * fraction));
    columns.push_back({(percent < 10 ? "r_0" : "r_") + std::to_string(percent), Kind::real});
  }
  return columns;
}

}  // namespace

StepLog::StepLog(const std::filesystem::path& folder, const files::Provenance& provenance,
                 const std::filesystem::path& checkpoint)
    : table_(folder / "steps.h5", "Steps",
             {{"step", Kind::integer},
              {"time", Kind::real},
              {"dt", Kind::real},
              {"active", Kind::integer},
              {"groups", Kind::integer},
              {"interactions", Kind::integer},
              {"cells_judged", Kind::integer},
              {"rebuilt", Kind::integer},
              {"level_min", Kind::integer},
              {"level_max", Kind::integer},
              {"predict", Kind::real},
              {"keys", Kind::real},
              {"sort", Kind::real},
              {"build", Kind::real},
              {"groups_time", Kind::real},
              {"moments", Kind::real},
              {"walk", Kind::real},
              {"correct", Kind::real},
              {"total", Kind::real},
              {"sharing", Kind::integer},
              {"group_extent", Kind::real}},
             provenance, checkpoint) {}

void StepLog::append(const StepRecord& r) {
  const auto integer = [](auto value) { return std::int64_t(value); };
  table_.append({r.step,
                 r.time,
                 r.dt,
                 integer(r.active),
                 integer(r.force.group_count),
                 integer(r.force.interactions),
                 integer(r.force.cells_judged),
                 integer(r.rebuilt),
                 integer(r.level_min),
                 integer(r.level_max),
                 r.predict,
                 r.force.keys,
                 r.force.sort,
                 r.force.build,
                 r.force.groups,
                 r.force.moments,
                 r.force.walk,
                 r.correct,
                 r.total,
                 integer(r.force.sharing),
                 double(r.force.group_extent)});
}

void StepLog::finish(const files::Attributes& timing) {
  files::Attributes all = timing;
  all["steps"] = std::int64_t(table_.rows());
  table_.set_attributes("Timing", all);
  table_.finish();
}

EnergyLog::EnergyLog(const std::filesystem::path& folder, const files::Provenance& provenance,
                     const std::filesystem::path& checkpoint)
    : table_(folder / "energy.h5", "Energy",
             {{"step", Kind::integer},
              {"time", Kind::real},
              {"kinetic", Kind::real},
              {"potential", Kind::real},
              {"total", Kind::real},
              {"virial_ratio", Kind::real},
              {"momentum_x", Kind::real},
              {"momentum_y", Kind::real},
              {"momentum_z", Kind::real},
              {"angular_momentum_x", Kind::real},
              {"angular_momentum_y", Kind::real},
              {"angular_momentum_z", Kind::real},
              {"center_x", Kind::real},
              {"center_y", Kind::real},
              {"center_z", Kind::real}},
             provenance, checkpoint) {}

void EnergyLog::append(std::int64_t step, double time, const Conserved& c) {
  table_.append({step, time, c.kinetic, c.potential, c.total(), c.virial_ratio(), c.momentum[0],
                 c.momentum[1], c.momentum[2], c.angular_momentum[0], c.angular_momentum[1],
                 c.angular_momentum[2], c.center[0], c.center[1], c.center[2]});
}

LagrangeLog::LagrangeLog(const std::filesystem::path& folder, const files::Provenance& provenance,
                         const std::vector<files::ComponentInfo>& components,
                         const std::filesystem::path& checkpoint)
    : table_(folder / "lagrange.h5", "Lagrange", lagrange_columns(), provenance, checkpoint) {
  files::Attributes names;
  for (std::size_t i = 0; i < components.size(); ++i) names[std::to_string(i)] = components[i].name;
  if (!names.empty()) table_.set_attributes("ComponentNames", names);
}

std::vector<LagrangeLog::Row> LagrangeLog::rows(std::int64_t step,
                                                const files::Snapshot& snapshot) {
  const std::array<double, 3> center = densest_point(snapshot.particles);
  std::vector<Row> rows;
  for (const LagrangianRadii& radii : lagrangian_radii(snapshot.particles, center)) {
    rows.push_back({step, snapshot.time, std::int64_t(radii.component), radii.mass, center[0],
                    center[1], center[2]});
    rows.back().insert(rows.back().end(), radii.radius.begin(), radii.radius.end());
  }
  return rows;
}

void LagrangeLog::append(const std::vector<Row>& rows) {
  for (const Row& row : rows) table_.append(row);
}

}  // namespace gothic
