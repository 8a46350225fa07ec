#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "files/toml.hpp"
#include "ic/model.hpp"
#include "ic/shape.hpp"

namespace gothic::ic {

/// A profile that a component of a model file may have: its word, its own keys and its density.
struct Profile {
  std::string_view name;
  Kind kind;

  /// The keys that it has beside those of every sphere or disc.
  std::vector<std::string_view> keys;

  /// Reads these keys and makes the density. Names of files are relative to `folder`. Throws
  /// InputError.
  std::function<std::shared_ptr<const Shape>(const files::TomlSection& section,
                                             const std::filesystem::path& folder)>
      read;

  /// Whether the density ends by itself, so that there are no keys of a cutoff.
  bool has_edge = false;
};

/// Every profile, in the order in which messages list them.
const std::vector<Profile>& profiles();

}  // namespace gothic::ic
