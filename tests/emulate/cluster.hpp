// The blocks of one cluster: where each one's shared memory is saved while others run, and whether a barrier of the
// cluster orders the writes of one block and the reads of another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sinter::emulate {

/// How often a thread has arrived at the cluster's barrier, and how often it has passed it. An access of one thread
/// happens before an access of another if the latter has passed the barrier at which the former arrived next.
struct cluster_time {
    std::uint32_t arrivals = 0, waits = 0;
};

class cluster_blocks {
public:
    void start(int blocks, int threads, std::size_t shared_bytes) {
        all_.assign(static_cast<std::size_t>(blocks), {});
        for (one& b : all_) {
            b.written.resize(shared_bytes);
            b.read.resize(shared_bytes);
        }
        threads_ = static_cast<std::int64_t>(blocks) * threads;
        arrived_ = 0;
    }

    /// Saves and restores a block's shared memory.
    void park(int rank, char* shared) { at(rank).shared = shared; }
    void wake(int rank) { at(rank).shared = nullptr; }
    /// Null for a block that is not suspended: it runs, has not begun or has ended.
    char* shared_of(int rank) const { return all_[static_cast<std::size_t>(rank)].shared; }

    /// False if the thread has not waited since its last arrival.
    bool arrive(cluster_time& t) {
        ++arrived_;
        return t.arrivals++ == t.waits;
    }
    bool is_complete(const cluster_time& t) const { return arrived_ >= t.arrivals * threads_; }

    /// True for the first thread of its block.
    bool pass(int rank, cluster_time& t) {
        ++t.waits;
        return std::exchange(at(rank).passed, std::max(at(rank).passed, t.waits)) < t.waits;
    }

    struct place {
        int rank = -1;
        std::size_t offset = 0;
    };
    /// The suspended block whose saved shared memory contains an address.
    place find(const char* p) const {
        for (std::size_t rank = 0; rank < all_.size(); ++rank)
            if (const one& b = all_[rank]; b.shared != nullptr && p >= b.shared && p < b.shared + b.read.size())
                return {static_cast<int>(rank), static_cast<std::size_t>(p - b.shared)};
        return {};
    }

    /// Records an access to a block's shared memory by itself or by another. False if no barrier orders it.
    bool write(int rank, std::size_t offset, std::size_t bytes, const cluster_time& now) {
        return touch(at(rank).written, at(rank).read, offset, bytes, now);
    }
    bool read(const place& from, std::size_t bytes, const cluster_time& now) {
        return touch(at(from.rank).read, at(from.rank).written, from.offset, bytes, now);
    }
    /// False if another block reads the shared memory of one that has ended, with no barrier between.
    bool end(int rank, const cluster_time& now) {
        return std::all_of(at(rank).read.begin(), at(rank).read.end(), [&](std::uint32_t b) { return b <= now.waits; });
    }

private:
    /// Per byte: the number of the barrier after the last access, 0 for none.
    using barriers = std::vector<std::uint32_t>;
    struct one {
        char* shared = nullptr;
        std::uint32_t passed = 0;  ///< barriers, by some thread
        barriers written, read;
    };

    one& at(int rank) { return all_[static_cast<std::size_t>(rank)]; }

    static bool touch(barriers& mine, const barriers& others, std::size_t offset, std::size_t bytes,
                      const cluster_time& now) {
        bool ordered = true;
        for (std::size_t i = offset; i < std::min(offset + bytes, mine.size()); ++i) {
            ordered = ordered && others[i] <= now.waits;
            mine[i] = std::max(mine[i], now.arrivals + 1);
        }
        return ordered;
    }

    std::vector<one> all_;
    std::int64_t threads_ = 0, arrived_ = 0;
};

}  // namespace sinter::emulate
