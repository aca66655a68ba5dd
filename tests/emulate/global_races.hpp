// Finds blocks of one launch that touch the same bytes of global memory, one of them writing, with nothing to order
// the two.
#pragma once

#include <tests/emulate/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sinter::emulate {

/// Bytes of memory that share a cell. Allocations begin at a multiple of it.
inline constexpr std::size_t race_word = 4;

/// An access of a word: by which block, at which of its times, to which of the word's bytes.
struct race_touch {
    std::uint32_t time;  ///< 0: none
    std::uint32_t block : 28, bytes : 4;
};
/// The last accesses of a word. Two readers are enough: no writer is both of them.
struct race_cell {
    race_touch write, read, other_read;
    std::uint32_t place;  ///< in the table of what atomics and volatile accesses touch, if that is the word's
};

/// Blocks have vector clocks, as threads have in FastTrack (Flanagan and Freund, PLDI 2009). In the CUDA memory model
/// one block hands its accesses to another by a fence and then an atomic or volatile write, and a volatile read or
/// atomic of the same word, then a fence: `fence` makes the two halves. A fence or an atomic of one thread counts for
/// its block, so that a barrier of the block that is missing before it may be missed, but no race is reported in error.
class global_races {
public:
    /// A launch begins.
    void start();
    /// This block runs now.
    void run(std::int64_t block);
    void fence();
    /// The barrier of a cluster orders its blocks.
    void start_cluster() { cluster_.clear(); }
    void arrive();
    void pass();

    /// Notes an access of the bytes that begin at `p`; `cells` are those of their words. The other block of a race, or
    /// -1.
    std::int64_t access(race_cell* cells, const void* p, std::size_t bytes, sinter_emulate::access_kind kind);

private:
    /// Of each block the time up to which its accesses are before; blocks beyond the end: none.
    using clock = std::vector<std::uint32_t>;
    /// What is known of a block that has synchronised.
    struct block_times {
        std::uint32_t now = 0;  ///< moves at each fence
        clock seen;             ///< accesses of other blocks that are before what this one does
        clock read;             ///< what it has read of others, for its next fence to make seen
        clock fenced;           ///< what its last fence made ready to hand on
    };
    /// A word that atomics and volatile accesses touch.
    struct sync_place {
        std::uintptr_t word = 0;
        race_touch last{};                    ///< atomic or volatile write
        std::vector<std::int64_t> observers;  ///< blocks that have read what it left
        clock released;                       ///< what its readers get
    };

    static void join(clock& to, const clock& from);
    bool is_live(const race_touch& t) const { return t.time >= launch_; }
    /// Whether it is an access of this launch by another block, to some of these bytes, that is not before the present.
    bool conflicts(const race_touch& t, unsigned bytes) const;
    void note(race_touch& t, unsigned bytes) const;
    void note_read(race_cell& c, unsigned bytes) const;
    sync_place* place_of(const race_cell& c, std::uintptr_t word);
    sync_place& make_place(race_cell& c, std::uintptr_t word);
    block_times& times();
    void synchronise(sync_place& s, bool reads, bool writes);

    std::uint32_t counter_ = 0;  ///< times of all blocks of all launches
    std::uint32_t launch_ = 1;   ///< the first of this launch's
    std::uint32_t block_ = 0, now_ = 1;
    block_times* times_ = nullptr;  ///< of the block that runs, if it has synchronised
    std::unordered_map<std::int64_t, block_times> all_times_;
    std::vector<sync_place> places_;
    clock cluster_;
};

}  // namespace sinter::emulate
