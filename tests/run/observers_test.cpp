#include "run/observers.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace gothic {
namespace {

TEST(Observers, HaveNamesOfTheirOwn) {
  const std::regex word("[a-z][a-z_]*");
  std::set<std::string> names = {"checkpoint", "checkpoint_previous"};  // files that a run has, too
  for (const Observer& observer : observers()) {
    EXPECT_TRUE(std::regex_match(observer.name, word)) << observer.name;
    EXPECT_FALSE(observer.name.starts_with("snapshot")) << observer.name;
    EXPECT_TRUE(names.insert(observer.name).second) << observer.name;
  }
}

TEST(Observers, ColumnsAreUniqueAndDescribed) {
  const std::regex word("[a-z][a-z0-9_]*");  // names of Python's fields, too
  for (const Observer& observer : observers()) {
    EXPECT_FALSE(observer.meaning.empty()) << observer.name;
    std::set<std::string> names;
    for (const Column& column : observer.columns) {
      EXPECT_TRUE(std::regex_match(column.name, word)) << observer.name << ", " << column.name;
      EXPECT_TRUE(names.insert(column.name).second) << observer.name << ", " << column.name;
      EXPECT_FALSE(column.meaning.empty()) << observer.name << ", " << column.name;
    }
  }
}

TEST(Observers, BeginWithStepAndTime) {
  for (const Observer& observer : observers()) {
    ASSERT_GT(observer.columns.size(), 2U) << observer.name;
    EXPECT_EQ(observer.columns[0].name, "step") << observer.name;
    EXPECT_TRUE(observer.columns[0].is_integer) << observer.name;
    EXPECT_EQ(observer.columns[1].name, "time") << observer.name;
    EXPECT_EQ(observer.columns[1].unit, "time") << observer.name;
  }
}

}  // namespace
}  // namespace gothic
