#include "core/tuning/state.hpp"

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

  template <class Visitor>
  void visit(Visitor& all) {
    all(kind, here, count);
  }
  bool operator==(const Part&) const = default;
};

struct Whole {
  double real = 0;
  float single = 0;
  std::optional<double> maybe, never = 3.0;
  std::vector<Part> parts;
  std::array<int, 3> three{};
  std::optional<Part> part;

  template <class Visitor>
  void visit(Visitor& all) {
    all(real, single, maybe, never, parts, three, part);
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

std::vector<double> stored(Whole whole) {
  StateWriter writer;
  whole.visit(writer);
  return writer.numbers();
}

TEST(State, IsRestoredFromItsNumbers) {
  const std::vector<double> numbers = stored(example());
  EXPECT_EQ(numbers.size(), 2U + 2 + 1 + (1 + 6) + 3 + 4);
  Whole restored;
  StateReader reader(numbers);
  EXPECT_FALSE(reader.done());
  restored.visit(reader);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(restored, example());
}

TEST(State, OfNothingMuchReplacesWhatWasThere) {
  const std::vector<double> numbers = stored({});
  Whole restored = example();
  StateReader reader(numbers);
  restored.visit(reader);
  EXPECT_EQ(restored, Whole{});
}

TEST(State, TooShortListsAreRefused) {
  const std::vector<double> numbers = stored(example());
  for (std::size_t size = 0; size < numbers.size(); ++size) {
    const std::vector<double> some(numbers.begin(), numbers.begin() + std::ptrdiff_t(size));
    Whole restored;
    StateReader reader(some);
    EXPECT_THROW(restored.visit(reader), StateError) << size;
  }
}

TEST(State, NumbersThatAreNoIntegersAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count_of_parts = 5, kind = 6, count = 8, three = 12;
  for (const std::size_t place : {count_of_parts, kind, count, three}) {
    for (const double bad : {nan, 1e300, -1e300}) {
      std::vector<double> numbers = stored(example());
      numbers[place] = bad;
      Whole restored;
      StateReader reader(numbers);
      EXPECT_THROW(restored.visit(reader), StateError) << place << ", " << bad;
    }
  }
}

/// What has no default is made from the options before; without them there is nothing to restore.
struct NoDefault {
  explicit NoDefault(double x) : value(x) {}
  double value;

  template <class Visitor>
  void visit(Visitor& all) {
    all(value);
  }
};

TEST(State, OfWhatHasNoDefaultNeedsIt) {
  std::optional<NoDefault> there(2.5), missing;
  StateWriter writer;
  writer(there);
  StateReader good(writer.numbers()), bad(writer.numbers());
  there->value = 0;
  good(there);
  EXPECT_EQ(there->value, 2.5);
  EXPECT_THROW(bad(missing), StateError);
}

}  // namespace
}  // namespace gothic
