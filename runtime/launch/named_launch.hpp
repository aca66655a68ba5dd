// Named launches: for the log (SINTER_LOG), and for failures if SINTER_DEBUG or a debug_scope has `sync`.
#pragma once

#include <runtime/devices/device.hpp>
#include <runtime/devices/device_failure.hpp>
#include <runtime/system/debug.hpp>
#include <runtime/system/launch_log.hpp>

#include <functional>
#include <string>

namespace sinter::codegen {

/// Calls `launch` and waits for it. Rethrows a failure with the launch's name.
void launch_and_wait(device& where, const std::string& name, const std::function<void()>& launch);

/// Calls `launch` on the current stream of `where`; with `sync`, by launch_and_wait under the name that name() returns.
/// Work that is recorded for a graph does not run yet, so it is not waited for.
template <class Name, class Launch>
void named_launch(device& where, const Name& name, const Launch& launch) {
    if (logs_launches()) [[unlikely]]
        log_launch(where.name(), name());
    if ((current_checks() & check_sync) != 0 && where.recording() == nullptr) [[unlikely]]
        return launch_and_wait(where, name(), launch);
    launch();
}

}  // namespace sinter::codegen
