#include "core/device/own_device.hpp"
#include "core/engine/engine_on.hpp"

namespace gothic {

template std::unique_ptr<Engine> make_engine_on<OwnDevice>(const DeviceChoice&, int, Communicator&);

}  // namespace gothic
