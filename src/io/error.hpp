#pragma once

#include <stdexcept>

namespace gothic {

/// Wrong usage or wrong input: something that the user can put right. what() is one line,
/// "FILE: FIELD: what is wrong; remedy". Programs print it and exit with status 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gothic
