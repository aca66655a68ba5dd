// The processor as a device: its memory, its clock and its description. Work on it is done when the call returns.
#pragma once

#include <runtime/devices/device.hpp>

namespace sinter::codegen {

/// The one host of this process. It is never destroyed, so arrays with static storage may outlive main.
device& host_device_instance();

}  // namespace sinter::codegen
