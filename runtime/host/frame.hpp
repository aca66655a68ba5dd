// A thread's state while it runs a plan: the address of each value of a tile, and the partial results of its loops.
#pragma once

#include <codegen/host/plan.hpp>
#include <runtime/host/scratch.hpp>
#include <runtime/system/cancellation.hpp>

#include <cstddef>
#include <cstring>

namespace sinter::codegen::blocked {

inline std::size_t aligned(std::size_t bytes) {
    return static_cast<std::size_t>(round_up(static_cast<std::int64_t>(bytes), alignment));
}

/// What the threads of a call share: the plan, the arguments and the uniform values.
struct call {
    const plan& p;
    const void* const* inputs;
    void* const* outputs;
    std::byte* uniform = nullptr;
    cancellation_point stop{};
};

/// The accumulator of one reduction for a few groups. Blocks are folded in sequence up to a leaf; leaves are combined
/// like the digits of a binary counter (pairwise), so rounding errors grow with their number's logarithm.
struct accumulator {
    const fold_step* fold;
    std::byte* leaf;  ///< folded into; the result at the end
    std::byte* levels;
    std::size_t groups;

    std::size_t bytes() const { return groups * fold->element_size; }
    void reset() { fill(leaf, fold->identity, static_cast<std::int64_t>(groups), fold->element_size); }
    void combine(const void* earlier, const void* later) {
        const void* in[] = {earlier, later};
        fold->loops.map(leaf, in, groups);
    }
    void push(std::int64_t leaves_before) {
        std::byte* level = levels;
        for (; leaves_before & 1; leaves_before >>= 1, level += bytes()) combine(level, leaf);
        std::memcpy(level, leaf, bytes());
        reset();
    }
    void finish(std::int64_t leaves_before) {
        std::byte* level = levels;
        for (; leaves_before > 0; leaves_before >>= 1, level += bytes())
            if (leaves_before & 1) combine(level, leaf);
    }
};

/// One thread's view of a tile.
struct frame {
    const call& c;
    const void** at = nullptr;         ///< current address of each slot's elements
    std::byte* base[pool_count] = {};  ///< of the pools, in the order of enum pool
    std::byte* levels = nullptr;
    std::byte* carries = nullptr;
    std::byte* kept = nullptr;
    accumulator* accumulators = nullptr;  ///< of the current loop
    std::byte** results = nullptr;        ///< destinations of its folds
    std::int64_t first = 0;               ///< index of the block's first element among the tile's
    std::int64_t first_group = 0;         ///< of the tile

    std::byte* home(int id) const {
        const slot& s = c.p.slots[id];
        if (s.kept_at >= 0) return kept + s.kept_at + first * static_cast<std::int64_t>(size_of(s.type));
        return base[static_cast<int>(s.where)] + static_cast<std::size_t>(s.buffer) * c.p.buffer_bytes;
    }
};

std::size_t pool_bytes(const plan& p, pool which);
std::size_t table_bytes(const plan& p);
std::size_t frame_bytes(const plan& p, bool with_tile);

/// Lays out a frame in memory. Without a tile of its own it works on `tile`'s.
frame make_frame(const call& c, std::byte* memory, const frame* tile);
/// Takes over what a tile's stages have computed so far, for one of its loops. `tile` null: nothing.
void enter(frame& f, const frame* tile);

/// A thread's state for tiles, or for chunks of a tile's loops.
struct worker {
    scratch memory;
    frame f;

    explicit worker(const call& c, const frame* tile = nullptr)
        : f(make_frame(c, memory.reserve(frame_bytes(c.p, tile == nullptr)), tile)) {}
    ~worker() {
        if (f.c.p.streams) end_streaming();
    }
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
};

/// `l`: the loop whose body the section is; null: a stage.
void run_section(frame& f, const section& s, const block& b, const loop_plan* l = nullptr);
/// Runs inner elements [from, to) of a loop for a tile's groups. The results of fold i go to f.results[i].
void run_loop(frame& f, const loop_plan& l, const block& tile, std::int64_t from, std::int64_t to);
/// Runs a tile whose loops are not split.
void run_tile(frame& f, const block& tile);

}  // namespace sinter::codegen::blocked
