// The processor as a device: its memory, its clock and its description. Work is complete when a call returns.
#pragma once

#include <runtime/devices/device.hpp>

namespace sinter::codegen {

/// The host device of this process. It is never destroyed, so arrays with static storage may outlive main.
device& host_device_instance();

class pool;
/// The pool of the host's memory; null for a host device that another library, or a test, has made.
pool* host_pool(device& where);

}  // namespace sinter::codegen
