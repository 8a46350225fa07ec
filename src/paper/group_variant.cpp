#include "paper/group_variant.hpp"

#include "core/device/cpu/device.hpp"
#include "core/engine/engine.hpp"
#include "paper/variant_grouping.hpp"

namespace gothic {

/// Defined where CUDA code is compiled.
std::unique_ptr<Grouping<cuda::Device>> make_cuda_grouping(const GroupVariant& variant);

namespace {

class VariantMaker final : public GroupingMaker {
 public:
  explicit VariantMaker(const GroupVariant& variant) : variant_(variant) {}

  std::unique_ptr<Grouping<cpu::Device>> make(const cpu::Device&) const override {
    return std::make_unique<VariantGrouping<cpu::Device>>(variant_);
  }
  std::unique_ptr<Grouping<cuda::Device>> make(const cuda::Device&) const override {
    if constexpr (built_with_cuda) return make_cuda_grouping(variant_);
    return nullptr;
  }

 private:
  GroupVariant variant_;
};

}  // namespace

std::shared_ptr<const GroupingMaker> grouping(const GroupVariant& variant) {
  if (variant == GroupVariant{}) return nullptr;
  return std::make_shared<VariantMaker>(variant);
}

}  // namespace gothic
