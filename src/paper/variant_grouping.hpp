#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "paper/extent_tuner.hpp"
#include "paper/group_balls.hpp"
#include "paper/group_extents.hpp"
#include "paper/group_variant.hpp"

namespace gothic {

/// The groups of a variant on one kind of device.
template <class Device>
class VariantGrouping final : public Grouping<Device> {
 public:
  explicit VariantGrouping(const GroupVariant& variant) : variant_(variant) {}

  void make_groups(Device& device, Groups<Device>& groups, const Vec4* position,
                   const std::uint32_t* targets, std::uint32_t n, std::uint32_t size,
                   std::uint32_t smallest) override {
    if (extent() > 0) {
      make_narrow_groups(device, groups, position, targets, n, size, smallest, extent());
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
  GroupVariant variant_;
  std::optional<ExtentTuner> tuner_;
  typename Device::template Buffer<Vec4> balls_;
};

template <class Device>
std::unique_ptr<Grouping<Device>> make_grouping(const GroupVariant& variant) {
  return std::make_unique<VariantGrouping<Device>>(variant);
}

}  // namespace gothic
