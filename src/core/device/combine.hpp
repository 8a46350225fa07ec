#pragma once

#include "core/device/annotations.hpp"

/// What reductions do with two values, on a device and on the host.
namespace gothic {

struct Sum {
  template <class T>
  GOTHIC_HD T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

struct Smaller {
  template <class T>
  GOTHIC_HD T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

struct Larger {
  template <class T>
  GOTHIC_HD T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

}  // namespace gothic
