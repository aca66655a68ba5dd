// SINTER_LOG=launches: one line per launch.
#pragma once

#include <atomic>
#include <string>

namespace sinter::codegen {

/// Whether SINTER_LOG requests the lines; -1 before the first query.
inline constinit std::atomic<int> launches_logged{-1};

/// Throws if SINTER_LOG is invalid.
int read_log_of_environment();

inline bool logs_launches() {
    const int known = launches_logged.load(std::memory_order_relaxed);
    return (known >= 0 ? known : read_log_of_environment()) != 0;
}

/// Writes "sinter: DEVICE: LAUNCH" to the standard error stream.
void log_launch(const std::string& device, const std::string& launch);

}  // namespace sinter::codegen
