#include "paper/published_parts.hpp"

#include <algorithm>
#include <stdexcept>

namespace gothic {

PublishedParts PublishedParts::named(std::string_view text) {
  PublishedParts result;
  if (text == "none") return result;
  constexpr auto all = std::size(published_parts);
  if (text == "all") {
    result.parts_ = (1U << all) - 1;
    return result;
  }
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    const auto known = std::ranges::find(published_parts, name);
    if (known == std::end(published_parts)) {
      std::string names;
      for (const char* part : published_parts)
        names += std::string(names.empty() ? "" : ", ") + part;
      throw std::invalid_argument("there is no part '" + std::string(name) +
                                  "'; use none, all, or " + "some of " + names +
                                  " with commas between them");
    }
    result.parts_ |= 1U << (known - std::begin(published_parts));
  }
  return result;
}

}  // namespace gothic
