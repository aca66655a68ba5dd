// The order of the work on the emulated device's streams, by vector clocks, and uses of memory that it does not order.
// The emulator runs all work immediately, so only this detects work that a GPU could reorder.
#pragma once

#include <runtime/devices/device.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace sinter::emulate {

/// The time of each stream, in pieces of work.
using stream_times = std::array<std::uint32_t, codegen::max_streams>;

/// The last uses of one block of memory.
struct memory_uses {
    stream_times read{};
    int writer = 0;
    std::uint32_t written = 0;
};

class stream_order {
public:
    /// A piece of work begins on a stream: a launch or a copy.
    void begin(int stream);
    /// Records that this piece of work uses memory. Returns an error if other work is not ordered with it.
    std::string use(memory_uses& memory, bool writes);
    /// The same for memory that is freed, for reuse by `home`: it waits for the other streams of `uses`.
    std::string give_back(const memory_uses& memory, codegen::stream_uses uses) const;

    void wait(int later, const stream_times& earlier);
    const stream_times& seen_by(int stream) const { return seen_[static_cast<std::size_t>(stream)]; }
    /// The host waits: later submissions are ordered after that.
    void host_waits(int stream) { merge(host_, seen_by(stream)); }
    void host_waits() {
        for (const stream_times& t : seen_) merge(host_, t);
    }
    /// Counts pieces of work.
    std::uint64_t begun() const { return begun_; }

private:
    static void merge(stream_times& into, const stream_times& from);

    std::array<stream_times, codegen::max_streams> seen_{};  ///< by each stream
    stream_times host_{};
    int now_ = 0;
    std::uint64_t begun_ = 0;
};

}  // namespace sinter::emulate
