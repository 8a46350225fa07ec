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

/// The state of what learns from the steps as numbers with names, so that a run can go on exactly
/// where it was. A class with state has `template <class Visitor> void visit(Visitor& all)`, which
/// calls all("name", member) for its members; the same function serves to store and to restore.
/// Members of members have names like "rebuild.costs.kinds.3.fresh".
namespace gothic {

using NamedNumbers = std::map<std::string, double>;

/// A stored state does not fit what it is to be the state of.
struct StateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Stores what it visits. Integers are below 2^53 and exact.
class StateWriter {
 public:
  template <class T>
  StateWriter& operator()(const std::string& name, T& value) {
    store(prefix_ + name, value);
    return *this;
  }
  const NamedNumbers& numbers() const { return numbers_; }

 private:
  template <class T>
  void store(const std::string& name, T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      numbers_[name] = double(value);
    } else {
      const std::string outer = std::exchange(prefix_, name + ".");
      value.visit(*this);
      prefix_ = outer;
    }
  }
  template <class T>
  void store(const std::string& name, std::optional<T>& value) {
    numbers_[name + ".known"] = value ? 1 : 0;
    if (value) store(name, *value);
  }
  template <class T>
  void store(const std::string& name, std::vector<T>& values) {
    numbers_[name + ".count"] = double(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      store(name + "." + std::to_string(i), values[i]);
  }
  template <class T, std::size_t n>
  void store(const std::string& name, std::array<T, n>& values) {
    for (std::size_t i = 0; i < n; ++i) store(name + "." + std::to_string(i), values[i]);
  }

  NamedNumbers numbers_;
  std::string prefix_;
};

/// Restores what it visits. A member whose name is not there, as in an older file, keeps its value.
/// Throws StateError where a number does not fit.
class StateReader {
 public:
  explicit StateReader(const NamedNumbers& numbers) : numbers_(numbers) {}

  template <class T>
  StateReader& operator()(const std::string& name, T& value) {
    restore(prefix_ + name, value);
    return *this;
  }

  /// To be called at the end. Throws StateError if there is a number that no member asked for.
  void finish() const {
    for (const auto& [name, number] : numbers_) {
      if (!used_.contains(name)) throw StateError(name + " is unknown to this version");
    }
  }

 private:
  std::optional<double> find(const std::string& name) {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return {};
    used_.insert(name);
    return found->second;
  }
  template <class Integer>
  static Integer integer(const std::string& name, double number) {
    constexpr double most = double(std::numeric_limits<int>::max());
    if (!(std::abs(number) <= most)) throw StateError(name + " is no integer");
    return static_cast<Integer>(number);
  }

  template <class T>
  void restore(const std::string& name, T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      const std::optional<double> number = find(name);
      if (!number) return;
      if constexpr (std::is_enum_v<T>) {
        value = static_cast<T>(integer<std::underlying_type_t<T>>(name, *number));
      } else if constexpr (std::is_integral_v<T>) {
        value = integer<T>(name, *number);
      } else {
        value = static_cast<T>(*number);
      }
    } else {
      const std::string outer = std::exchange(prefix_, name + ".");
      value.visit(*this);
      prefix_ = outer;
    }
  }
  template <class T>
  void restore(const std::string& name, std::optional<T>& value) {
    const std::optional<double> known = find(name + ".known");
    if (!known) return;
    value.reset();
    if (*known == 0) return;
    restore(name, value.emplace());
  }
  template <class T>
  void restore(const std::string& name, std::vector<T>& values) {
    const std::optional<double> count = find(name + ".count");
    if (!count) return;
    if (!(*count >= 0 && *count <= double(numbers_.size()))) {
      throw StateError(name + ".count is no length of a list");
    }
    values.assign(std::size_t(*count), T{});
    for (std::size_t i = 0; i < values.size(); ++i) {
      restore(name + "." + std::to_string(i), values[i]);
    }
  }
  template <class T, std::size_t n>
  void restore(const std::string& name, std::array<T, n>& values) {
    for (std::size_t i = 0; i < n; ++i) restore(name + "." + std::to_string(i), values[i]);
  }

  const NamedNumbers& numbers_;
  std::set<std::string> used_;
  std::string prefix_;
};

}  // namespace gothic
