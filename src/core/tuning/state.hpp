#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

/// The state of what tunes itself as a list of numbers, so that a run can go on exactly where it
/// was. A class with state has `template <class Visitor> void visit(Visitor& all)`, which calls
/// all(member, ...) for its members; the same function serves to store and to restore them.
namespace gothic {

/// Appends what it visits to a list. Integers are below 2^53 and exact.
class StateWriter {
 public:
  template <class... Members>
  void operator()(Members&... members) {
    (store(members), ...);
  }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  template <class T>
  void store(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      numbers_.push_back(double(value));
    } else {
      value.visit(*this);
    }
  }
  template <class T>
  void store(std::optional<T>& value) {
    numbers_.push_back(value ? 1 : 0);
    if (value) store(*value);
  }
  template <class T>
  void store(std::vector<T>& values) {
    numbers_.push_back(double(values.size()));
    for (T& value : values) store(value);
  }
  template <class T, std::size_t n>
  void store(std::array<T, n>& values) {
    for (T& value : values) store(value);
  }

  std::vector<double> numbers_;
};

/// A stored state does not fit what it is to be the state of.
struct StateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Gives what it visits the numbers of a list, in the same order. What has no default must be there
/// before. Throws StateError where the list does not fit.
class StateReader {
 public:
  explicit StateReader(const std::vector<double>& numbers) : numbers_(numbers) {}

  template <class... Members>
  void operator()(Members&... members) {
    (restore(members), ...);
  }
  /// Whether all numbers were used.
  bool done() const { return next_ == numbers_.size(); }

 private:
  double take() {
    if (done()) throw StateError("there are too few of them");
    return numbers_[next_++];
  }
  template <class Integer>
  Integer take_integer() {
    const double number = take();
    constexpr double most = double(std::numeric_limits<int>::max());
    if (!(std::abs(number) <= most)) throw StateError("one is no integer");
    return static_cast<Integer>(number);
  }

  template <class T>
  void restore(T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(take_integer<std::underlying_type_t<T>>());
    } else if constexpr (std::is_integral_v<T>) {
      value = take_integer<T>();
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(take());
    } else {
      value.visit(*this);
    }
  }
  template <class T>
  void restore(std::optional<T>& value) {
    if (take() == 0) return value.reset();
    if constexpr (std::is_default_constructible_v<T>) value.emplace();
    if (!value) throw StateError("they are of a run with other options");
    restore(*value);
  }
  template <class T>
  void restore(std::vector<T>& values) {
    const double count = take();
    if (!(count >= 0 && count <= double(numbers_.size()))) {
      throw StateError("one is no length of a list");
    }
    values.assign(std::size_t(count), T{});
    for (T& value : values) restore(value);
  }
  template <class T, std::size_t n>
  void restore(std::array<T, n>& values) {
    for (T& value : values) restore(value);
  }

  const std::vector<double>& numbers_;
  std::size_t next_ = 0;
};

}  // namespace gothic
