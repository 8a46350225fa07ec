#include "files/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "files/input_file.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

/// A state that a run could have after a number of steps, with particles in reverse order.
Checkpoint example_checkpoint(std::size_t count, std::int64_t step) {
  Checkpoint checkpoint{.snapshot = example_snapshot(count),
                        .state = {},
                        .progress = {{"interactions", 1e9}, {"first_energy", -0.25}},
                        .options = {}};
  SimulationState& state = checkpoint.state;
  std::vector<Vec4> position;
  std::vector<std::uint8_t> level;
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < count; ++i) {
    const auto slot = static_cast<std::uint32_t>(count - 1 - i);
    const auto x = static_cast<float>(i);
    position.push_back({x, -x, 0.1F, checkpoint.snapshot.particles.mass[slot]});
    level.push_back(static_cast<std::uint8_t>(i % 37));
    slots.push_back(slot);
    state.keys.push_back(std::uint64_t{1} << std::min<std::size_t>(i, 62));
  }
  state.fields = {{"Level", level}, {"Position", position}, {"Slot", slots}};
  state.now = 17;
  state.end = std::int64_t{1} << 62;
  state.top = 36;
  state.step = step;
  state.numbers = {
      {"tick", 0.1}, {"target", std::numeric_limits<double>::infinity()}, {"rebuild.age", -3}};
  return checkpoint;
}

class CheckpointFile : public FolderTest {
 protected:
  void write(const Checkpoint& checkpoint, Newest newest = Newest::becomes_previous) const {
    Provenance provenance = example_provenance();
    provenance.options = {{"eta", "0.5"}};
    write_checkpoint(folder_, checkpoint, provenance, {}, newest);
  }
  void write(std::int64_t step, Newest newest = Newest::becomes_previous) const {
    write(example_checkpoint(40, step), newest);
  }

  std::filesystem::path newest() const { return checkpoint_path(folder_); }
  std::filesystem::path previous() const { return previous_checkpoint_path(folder_); }

  static std::int64_t step_of(const std::filesystem::path& path) {
    return read_checkpoint(path).state.step;
  }

  /// Changes one byte.
  static void damage(const std::filesystem::path& path, std::streamoff place) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(place);
    const int byte = file.get();
    file.seekp(place);
    file.put(static_cast<char>(byte ^ 1));
  }
};

TEST_F(CheckpointFile, KeepsEveryNumber) {
  Checkpoint written = example_checkpoint(1001, 5);
  std::vector<double> energies;
  std::vector<float> costs;
  for (int i = 0; i < 1001; ++i) {
    energies.push_back(-0.1 * i);
    costs.push_back(0.3F * float(i));
  }
  written.state.fields.insert(written.state.fields.begin(),
                              {{"Cost", costs}, {"Energy", energies}});
  write(written);
  const Checkpoint read = read_checkpoint(newest());
  EXPECT_EQ(read.snapshot.units, written.snapshot.units);
  EXPECT_EQ(read.snapshot.time, written.snapshot.time);
  EXPECT_EQ(read.snapshot.softening, written.snapshot.softening);
  EXPECT_EQ(read.snapshot.components, written.snapshot.components);
  EXPECT_EQ(read.snapshot.particles.id, written.snapshot.particles.id);
  EXPECT_EQ(read.snapshot.particles.mass, written.snapshot.particles.mass);
  EXPECT_EQ(read.snapshot.particles.type, written.snapshot.particles.type);
  EXPECT_EQ(read.snapshot.particles.component, written.snapshot.particles.component);
  EXPECT_EQ(read.state.fields, written.state.fields);
  EXPECT_EQ(read.state.keys, written.state.keys);
  EXPECT_EQ(read.state.now, written.state.now);
  EXPECT_EQ(read.state.end, written.state.end);
  EXPECT_EQ(read.state.top, written.state.top);
  EXPECT_EQ(read.state.step, written.state.step);
  EXPECT_EQ(read.state.synchronised, written.state.synchronised);
  EXPECT_EQ(read.state.numbers, written.state.numbers);
  EXPECT_EQ(read.progress, written.progress);
  EXPECT_EQ(read.options, (std::map<std::string, std::string>{{"eta", "0.5"}}));
}

