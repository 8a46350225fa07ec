#include "core/messages/exchange.hpp"

#include <gtest/gtest.h>

#include "tests/core/messages/threads_as_ranks.hpp"

namespace gothic::test {
namespace {

/// Rank r has the numbers 10 r ... 10 r + r - 1: the first one none.
std::vector<int> numbers_of(int rank) {
  std::vector<int> numbers(static_cast<std::size_t>(rank));
  std::iota(numbers.begin(), numbers.end(), 10 * rank);
  return numbers;
}

TEST(Exchange, JoinsWhatRanksHaveInTheirOrder) {
  for (const int size : {1, 2, 3, 5}) {
    std::vector<int> all;
    for (int rank = 0; rank < size; ++rank) {
      for (const int number : numbers_of(rank)) all.push_back(number);
    }
    on_ranks(size,
             [&](Communicator& ranks) { EXPECT_EQ(joined(ranks, numbers_of(ranks.rank())), all); });
  }
}

TEST(Exchange, SendsValuesToTheirOwners) {
  for (const int size : {1, 2, 3, 5}) {
    on_ranks(size, [&](Communicator& ranks) {
      std::vector<int> own;
      for (int rank = 0; rank < size; ++rank) {
        for (const int number : numbers_of(rank)) {
          if (number % size == ranks.rank()) own.push_back(number);
        }
      }
      const auto owner = [&](int number) { return std::size_t(number % size); };
      EXPECT_EQ(sent_to_owners(ranks, numbers_of(ranks.rank()), owner), own);
    });
  }
}

}  // namespace
}  // namespace gothic::test
