// Waits for a launch and reports its failure by its name.
#include <runtime/launch/named_launch.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

void launch_and_wait(device& where, const std::string& name, const std::function<void()>& launch) {
    where.synchronize_stream(where.stream_now());  // a failure here is not this launch's
    try {
        launch();
        where.synchronize_stream(where.stream_now());
    } catch (const device_failure& f) {
        if (!f.is_asynchronous()) throw error(fmt::format("{} (the launch of {})", f.what(), name));
        throw error(fmt::format(
            "{}: {} failed with {}, and this process can no longer use the device; compute-sanitizer finds the line",
            f.device(), name, f.reason()));
    }
}

}  // namespace sinter::codegen
