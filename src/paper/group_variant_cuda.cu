#include "core/device/cuda/device.cuh"
#include "paper/variant_grouping.hpp"

namespace gothic {

std::unique_ptr<Grouping<cuda::Device>> make_cuda_grouping(const GroupVariant& variant) {
  return std::make_unique<VariantGrouping<cuda::Device>>(variant);
}

}  // namespace gothic
