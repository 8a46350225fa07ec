#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gothic {

using NamedNumbers = std::map<std::string, double>;

/// A stored state that does not fit the object that is to take it.
struct StateError : std::runtime_error {
  /// \param field of the particles that does not fit; empty where a number does not
  explicit StateError(const std::string& problem, std::string field = {})
      : std::runtime_error(problem), field(std::move(field)) {}

  std::string field;
};

/// The state of objects that learn from the steps, as numbers with names, so that a run can go on
/// exactly where it was.
///
/// A class with state has `void visit(NamedState& all)`, which calls all("name", member) for its
/// members; the same function serves to store and to restore. Members of members have names like
/// "rebuild.costs.kinds.3.fresh". Integers are below 2^53 and exact.
class NamedState {
 public:
  /// Stores what it visits.
  NamedState() = default;
  /// Restores what it visits. A member whose name is not there, as in an older file, keeps its
  /// value. Throws StateError where a number does not fit.
  explicit NamedState(NamedNumbers numbers) : numbers_(std::move(numbers)), restores_(true) {}

  template <class T>
  NamedState& operator()(const std::string& name, T& value) {
    visit(prefix_ + name, value);
    return *this;
  }

  bool restores() const { return restores_; }
  const NamedNumbers& numbers() const { return numbers_; }

  /// Throws StateError if there is a number that no member asked for.
  void expect_all_visited() const {
    for (const auto& [name, number] : numbers_) {
      if (!visited_.contains(name)) throw StateError(name + " is unknown to this version");
    }
  }

 private:
  template <class T>
  void visit(const std::string& name, T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      visited_.insert(name);
      if (!restores_) {
        numbers_[name] = double(value);
      } else if (const auto found = numbers_.find(name); found != numbers_.end()) {
        if (!std::is_floating_point_v<T>) expect_integer(name, found->second);
        value = static_cast<T>(found->second);
      }
    } else {
      const std::string outer = std::exchange(prefix_, name + ".");
      value.visit(*this);
      prefix_ = outer;
    }
  }
  template <class T>
  void visit(const std::string& name, std::optional<T>& value) {
    bool known = value.has_value();
    visit(name + ".known", known);
    if (!known) value.reset();
    if (known && !value) value.emplace();
    if (value) visit(name, *value);
  }
  template <class T>
  void visit(const std::string& name, std::vector<T>& values) {
    double count = double(values.size());
    visit(name + ".count", count);
    if (restores_ && !(count >= 0 && count <= double(numbers_.size()))) {
      throw StateError(name + ".count is no length of a list");
    }
    values.resize(std::size_t(count));
    visit_elements(name, values);
  }
  template <class T, std::size_t n>
  void visit(const std::string& name, std::array<T, n>& values) {
    visit_elements(name, values);
  }
  template <class Values>
  void visit_elements(const std::string& name, Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      visit(name + "." + std::to_string(i), values[i]);
    }
  }

  static void expect_integer(const std::string& name, double number) {
    constexpr double most = double(std::numeric_limits<int>::max());
    if (!(std::abs(number) <= most)) throw StateError(name + " is no integer");
  }

  NamedNumbers numbers_;
  bool restores_ = false;
  std::set<std::string> visited_;
  std::string prefix_;
};

}  // namespace gothic
