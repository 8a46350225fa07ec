#include "files/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gothic::files {
namespace {

TEST(Quantity, NumbersMayBePowers) {
  EXPECT_EQ(read_number("2^-9"), 0x1p-9);
  EXPECT_EQ(read_number("1e5"), 1e5);
  EXPECT_EQ(read_number("-0.5"), -0.5);
  EXPECT_EQ(read_number("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(read_integer("2^20"), 1048576);
  EXPECT_EQ(read_integer("1e5"), 100000);
  EXPECT_EQ(read_integer("-3"), -3);
  for (const char* text : {"", " 1", "1 ", "2^", "^2", "2^3^4", "1,5", "one", "1pc"}) {
    EXPECT_FALSE(read_number(text)) << text;
  }
  for (const char* text : {"0.5", "2^-1", "1e17", "inf", "nan", ""}) {
    EXPECT_FALSE(read_integer(text)) << text;
  }
}

TEST(Quantity, UnitsAreThoseOfTheDimension) {
  const Units galactic{kiloparsec, 1e10 * solar_mass, 1e5};
  const auto value = [&](const char* text, Dimension dimension) {
    const auto quantity = read_quantity(text, dimension);
    return quantity ? quantity->in(galactic).value() : -1;
  };
  EXPECT_DOUBLE_EQ(value("50pc", Dimension::length), 0.05);
  EXPECT_DOUBLE_EQ(value("2^3 Mpc", Dimension::length), 8000);
  EXPECT_DOUBLE_EQ(value("977.8 Myr", Dimension::time), 0.9778 * gigayear * 1e5 / kiloparsec);
  EXPECT_DOUBLE_EQ(value("1e12 Msun", Dimension::mass), 100);
  EXPECT_DOUBLE_EQ(value("220 km/s", Dimension::velocity), 220);
  EXPECT_EQ(value("7", Dimension::velocity), 7);
  EXPECT_EQ(value("50pc", Dimension::time), -1);
  EXPECT_EQ(value("50 parsec", Dimension::length), -1);
  EXPECT_EQ(value("50 ", Dimension::length), -1);
  EXPECT_EQ(value("1pc", Dimension::none), -1);
}

TEST(Quantity, ModelUnitsHaveNoParsecs) {
  EXPECT_FALSE(read_quantity("1 pc", Dimension::length)->in(Units{}));
  EXPECT_EQ(read_quantity("1", Dimension::length)->in(Units{}), 1);
}

}  // namespace
}  // namespace gothic::files