TEST_F(CheckpointFile, HasTheRowsOfTheLogs) {
  using Kind = TableWriter::Kind;
  const std::vector<TableWriter::Column> columns = {{"step", Kind::integer}, {"time"}};
  {
    TableWriter table(file("log.h5"), "Steps", columns, example_provenance());
    for (int i = 0; i < 3000; ++i) table.append({i, 0.5 * i});
    const std::array tables = {&table};
    write_checkpoint(folder_, example_checkpoint(3, 1), example_provenance(), tables);
    EXPECT_EQ(table.rows(), 3000U);
  }
  EXPECT_FALSE(std::filesystem::exists(file("log.h5")));
  TableWriter table(file("log.h5"), "Steps", columns, example_provenance(), newest());
  EXPECT_EQ(table.rows(), 3000U);
  table.append({3000, 1500.0});
  table.finish();
  const InputFile log(file("log.h5"));
  const auto time = log.all<double>("/Steps/time");
  const auto step = log.all<std::int64_t>("/Steps/step");
  ASSERT_EQ(time.size(), 3001U);
  for (int i = 0; i <= 3000; ++i) {
    ASSERT_EQ(step[i], i);
    ASSERT_EQ(time[i], 0.5 * i);
  }
}

TEST_F(CheckpointFile, KeepsTheOneBeforeUnlessTheNewestIsDamaged) {
  for (std::int64_t step = 1; step <= 3; ++step) write(step);
  EXPECT_EQ(step_of(newest()), 3);
  EXPECT_EQ(step_of(previous()), 2);
  write(4, Newest::is_replaced);
  EXPECT_EQ(step_of(newest()), 4);
  EXPECT_EQ(step_of(previous()), 2);
  EXPECT_EQ(names(), 2U);
}

TEST_F(CheckpointFile, TellsOfEveryChangedByte) {
  write(example_checkpoint(1, 1));
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(newest()));
  for (std::streamoff place = 0; place < size; place += place < 600 ? 1 : 97) {
    damage(newest(), place);
    const std::string message = refusal_of([&] { read_checkpoint(newest()); });
    EXPECT_TRUE(message.starts_with(newest().string() + ": is ")) << place;
    damage(newest(), place);
  }
  EXPECT_NO_THROW(read_checkpoint(newest()));
}

TEST_F(CheckpointFile, IsNotFoundWhereThereIsNone) {
  EXPECT_FALSE(find_checkpoint(folder_));
  EXPECT_FALSE(find_checkpoint(file("nowhere")));
}

TEST_F(CheckpointFile, PreviousIsFoundWhereTheNewestIsDamagedOrMissing) {
  write(1);
  write(2);
  const auto expect_found = [&](std::int64_t step, const std::string& problem) {
    const auto found = find_checkpoint(folder_);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->checkpoint.state.step, step);
    EXPECT_EQ(found->path, step == 2 ? newest() : previous());
    EXPECT_EQ(found->problem, problem);
  };
  expect_found(2, "");
  damage(newest(), 2000);
  expect_found(1, newest().string() + ": is damaged, its checksum is wrong; remove it");
  std::filesystem::remove(newest());
  expect_found(1, newest().string() + ": is missing");
  damage(previous(), 2000);
  EXPECT_THROW(find_checkpoint(folder_), InputError);
}

TEST_F(CheckpointFile, FolderInItsPlaceIsRefused) {
  write(1);
  std::filesystem::create_directory(previous());
  EXPECT_THROW(find_checkpoint(folder_), InputError);
}

}  // namespace
}  // namespace gothic::files
