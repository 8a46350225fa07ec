#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"

namespace gothic::test {

/// Consecutive integers first ... first + count - 1.
struct Span {
  std::uint32_t first = 0, count = 0;
};

/// A way to pack spans that is not that of trees: what unpacks them must ask.
struct Families {
  GOTHIC_HD static std::uint32_t pack(const Span& span) { return span.count << 24 | span.first; }
  GOTHIC_HD static Span range(std::uint32_t packed) {
    return {packed & ((1U << 24) - 1), packed >> 24};
  }
};

}  // namespace gothic::test
