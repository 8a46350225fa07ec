#include "files/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/hdf5.hpp"
#include "files/input_file.hpp"

namespace gothic::files {
namespace {

template <class T>
void write_column(hid_t group, const std::string& name, const std::vector<T>& values) {
  const hid_t type = hdf5::native_type<T>();
  const hdf5::Handle dataset = hdf5::create_dataset(group, name, type, values.size(), 1);
  hdf5::write_rows(dataset.id(), type, 0, values.size(), values.data());
}

void write_names(hid_t group, std::span<const ComponentInfo> components) {
  std::size_t width = 1;
  for (const ComponentInfo& component : components) width = std::max(width, component.name.size());
  std::string text;
  for (const ComponentInfo& component : components) {
    text += component.name + std::string(width - component.name.size(), '\0');
  }
  const hdf5::Handle type = hdf5::fixed_text(width);
  const hdf5::Handle dataset = hdf5::create_dataset(group, "Name", type.id(), components.size(), 1);
  hdf5::write_rows(dataset.id(), type.id(), 0, components.size(), text.data());
}

/// Reads a dataset of the group, one number per component.
template <class T>
std::vector<T> read_column(const InputFile& file, const std::string& field, std::size_t count) {
  const std::size_t found = file.length(field);
  if (found != count) {
    file.fail(field,
              fmt::format("has {} rows, but /Components/Name {}; give one row for each component",
                          found, count));
  }
  std::vector<T> values(count);
  file.read(field, count, 1, values.data());
  return values;
}

}  // namespace

void write_components(hid_t file, std::span<const ComponentInfo> components) {
  if (components.empty()) return;
  std::vector<std::int32_t> types;
  std::vector<double> softenings;
  for (const ComponentInfo& component : components) {
    types.push_back(component.type);
    softenings.push_back(component.softening);
  }
  const hdf5::Handle group = hdf5::open_or_create_group(file, "Components");
  write_names(group.id(), components);
  write_column(group.id(), "Type", types);
  write_column(group.id(), "Softening", softenings);
}

std::vector<ComponentInfo> read_components(const InputFile& file) {
  if (!file.has("/Components")) return {};
  const std::vector<std::string> names = file.texts("/Components/Name");
  const auto types = read_column<std::int32_t>(file, "/Components/Type", names.size());
  const auto softenings = read_column<double>(file, "/Components/Softening", names.size());
  std::vector<ComponentInfo> components;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (types[k] < 0 || types[k] > 5) {
      file.fail("/Components/Type",
                fmt::format("is {} for component {}; give a type from 0 to 5", types[k], k));
    }
    if (!(std::isfinite(softenings[k]) && softenings[k] >= 0)) {
      file.fail("/Components/Softening",
                fmt::format("is negative or not finite for component {}; correct it", k));
    }
    components.push_back({names[k], static_cast<std::uint8_t>(types[k]), softenings[k]});
  }
  return components;
}

}  // namespace gothic::files
