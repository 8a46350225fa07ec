#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/vec4.hpp"
#include "core/named_state.hpp"

namespace gothic {

/// Values of a field on the host.
using FieldValues = std::variant<std::vector<Vec4>, std::vector<double>, std::vector<float>,
                                 std::vector<std::uint32_t>, std::vector<std::uint8_t>>;

/// A field of a set of particles as checkpoints hold it.
struct StoredField {
  std::string name;
  FieldValues values;  ///< [n] in the order of the tree

  bool operator==(const StoredField&) const = default;
};

/// Whether a field goes into checkpoints, and whether a checkpoint must have it.
enum class Storage { needed, optional, none };

/// Particles on a device, in the order of their tree: a set of fields, each with one value for
/// every particle. Fields are registered by name. Sorting, moving between ranks and checkpoints
/// treat all of them alike and do not know what they hold.
template <class Device>
class SortedParticles {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  SortedParticles() = default;
  SortedParticles(const SortedParticles&) = delete;

  /// Adds a field. T is one of the element types of FieldValues.
  /// \param name of its dataset in checkpoints
  /// \returns the field; the reference stays valid
  template <class T>
  Buffer<T>& add(std::string name, Storage storage) {
    fields_.push_back({std::move(name), storage, Buffer<T>(size_)});
    return std::get<Buffer<T>>(fields_.back().values);
  }

  std::uint32_t size() const { return size_; }
  /// Makes room in every field.
  void resize(std::uint32_t size) {
    set_size(size);
    for_each_field([&](auto& values, auto&) { values.resize(size); });
    workspace<Vec4>().resize(size);
  }
  /// Tells the number of particles after all fields were changed.
  void set_size(std::uint32_t size) { size_ = size; }

  /// Memory that sorting needs, and that serves other purposes in between.
  template <class T>
  Buffer<T>& workspace() {
    return std::get<Buffer<T>>(workspaces_);
  }

  /// Calls f(values, workspace) for every field, with buffers of the same type.
  template <class F>
  void for_each_field(F f) {
    for (Field& field : fields_) {
      std::visit([&]<class B>(B& values) { f(values, std::get<B>(workspaces_)); }, field.values);
    }
  }

  /// Moves particle order[i] to place i.
  void permute(const Device& device, const std::uint32_t* order) {
    for_each_field([&](auto& values, auto& scratch) {
      scratch.resize(values.size());
      copy_in_order(device, values.data(), order, values.size(), scratch.data());
      values.swap(scratch);
    });
  }

  /// The values of particles order[0], ... order[n - 1], on the host. Overwrites the workspace.
  /// \param values of all particles: a field, or another array
  template <class Values>
  auto downloaded(const Device& device, const Values& values, const std::uint32_t* order,
                  std::size_t n) {
    Values& scratch = std::get<Values>(workspaces_);
    scratch.resize(values.size());
    copy_in_order(device, values.data(), order, n, scratch.data());
    return scratch.downloaded(0, n);
  }

  /// The fields that checkpoints hold.
  std::vector<StoredField> stored() const {
    std::vector<StoredField> result;
    for (const Field& field : fields_) {
      if (field.storage == Storage::none) continue;
      std::visit(
          [&](const auto& values) {
            result.push_back({field.name, values.downloaded()});
          },
          field.values);
    }
    return result;
  }
  /// Takes the values of the fields that are registered, for as many particles as there are.
  /// \throws StateError if a needed field is missing, or if one has other values
  void restore(const std::vector<StoredField>& all) {
    for (Field& field : fields_) {
      if (field.storage == Storage::none) continue;
      const auto stored = std::ranges::find(all, field.name, &StoredField::name);
      if (stored != all.end()) {
        std::visit([&](const auto& values) { take(field, values); }, stored->values);
      } else if (field.storage == Storage::needed) {
        throw StateError("the dataset is missing", field.name);
      }
    }
  }

 private:
  struct Field {
    std::string name;
    Storage storage;
    std::variant<Buffer<Vec4>, Buffer<double>, Buffer<float>, Buffer<std::uint32_t>,
                 Buffer<std::uint8_t>>
        values;
  };

  template <class T>
  void take(Field& field, const std::vector<T>& values) {
    auto* const own = std::get_if<Buffer<T>>(&field.values);
    if (own == nullptr || values.size() != size_) {
      throw StateError("its values are not those of a run", field.name);
    }
    own->upload(values);
  }

  std::uint32_t size_ = 0;
  std::deque<Field> fields_;
  std::tuple<Buffer<Vec4>, Buffer<double>, Buffer<float>, Buffer<std::uint32_t>,
             Buffer<std::uint8_t>>
      workspaces_;
};

}  // namespace gothic
