#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "files/table.hpp"
#include "files/tipsy.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

/// Runs `write` in another process whose files cannot grow beyond `bytes`, which looks like a full
/// disk, and returns its exit status: 0 if `write` throws a WriteError that names `path`.
int with_full_disk(rlim_t bytes, const std::filesystem::path& path,
                   const std::function<void()>& write) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int status = 1;
    try {
      write();
    } catch (const WriteError& error) {
      const std::string what = error.what();
      status = what.starts_with(path.string() + ": cannot be written: ") &&
                       what.find("File too large") != std::string::npos
                   ? 0
                   : 2;
    }
    std::exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

class FullDisk : public FolderTest, public ::testing::WithParamInterface<rlim_t> {};

TEST_P(FullDisk, OldSnapshotStays) {
  const Snapshot snapshot = example_snapshot(20000);
  for (const int compression : {0, 1}) {
    const auto write = [&] {
      write_snapshot(file("s.h5"), snapshot, example_provenance(), nullptr, compression);
    };
    EXPECT_EQ(with_full_disk(GetParam(), file("s.h5"), write), 0);
    EXPECT_EQ(names(), 0U);
    write_snapshot(file("s.h5"), example_snapshot(10), example_provenance());
    EXPECT_EQ(with_full_disk(GetParam(), file("s.h5"), write), 0);
    EXPECT_EQ(names(), 1U);
    EXPECT_EQ(read_snapshot(file("s.h5")).particles.size(), 10U);
    std::filesystem::remove(file("s.h5"));
  }
}

TEST_P(FullDisk, OldTipsyFileStaysWithItsUnits) {
  write_tipsy(file("t"), example_snapshot(10), example_provenance());
  Snapshot snapshot = example_snapshot(10000);
  snapshot.units = {};
  EXPECT_EQ(0, with_full_disk(GetParam(), file("t"),
                              [&] { write_tipsy(file("t"), snapshot, example_provenance()); }));
  EXPECT_EQ(names(), 2U);
  const Snapshot old = read_snapshot(file("t"));
  EXPECT_EQ(old.particles.size(), 10U);
  EXPECT_NE(old.units, Units{});
}

TEST_P(FullDisk, TableIsReportedAndRemoved) {
  EXPECT_EQ(0, with_full_disk(GetParam(), file("t.h5"), [&] {
              TableWriter table(file("t.h5"), "Steps", {{"time"}}, example_provenance());
              for (int i = 0; i < 100000; ++i) table.append({0.5 * i});
              table.finish();
            }));
  EXPECT_EQ(names(), 0U);
}

INSTANTIATE_TEST_SUITE_P(SizesInBytes, FullDisk,
                         ::testing::Values(0, 1000, 3000, 20000, 100000, 300000));

}  // namespace
}  // namespace gothic::files
