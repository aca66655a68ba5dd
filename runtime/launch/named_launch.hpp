// Launches that have a name: for the log (SINTER_LOG), and for failures where SINTER_DEBUG or a debug_scope has `sync`.
#pragma once

#include <runtime/devices/device.hpp>
#include <runtime/devices/device_failure.hpp>
#include <runtime/system/debug.hpp>
#include <runtime/system/launch_log.hpp>

#include <functional>
#include <string>

namespace sinter::codegen {

/// Does what `launch` does and waits for it. Throws what has failed under the name of the launch.
void launch_and_wait(device& where, const std::string& name, const std::function<void()>& launch);

/// Does what `launch` does on the present stream of `where`; with `sync` by launch_and_wait, by the name that name()
/// gives. What is recorded for a graph does not run yet: it is not waited for.
template <class Name, class Launch>
void named_launch(device& where, const Name& name, const Launch& launch) {
    if (logs_launches()) [[unlikely]]
        log_launch(where.name(), name());
    if ((current_checks() & check_sync) != 0 && where.recording() == nullptr) [[unlikely]]
        return launch_and_wait(where, name(), launch);
    launch();
}

}  // namespace sinter::codegen
