#include "run/agreement.hpp"

#include <gtest/gtest.h>

#include <new>

#include "core/messages/one_rank.hpp"
#include "core/setting_error.hpp"
#include "files/error.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

namespace gothic::test {
namespace {

/// What a rank throws, as text; "nothing" if it throws nothing.
std::string thrown_by(const std::function<void()>& action) {
  try {
    action();
  } catch (const FailedElsewhere& error) {
    return "rank " + std::to_string(error.rank) +
           (error.fault == Fault::usage ? " usage " : " machine ") + error.what();
  } catch (const std::exception& error) {
    return std::string("own ") + error.what();
  }
  return "nothing";
}

/// What each of several ranks throws from an action that gets its rank.
std::vector<std::string> thrown_by_ranks(int size, const std::function<void(int)>& action) {
  std::vector<std::string> thrown(static_cast<std::size_t>(size));
  on_ranks(size, [&](Communicator& ranks) {
    thrown[std::size_t(ranks.rank())] =
        thrown_by([&] { agree(ranks, [&] { action(ranks.rank()); }); });
  });
  return thrown;
}

TEST(Agreement, IsReachedWhereNoRankFails) {
  for (const int size : {1, 2, 3, 5}) {
    EXPECT_EQ(thrown_by_ranks(size, [](int) {}), std::vector<std::string>(size, "nothing"));
  }
}

TEST(Agreement, OnlyOneRankNeedFailForAllToThrow) {
  for (const int size : {1, 2, 3, 5}) {
    for (int bad = 0; bad < size; ++bad) {
      const auto thrown = thrown_by_ranks(size, [&](int rank) {
        if (rank == bad) throw InputError("x: is bad; mend it");
      });
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_EQ(thrown[std::size_t(rank)],
                  rank == bad ? "own x: is bad; mend it"
                              : "rank " + std::to_string(bad) + " usage x: is bad; mend it");
      }
    }
  }
}

TEST(Agreement, LetsTheLowestOfSeveralRanksThatFailSpeak) {
  const auto thrown = thrown_by_ranks(4, [](int rank) {
    if (rank == 1) throw std::runtime_error("the disk is full");
    if (rank == 2) throw InputError("is bad");
  });
  const std::string other = "rank 1 machine the disk is full";
  EXPECT_EQ(thrown, (std::vector<std::string>{other, "own the disk is full", other, other}));
}

TEST(Agreement, KnowsWhoCanCorrectAFailure) {
  const auto other = [](const std::function<void()>& fail) {
    return thrown_by_ranks(2, [&](int rank) {
      if (rank == 1) fail();
    })[0];
  };
  EXPECT_EQ(other([] { throw SettingError("threads", "are too many"); }),
            "rank 1 usage threads: are too many");
  EXPECT_EQ(other([] { throw std::bad_alloc(); }),
            "rank 1 machine " + out_of_memory_message(std::bad_alloc()));
}

TEST(Agreement, OfOneRankIsTheActionItself) {
  EXPECT_EQ(thrown_by([] { agree(one_rank(), [] { throw InputError("is bad"); }); }), "own is bad");
  bool done = false;
  agree(one_rank(), [&] { done = true; });
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace gothic::test
