#include "ic/model_section.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ic/spelling.hpp"
#include "io/error.hpp"

namespace gothic::ic {

void ModelSection::fail(const std::string& key, const std::string& problem) const {
  const toml::node* node = table_.get(key);
  const auto line = (node ? node->source() : table_.source()).begin.line;
  const std::string where = line > 0 ? file_ + ":" + std::to_string(line) : file_;
  const std::string separator = name_.empty() || key.empty() ? "" : ".";
  throw InputError(where + ": " + name_ + separator + key + ": " + problem);
}

void ModelSection::allow_only(const std::vector<std::string_view>& known,
                              const std::string& owner) const {
  for (const auto& [key, node] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::string of = owner.empty() ? "" : " of " + owner;
    fail(std::string(key.str()), "unknown key" + of + "; " + advice(key.str(), known));
  }
}

std::string ModelSection::text(const std::string& key) const {
  require(key);
  const auto value = table_.get(key)->value_exact<std::string>();
  if (!value || value->empty()) fail(key, "is not a text; write it in quotes");
  return *value;
}

double ModelSection::number(const std::string& key) const {
  require(key);
  const toml::node* node = table_.get(key);
  if (!node->is_number()) fail(key, "is not a number; write one without quotes");
  const double value = *node->value<double>();
  if (!std::isfinite(value)) fail(key, "is not finite; write a finite number");
  return value;
}

double ModelSection::positive(const std::string& key) const {
  const double value = number(key);
  if (value <= 0) fail(key, "is " + in_words(value) + "; it must be positive");
  return value;
}

double ModelSection::between(const std::string& key, double least, double most) const {
  const double value = number(key);
  if (value < least || value > most) {
    fail(key, "is " + in_words(value) + "; it must be from " + in_words(least) + " to " +
                  in_words(most));
  }
  return value;
}

std::int64_t ModelSection::integer(const std::string& key, std::int64_t least,
                                   std::int64_t most) const {
  require(key);
  const auto value = table_.get(key)->value_exact<std::int64_t>();
  if (!value || *value < least || *value > most) {
    fail(key, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most) +
                  "; correct it");
  }
  return *value;
}

void ModelSection::require(const std::string& key) const {
  if (!has(key)) fail(key, "is missing; add it");
}

std::string in_words(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace gothic::ic
