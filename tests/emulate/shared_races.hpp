// Detects races between threads of one block on a byte of shared memory, and reads of bytes that the block has not
// written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::emulate {

/// Time is counted by two clocks: `block` advances at every block barrier, `warp` at every collective of the thread's
/// warp.
/// Two accesses are ordered if a block barrier or, within a warp, a collective is between them. A collective of a part
/// of the warp advances the clock too, so a race within a warp may be missed, but there are no false reports. Between
/// two warps, barriers of fewer threads order them, too: `epoch` advances whenever the thread's warp arrives at one.
struct access_time {
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t epoch = 0;
};

class shared_races {
public:
    /// A block begins.
    void start(std::size_t bytes) {
        cells_.resize(bytes);
        written_.assign(bytes, 0);
    }

    /// Records writes. False if a byte is read that was not written.
    bool initialise(std::size_t offset, std::size_t bytes, bool writes, bool reads) {
        const std::size_t end = std::min(offset + bytes, written_.size());
        for (std::size_t at = offset; at < end; ++at) {
            if (reads && written_[at] == 0) return false;
            if (writes) written_[at] = 1;
        }
        return true;
    }

    /// Records an access by `thread`; returns the other thread of a race, or -1. `seen`, if given: of each warp of the
    /// block, the first epoch that may not be over for this thread.
    int access(std::size_t offset, std::size_t bytes, bool writes, int thread, access_time now,
               const std::uint32_t* seen = nullptr) {
        const auto unordered = [&](const touch& t, int own, access_time at) {
            return is_unordered(t, own, at) &&
                   (seen == nullptr || t.thread / 32 == own / 32 || t.time.epoch >= seen[t.thread / 32]);
        };
        int other = -1;
        for (std::size_t at = offset; at < offset + bytes && at < cells_.size(); ++at) {
            cell& c = cells_[at];
            if (unordered(c.write, thread, now)) other = c.write.thread;
            if (writes) {
                if (unordered(c.read, thread, now)) other = c.read.thread;
                if (unordered(c.other_read, thread, now)) other = c.other_read.thread;
                c.write = {now, thread};
            } else {
                // Two readers suffice: of two different warps if possible, since no writer is ordered
                // with both; else the latest two threads of the one warp, one of which is not the writer.
                const bool current = c.read.thread >= 0 && c.read.time.block == now.block;
                const bool two_warps = c.other_read.time.block == now.block && c.other_read.thread / 32 != thread / 32;
                if (current && (c.read.thread / 32 != thread / 32 || (c.read.thread != thread && !two_warps)))
                    c.other_read = c.read;
                c.read = {now, thread};
            }
        }
        return other;
    }

private:
    struct touch {
        access_time time;
        int thread = -1;
    };
    struct cell {
        touch write, read, other_read;
    };

    static bool is_unordered(const touch& t, int thread, access_time now) {
        if (t.thread < 0 || t.thread == thread || t.time.block != now.block) return false;
        return t.thread / 32 != thread / 32 || t.time.warp == now.warp;
    }

    std::vector<cell> cells_;
    std::vector<unsigned char> written_;
};

}  // namespace sinter::emulate
