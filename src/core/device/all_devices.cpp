#include "core/device/all_devices.hpp"

#include <charconv>
#include <optional>
#include <vector>

#include "core/setting_error.hpp"

namespace gothic {
namespace {

/// A kind of device and its facts.
struct Known {
  std::string_view word;
  DeviceFacts facts;
  std::string missing;  ///< why this program has none; empty if it has

  std::string problem_with(int number) const {
    return missing.empty() ? facts.problem_with(number) : missing;
  }
  int count() const { return missing.empty() ? facts.count() : 0; }
};

const std::vector<Known>& known_devices() {
  static const std::vector<Known> known = std::apply(
      []<class... Kind>(const Kind&... kind) {
        const auto one = []<class K>(const K& own) {
          if constexpr (K::is_built) return Known{own.word, device_facts<typename K::Device>(), {}};
          return Known{own.word,
                       {},
                       "cannot be used: this program was built without " + std::string(own.name)};
        };
        return std::vector<Known>{one(kind)...};
      },
      all_devices);
  return known;
}

/// The N of "word:N", and 0 for "word"; nothing for another name.
std::optional<int> number_in(std::string_view name, const Known& kind) {
  if (name == kind.word) return 0;
  if (kind.facts.is_host || !name.starts_with(kind.word)) return {};
  name.remove_prefix(kind.word.size());
  int number = 0;
  const auto end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + 1, end, number);
  const bool valid = name.front() == ':' && parsed.ec == std::errc() && parsed.ptr == end;
  return valid && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

FoundDevice find_device(const std::string& name) {
  for (const Known& kind : known_devices()) {
    const std::optional<int> number = name == "auto" ? 0 : number_in(name, kind);
    if (!number) continue;
    const std::string problem = kind.problem_with(*number);
    if (problem.empty()) return {kind.word, kind.facts.is_host, *number};
    if (name == "auto") continue;
    throw SettingError(
        "device", "GPU " + std::to_string(*number) + " " + problem + "; use {device} cpu", name);
  }
  std::string words = "auto";
  const std::vector<Known>& known = known_devices();
  for (auto kind = known.rbegin(); kind != known.rend(); ++kind) {
    words.append(", ").append(kind->word);
    if (!kind->facts.is_host) words.append(" or ").append(kind->word).append(":N");
  }
  throw SettingError("device", "no such device; use " + words, name);
}

std::future<void> start_device(const std::string& name) {
  return std::async(std::launch::async, [name] {
    try {
      find_device(name);
    } catch (const SettingError&) {  // told by the next call
    }
  });
}

std::string device_in_turn(const std::string& name, int turn) {
  for (const Known& kind : known_devices()) {
    const int count = kind.count();
    if (count == 0 || (name != "auto" && name != kind.word)) continue;
    const int number = turn % count;
    if (name == "auto" && !kind.problem_with(number).empty()) continue;
    return std::string(kind.word) + ":" + std::to_string(number);
  }
  return name;
}

bool means_host(const std::string& name) {
  for (const Known& kind : known_devices()) {
    if (name == "auto" ? kind.count() > 0 : number_in(name, kind).has_value()) {
      return kind.facts.is_host;
    }
  }
  return true;
}

}  // namespace gothic
