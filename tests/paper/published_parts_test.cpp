#include "paper/published_parts.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gothic {
namespace {

TEST(PublishedParts, AreNamedOneByOneOrAllTogether) {
  const PublishedParts none = PublishedParts::named("none"), all = PublishedParts::named("all");
  const PublishedParts some = PublishedParts::named("walk,steps");
  for (std::size_t k = 0; k < std::size(published_parts); ++k) {
    const auto part = PublishedPart(k);
    EXPECT_FALSE(none.has(part));
    EXPECT_TRUE(all.has(part));
    EXPECT_TRUE(PublishedParts::named(published_parts[k]).has(part));
    EXPECT_EQ(some.has(part), part == PublishedPart::walk || part == PublishedPart::steps);
  }
}

TEST(PublishedParts, AnUnknownOneIsNamed) {
  for (const char* text : {"step", "walk,step", "walk,,steps", "all,step"}) {
    EXPECT_THROW(PublishedParts::named(text), std::invalid_argument) << text;
  }
  try {
    PublishedParts::named("walk,bread");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'bread'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("criteria"), std::string::npos);
  }
}

}  // namespace
}  // namespace gothic
