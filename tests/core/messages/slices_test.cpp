#include "core/messages/slices.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/messages/one_rank.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

namespace gothic {
namespace {

TEST(Slices, FollowOneAnother) {
  const std::vector<std::size_t> lengths{3, 0, 4, 0}, firsts{0, 3, 3, 7},
      owners{0, 0, 0, 2, 2, 2, 2};
  test::on_ranks(int(lengths.size()), [&](Communicator& ranks) {
    const auto own = std::size_t(ranks.rank());
    const Slices slices = slices_of(ranks, lengths[own]);
    EXPECT_EQ(slices.first, firsts[own]);
    EXPECT_EQ(slices.own, lengths[own]);
    EXPECT_EQ(slices.all, owners.size());
    EXPECT_EQ(slices.firsts, firsts);
    for (std::size_t k = 0; k < owners.size(); ++k) EXPECT_EQ(slices.owner(k), owners[k]) << k;
  });
}

TEST(Slices, OneRankHasTheWhole) {
  const Slices slices = slices_of(one_rank(), 5);
  EXPECT_EQ(slices.first, 0U);
  EXPECT_EQ(slices.own, 5U);
  EXPECT_EQ(slices.all, 5U);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(slices.owner(k), 0U);
}

}  // namespace
}  // namespace gothic
