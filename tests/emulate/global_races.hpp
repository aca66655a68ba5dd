// Detects races on global memory between blocks of one launch: accesses to the same bytes, at least one of them a
// write, that nothing orders.
#pragma once

#include <tests/emulate/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sinter::emulate {

/// Bytes of memory per cell. Allocations begin at a multiple of it.
inline constexpr std::size_t race_word = 4;

/// An access of a word: the block, its time, and the bytes of the word.
struct race_touch {
    std::uint32_t time;  ///< 0: none
    std::uint32_t block : 28, bytes : 4;
};
/// The last accesses of a word. Two readers suffice: no writer is both of them.
struct race_cell {
    race_touch write, read, other_read;
    std::uint32_t place;  ///< in the table of words accessed by atomics and volatile accesses, if this is one
};

/// Blocks have vector clocks, as threads have in FastTrack (Flanagan and Freund, PLDI 2009). In the CUDA memory model
/// one block synchronises with another by a fence and then an atomic or volatile write in the first, and a volatile
/// read or atomic of the same word and then a fence in the second: `fence` is both halves. A fence or an atomic of one
/// thread counts for its block. So a missing block barrier before it may go undetected, but there are no false reports.
class global_races {
public:
    /// A launch begins.
    void start();
    /// Sets the running block.
    void run(std::int64_t block);
    void fence();
    /// The barrier of a cluster orders its blocks.
    void start_cluster() { cluster_.clear(); }
    void arrive();
    void pass();

    /// Records an access of the bytes from `p`; `cells` are those of their words. Returns the other block of a race, or
    /// -1.
    std::int64_t access(race_cell* cells, const void* p, std::size_t bytes, sinter_emulate::access_kind kind);

private:
    /// Per block, the time up to which its accesses happened before; none for blocks beyond the end.
    using clock = std::vector<std::uint32_t>;
    /// The clocks of a block that has synchronised.
    struct block_times {
        std::uint32_t now = 0;  ///< advances at each fence
        clock seen;             ///< accesses of other blocks that happened before this block's
        clock read;             ///< clocks read from others; its next fence adds them to `seen`
        clock fenced;           ///< the clock that its last fence released
    };
    /// A word that atomics and volatile accesses use.
    struct sync_place {
        std::uintptr_t word = 0;
        race_touch last{};                    ///< atomic or volatile write
        std::vector<std::int64_t> observers;  ///< blocks that have read its value
        clock released;                       ///< the clock that its readers receive
    };

    static void join(clock& to, const clock& from);
    bool is_live(const race_touch& t) const { return t.time >= launch_; }
    /// Whether it is an access of this launch by another block to some of these bytes, unordered with the current one.
    bool conflicts(const race_touch& t, unsigned bytes) const;
    void note(race_touch& t, unsigned bytes) const;
    void note_read(race_cell& c, unsigned bytes) const;
    sync_place* place_of(const race_cell& c, std::uintptr_t word);
    sync_place& make_place(race_cell& c, std::uintptr_t word);
    block_times& times();
    void synchronise(sync_place& s, bool reads, bool writes);

    std::uint32_t counter_ = 0;  ///< times of all blocks of all launches
    std::uint32_t launch_ = 1;   ///< the first time of this launch
    std::uint32_t block_ = 0, now_ = 1;
    block_times* times_ = nullptr;  ///< of the running block, if it has synchronised
    std::unordered_map<std::int64_t, block_times> all_times_;
    std::vector<sync_place> places_;
    clock cluster_;
};

}  // namespace sinter::emulate
