// The processor as a device: its memory, its clock and its description. Work on it is done when the call returns.
#pragma once

#include <runtime/devices/device.hpp>

namespace sinter::codegen {

/// The one host of this process. It is never destroyed, so arrays with static storage may outlive main.
device& host_device_instance();

class pool;
/// Where the host's memory is from; null for a device that another library, or a test, has made of the host.
pool* host_pool(device& where);

}  // namespace sinter::codegen
