// SINTER_LOG=launches: a line for everything that is launched.
#pragma once

#include <atomic>
#include <string>

namespace sinter::codegen {

/// Whether SINTER_LOG asks for the lines; -1 while nobody has asked.
inline constinit std::atomic<int> launches_logged{-1};

/// Throws where SINTER_LOG is not understood.
int read_log_of_environment();

inline bool logs_launches() {
    const int known = launches_logged.load(std::memory_order_relaxed);
    return (known >= 0 ? known : read_log_of_environment()) != 0;
}

/// Writes "sinter: DEVICE: LAUNCH" to the standard error stream.
void log_launch(const std::string& device, const std::string& launch);

}  // namespace sinter::codegen
