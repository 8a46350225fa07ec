#include "core/named_state.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace gothic {
namespace {

struct Part {
  enum class Kind { plain, striped, spotted };
  Kind kind = Kind::plain;
  bool here = false;
  std::int64_t count = 0;

  void visit(NamedState& all) { all("kind", kind)("here", here)("count", count); }
  bool operator==(const Part&) const = default;
};

struct Whole {
  double real = 0;
  float single = 0;
  std::optional<double> maybe, never = 3.0;
  std::vector<Part> parts;
  std::array<int, 3> three{};
  std::optional<Part> part;

  void visit(NamedState& all) {
    all("real", real)("single", single)("maybe", maybe)("never", never);
    all("parts", parts)("three", three)("part", part);
  }
  bool operator==(const Whole&) const = default;
};

Whole example() {
  return {.real = 0.1,
          .single = std::numeric_limits<float>::infinity(),
          .maybe = -1e-300,
          .never = {},
          .parts = {{Part::Kind::striped, true, 1 << 30}, {Part::Kind::spotted, false, -7}},
          .three = {1, -2, 3},
          .part = Part{Part::Kind::spotted, true, 5}};
}

NamedNumbers stored(Whole whole) {
  NamedState state;
  whole.visit(state);
  return state.numbers();
}

Whole restored(const NamedNumbers& numbers, Whole whole = {}) {
  NamedState state(numbers);
  whole.visit(state);
  return whole;
}

TEST(NamedState, IsRestoredFromItsNumbers) {
  EXPECT_EQ(restored(stored(example())), example());
  EXPECT_EQ(restored(stored({}), example()), Whole{});
}

TEST(NamedState, NamesMembersOfMembers) {
  const NamedNumbers numbers = stored(example());
  EXPECT_EQ(numbers.at("parts.count"), 2);
  EXPECT_EQ(numbers.at("parts.1.count"), -7);
  EXPECT_EQ(numbers.at("three.2"), 3);
  EXPECT_EQ(numbers.at("part.kind"), 2);
}

TEST(NamedState, OfAnOlderFileKeepsWhatThatDoesNotHave) {
  NamedNumbers numbers = stored(example());
  numbers.erase("real");
  numbers.erase("part.known");
  Whole expected = example();
  expected.real = 0.5;
  expected.part.reset();
  Whole newer;
  newer.real = 0.5;
  EXPECT_EQ(restored(numbers, newer), expected);
}

TEST(NamedState, NumbersThatNoMemberAsksForAreRefused) {
  NamedNumbers numbers = stored(example());
  numbers["more"] = 1;
  NamedState state(numbers);
  Whole whole;
  whole.visit(state);
  EXPECT_THROW(state.expect_all_visited(), StateError);
}

TEST(NamedState, NumbersThatAreNoIntegersAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"parts.count", "parts.0.kind", "parts.0.count", "three.0"}) {
    for (const double bad : {nan, 1e300, -1e300}) {
      NamedNumbers numbers = stored(example());
      numbers.at(name) = bad;
      EXPECT_THROW(restored(numbers), StateError) << name << ", " << bad;
    }
  }
}

}  // namespace
}  // namespace gothic
