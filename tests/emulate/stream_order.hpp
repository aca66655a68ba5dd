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

/// The last uses of one block of memory, by stream.
struct memory_uses {
    stream_times read{}, written{};
    bool unordered = false;  ///< some of the writes are not ordered with the present piece of work
};

class stream_order {
public:
    /// A piece of work begins on a stream: a launch or a copy.
    void begin(int stream);
    /// Records that this piece of work uses bytes of a block, for the `first` time or again. `writers` has for each of
    /// these bytes 0 or 1 + the stream that wrote it last. Returns an error if other work is not ordered with it. Reads
    /// count for the whole block.
    std::string use(memory_uses& memory, unsigned char* writers, std::size_t bytes, bool writes, bool first);
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
    std::string begin_use(memory_uses& memory, bool writes);

    std::array<stream_times, codegen::max_streams> seen_{};  ///< by each stream
    stream_times host_{};
    int now_ = 0;
    std::uint64_t begun_ = 0;
};

}  // namespace sinter::emulate
