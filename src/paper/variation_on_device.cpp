#include "core/device/own_device.hpp"
#include "paper/variation_of.hpp"

namespace gothic {

template std::unique_ptr<Variation<OwnDevice>> make_variation(const ForceVariant&);

}  // namespace gothic
