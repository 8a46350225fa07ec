#include "core/device/own_device.hpp"
#include "paper/variant_grouping.hpp"

namespace gothic {

template std::unique_ptr<Grouping<OwnDevice>> make_grouping(const GroupVariant&);

}  // namespace gothic
