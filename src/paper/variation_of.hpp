#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "paper/exact_sizes.hpp"
#include "paper/extent_tuner.hpp"
#include "paper/force_variant.hpp"
#include "paper/group_balls.hpp"
#include "paper/group_extents.hpp"
#include "paper/walk_by_levels.hpp"

namespace gothic {

/// The forces of a variant on one kind of device.
template <class Device>
class VariationOf final : public Variation<Device> {
 public:
  explicit VariationOf(const ForceVariant& variant) : variant_(variant) {}

  void measure_cells(Device& device, Tree<Device>& tree, const Vec4* position) override {
    if (variant_.exact_sizes) measure_exactly(device, tree, position, sizes_);
  }

  void make_groups(Device& device, Groups<Device>& groups, const Vec4* position,
                   const std::uint32_t* targets, std::uint32_t n, std::uint32_t size) override {
    if (extent() > 0) {
      make_narrow_groups(device, groups, position, targets, n, size, extent());
    } else {
      gothic::make_groups(device, groups, n, size);
    }
  }

  const Vec4* make_balls(Device& device, const GroupsOfTargets& groups) override {
    if (variant_.ball == Ball::geo) return nullptr;
    balls_.resize(groups.group_count);
    gothic::make_balls(device, variant_.ball, groups, balls_.data());
    return balls_.data();
  }

  float extent() const override {
    const float extent = tuner_ ? tuner_->extent() : variant_.extent;
    return extent <= std::numeric_limits<float>::max() / 2 ? extent : 0;
  }

  bool walk(Device& device, Root root, const Tree<Device>& tree, const WalkData& data) override {
    if (!variant_.breadth_first) return false;
    if (piece_ < std::min(tree.cells(), useful_families)) make_buffer(device, tree.cells());
    walk_by_levels(device, root, data, {buffer_.data(), piece_});
    return true;
  }

  void begin(Device& device, const GroupsOfTargets& groups) override {
    if (!variant_.tune_extent) return;
    const GroupExtents extents = group_extents(device, groups);
    tuner_.emplace(extents.mean_log2, extents.largest_log2);
  }
  void record(std::int64_t now, int age, double seconds) override {
    if (tuner_) tuner_->record(now, age, seconds);
  }

  void visit(NamedState& all) override {
    if (all.restores() && variant_.tune_extent) tuner_.emplace(0, 1);
    if (tuner_) all("extent", *tuner_);
  }

 private:
  /// No level of a walk has as many: a walk with the finest settings, for 2^23 particles, opens
  /// about 10^4 cells in all.
  static constexpr std::uint32_t useful_families = 1U << 15;

  /// Makes the buffer of walks by levels. Its pieces hold as many families as the tree has cells,
  /// but no more than are useful or than fit into half of the free memory.
  void make_buffer(Device& device, std::uint32_t cells) {
    using Warp = typename Device::Warp;
    buffer_.resize(0);
    const std::size_t lists = 2 * device.warps();
    const std::size_t room = device.free_memory() / 2 / (lists * sizeof(std::uint32_t));
    const std::uint32_t wanted = std::min(cells + cells / 8, useful_families);
    piece_ = std::uint32_t(std::min<std::size_t>(wanted, room));
    piece_ = std::max(piece_, 2 * BreadthFirst::reserve<Warp>);
    buffer_.resize(lists * piece_);
  }

  ForceVariant variant_;
  std::optional<ExtentTuner> tuner_;
  typename Device::template Buffer<float> sizes_;
  typename Device::template Buffer<Vec4> balls_;
  typename Device::template Buffer<std::uint32_t> buffer_;
  std::uint32_t piece_ = 0;
};

template <class Device>
std::unique_ptr<Variation<Device>> make_variation(const ForceVariant& variant) {
  return std::make_unique<VariationOf<Device>>(variant);
}

}  // namespace gothic
