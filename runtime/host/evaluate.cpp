// Running a plan: blocks within tiles, tiles (and long loops) over all cores. All memory is there before anything is
// written: what a plan has begun it ends.
#include <runtime/host/evaluate.hpp>

#include <codegen/host/plan.hpp>
#include <runtime/host/scratch.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace sinter::codegen {
namespace blocked {
namespace {

std::size_t aligned(std::size_t bytes) {
    return static_cast<std::size_t>(round_up(static_cast<std::int64_t>(bytes), alignment));
}

/// What a call shares: the plan, the arguments and the values that are the same everywhere.
struct call {
    const plan& p;
    const void* const* inputs;
    void* const* outputs;
    std::byte* uniform = nullptr;
};

/// The running result of one reduction for a few groups. Blocks are folded in sequence up to a leaf's worth; leaves
/// are combined like the digits of a binary counter, so that no sum has many more roundings than its logarithm.
struct accumulator {
    const fold_step* fold;
    std::byte* leaf;  ///< what is being folded into, and at last the result
    std::byte* levels;
    std::size_t groups;

    std::size_t bytes() const { return groups * fold->element_size; }
    void reset() { fill(leaf, fold->loops.identity, static_cast<std::int64_t>(groups), fold->element_size); }
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
    const void** at = nullptr;         ///< where each slot's elements lie now
    std::byte* base[pool_count] = {};  ///< of the pools, in the order of their names
    std::byte* levels = nullptr;
    std::byte* carries = nullptr;
    std::byte* kept = nullptr;
    accumulator* accumulators = nullptr;  ///< of the loop that is under way
    std::byte** results = nullptr;        ///< where its folds' results go
    std::int64_t first = 0;               ///< the block's first element among all elements of the tile

    std::byte* home(int id) const {
        const slot& s = c.p.slots[id];
        if (s.kept_at >= 0) return kept + s.kept_at + first * static_cast<std::int64_t>(size_of(s.type));
        return base[static_cast<int>(s.where)] + static_cast<std::size_t>(s.buffer) * c.p.buffer_bytes;
    }
};

std::size_t pool_bytes(const plan& p, pool which) {
    return static_cast<std::size_t>(p.buffers[static_cast<int>(which)]) * p.buffer_bytes;
}
std::size_t table_bytes(const plan& p) { return aligned(p.slots.size() * sizeof(void*)); }
std::size_t max_folds(const plan& p) {
    std::size_t most = 0;
    for (const loop_plan& l : p.loops) most = std::max(most, l.folds.size());
    return most;
}
std::size_t frame_bytes(const plan& p, bool with_tile) {
    return table_bytes(p) + aligned(max_folds(p) * sizeof(accumulator)) + aligned(max_folds(p) * sizeof(std::byte*)) +
           pool_bytes(p, pool::loop) + (with_tile ? pool_bytes(p, pool::tile) : 0) + p.level_bytes + p.carry_bytes +
           static_cast<std::size_t>(p.kept_bytes);
}

/// Takes over what a tile's stages have computed so far, for one of its loops. `tile` null: nothing.
void enter(frame& f, const frame* tile) {
    if (tile != nullptr) std::copy_n(tile->at, f.c.p.slots.size(), f.at);
    for (const int id : f.c.p.lasting)
        if (tile == nullptr || f.c.p.slots[id].where == pool::loop) f.at[id] = f.home(id);
}

/// Lays a frame out in memory. Without a tile of its own it works on `tile`'s.
frame make_frame(const call& c, std::byte* memory, const frame* tile) {
    const auto take = [&memory](std::size_t bytes) { return std::exchange(memory, memory + bytes); };
    auto** const at = reinterpret_cast<const void**>(take(table_bytes(c.p)));
    auto* const accumulators = reinterpret_cast<accumulator*>(take(aligned(max_folds(c.p) * sizeof(accumulator))));
    auto** const results = reinterpret_cast<std::byte**>(take(aligned(max_folds(c.p) * sizeof(std::byte*))));
    std::byte* const loop = take(pool_bytes(c.p, pool::loop));
    std::byte* const levels = take(c.p.level_bytes);
    std::byte* const carries = take(c.p.carry_bytes);
    std::byte* const kept = take(static_cast<std::size_t>(c.p.kept_bytes));
    std::byte* const tile_values = tile != nullptr ? tile->base[static_cast<int>(pool::tile)] : memory;
    frame f{c, at, {c.uniform, tile_values, loop}, levels, carries, kept, accumulators, results};
    enter(f, tile);
    return f;
}

/// What a thread needs to run tiles, or chunks of a tile's loops.
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

/// A block of a scan: the next elements of each of its groups.
void run_scan(const frame& f, const loop_plan& l, int i, void* to, const void* from, const block& b) {
    const scan_step& s = l.scans[static_cast<std::size_t>(i)];
    std::byte* carry = f.carries + s.carry_at;
    const auto groups = static_cast<std::size_t>(b.groups), trips = static_cast<std::size_t>(b.trips);
    if (trips > 1) return s.loops.scan(to, carry, from, groups, trips, s.exclusive, l.backwards);
    const void* in[] = {carry, from};
    if (!s.exclusive) {
        s.loops.map(carry, in, groups);
        std::memcpy(to, carry, groups * s.element_size);
    } else if (to != from) {
        std::memcpy(to, carry, groups * s.element_size);
        s.loops.map(carry, in, groups);
    } else {
        s.loops.scan(to, carry, from, groups, 1, true, l.backwards);
    }
}

/// `l` is the loop whose body the section is, if it is one's.
void run_section(frame& f, const section& s, const block& b, const loop_plan* l = nullptr) {
    const call& c = f.c;
    const std::size_t n = static_cast<std::size_t>(b.size());
    std::uint64_t stored = 0;
    for (const step& st : s.steps) {
        std::int64_t offset = 0;
        if (st.index >= 0) {
            std::byte* to = f.home(st.out);
            write_indices(to, c.p.slots[st.out].type, c.p.indices[st.index], b);
            f.at[st.out] = to;
            continue;
        }
        if (st.run == nullptr && st.in[0] >= 0) {
            const access& a = c.p.loads[st.load];
            std::byte* to = f.home(st.out);
            gather_displaced(to, c.inputs[a.pointer], a, b, static_cast<const std::int64_t*>(f.at[st.in[0]]));
            f.at[st.out] = to;
            continue;
        }
        if (st.run == nullptr) {
            const access& a = c.p.loads[st.load];
            const void* from = c.inputs[a.pointer];
            if (a.in_place && is_dense(a, b, offset)) {
                f.at[st.out] = static_cast<const std::byte*>(from) + offset;
            } else {
                std::byte* to = f.home(st.out);
                gather(to, from, a, b);
                f.at[st.out] = to;
            }
            continue;
        }
        std::byte* to = nullptr;
        if (st.store >= 0 && is_dense(s.stores[st.store].to, b, offset)) {
            to = static_cast<std::byte*>(c.outputs[s.stores[st.store].to.pointer]) + offset;
            stored |= std::uint64_t{1} << st.store;
        } else {
            to = f.home(st.out);
        }
        const void* in[ir::max_operands] = {};
        for (int i = 0; i < ir::max_operands; ++i)
            if (st.in[i] >= 0) in[i] = f.at[st.in[i]];
        if (st.scan >= 0)
            run_scan(f, *l, st.scan, to, in[0], b);
        else
            st.run(to, in, n);
        f.at[st.out] = to;
    }
    for (std::size_t i = 0; i < s.stores.size(); ++i) {
        if (i < 64 && (stored >> i & 1) != 0) continue;
        const auto& [value, to, streams] = s.stores[i];
        auto* const array = static_cast<std::byte*>(c.outputs[to.pointer]);
        std::int64_t offset = 0;
        if (streams && is_dense(to, b, offset))
            stream(array + offset, f.at[value], n * to.element_size);
        else
            scatter(array, f.at[value], to, b);
    }
}

/// Runs inner elements [from, to) of a loop for a tile's groups. The results of fold i go to f.results[i].
void run_loop(frame& f, const loop_plan& l, const block& tile, std::int64_t from, std::int64_t to) {
    for (std::int64_t r = 0; r < tile.groups; r += l.block_groups) {
        const std::int64_t groups = std::min(l.block_groups, tile.groups - r);
        const std::span accumulators(f.accumulators, l.folds.size());
        for (std::size_t i = 0; i < l.folds.size(); ++i) {
            const fold_step& fold = l.folds[i];
            std::byte* result = f.results[i] + static_cast<std::size_t>(r) * fold.element_size;
            accumulators[i] = {&fold, result, f.levels + fold.levels_at, static_cast<std::size_t>(groups)};
            accumulators[i].reset();
        }
        for (const scan_step& s : l.scans) fill(f.carries + s.carry_at, &s.identity, groups, s.element_size);
        std::int64_t blocks = 0, leaves = 0, expanded = 0;
        for (std::int64_t k = from; k < to; k += l.block_trips) {
            const std::int64_t trips = std::min(l.block_trips, to - k);
            const block b{tile.group + r, groups, l.backwards ? to - (k - from) - trips : k, trips};
            if (expanded == 0 || (groups > 1 && expanded != b.trips)) {
                for (const expansion& e : l.expansions) {
                    const std::size_t size = size_of(f.c.p.slots[e.from].type);
                    const std::byte* source =
                        static_cast<const std::byte*>(f.at[e.from]) + static_cast<std::size_t>(r) * size;
                    expand(f.home(e.to), source, groups, b.trips, size);
                }
                expanded = b.trips;
            }
            if (blocks == l.leaf_blocks) {
                for (accumulator& a : accumulators) a.push(leaves);
                ++leaves;
                blocks = 0;
            }
            f.first = r * l.trips + b.trip * groups;
            for (const int id : l.kept) f.at[id] = f.home(id);
            run_section(f, l.body, b, &l);
            ++blocks;
            for (accumulator& a : accumulators) {
                const void* in = f.at[a.fold->in];
                if (l.columns && !a.fold->of_parts)
                    a.combine(a.leaf, in);
                else
                    a.fold->fold(a.leaf, in, a.groups, static_cast<std::size_t>(b.trips));
            }
        }
        for (accumulator& a : accumulators) a.finish(leaves);
    }
}

/// A tile whose loops one thread runs.
void run_tile(frame& f, const block& tile) {
    const plan& p = f.c.p;
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
        run_section(f, p.stages[i], tile);
        if (i == p.loops.size()) break;
        const loop_plan& l = p.loops[i];
        for (std::size_t j = 0; j < l.folds.size(); ++j) f.results[j] = f.home(l.folds[j].reduce);
        run_loop(f, l, tile, 0, l.trips);
    }
}

/// What chunks of a split tile's loop leave: for each chunk, one result of each fold for each of the tile's groups.
struct chunk_results {
    std::size_t chunk_bytes = 0;
    std::int64_t chunks = 1;

    chunk_results(const loop_plan& l, std::int64_t groups)
        : chunk_bytes(offset(l, groups, l.folds.size())),
          chunks(std::max<std::int64_t>(1, divide_up(l.trips, l.chunk))) {}
    std::size_t bytes() const { return chunk_bytes * static_cast<std::size_t>(chunks); }
    std::size_t at(const loop_plan& l, std::int64_t groups, std::int64_t chunk, std::size_t fold) const {
        return static_cast<std::size_t>(chunk) * chunk_bytes + offset(l, groups, fold);
    }

private:
    static std::size_t offset(const loop_plan& l, std::int64_t groups, std::size_t fold) {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < fold; ++i)
            bytes += aligned(static_cast<std::size_t>(groups) * l.folds[i].element_size);
        return bytes;
    }
};

/// What a thread needs to run split tiles: besides the tile's values, what it runs chunks with itself, and their
/// results.
struct split_worker {
    worker tile, chunk;
    scratch results;
    std::byte* partial;

    explicit split_worker(const call& c) : tile(c), chunk(c, &tile.f), partial(results.reserve(partial_bytes(c.p))) {}

private:
    static std::size_t partial_bytes(const plan& p) {
        std::size_t most = 0;
        for (const loop_plan& l : p.loops) most = std::max(most, chunk_results(l, p.tile).bytes());
        return most;
    }
};

/// Runs a loop of a split tile: the chunks on all threads, and then what joins their results.
void run_split_loop(split_worker& w, const loop_plan& l, const block& tile) {
    const frame& f = w.tile.f;
    const chunk_results r(l, tile.groups);
    const auto at = [&](std::int64_t chunk, std::size_t fold) { return w.partial + r.at(l, tile.groups, chunk, fold); };
    enter(w.chunk.f, &f);
    parallel_loop(
        r.chunks, 1, w.chunk, [&](std::optional<worker>& mine) { mine.emplace(f.c, &f); },
        [&](worker& mine, std::int64_t chunk, std::int64_t end) {
            for (; chunk < end; ++chunk) {
                for (std::size_t j = 0; j < l.folds.size(); ++j) mine.f.results[j] = at(chunk, j);
                run_loop(mine.f, l, tile, chunk * l.chunk, std::min(l.trips, (chunk + 1) * l.chunk));
            }
        });
    for (std::int64_t apart = 1; apart < r.chunks; apart *= 2)
        for (std::int64_t chunk = 0; chunk + apart < r.chunks; chunk += 2 * apart)
            for (std::size_t j = 0; j < l.folds.size(); ++j) {
                const void* in[] = {at(chunk, j), at(chunk + apart, j)};
                l.folds[j].loops.map(at(chunk, j), in, static_cast<std::size_t>(tile.groups));
            }
    for (std::size_t j = 0; j < l.folds.size(); ++j)
        std::memcpy(f.home(l.folds[j].reduce), at(0, j),
                    static_cast<std::size_t>(tile.groups) * l.folds[j].element_size);
}

/// A tile whose loops are dealt to all threads, in chunks that the kernel's extents alone decide.
void run_split_tile(split_worker& w, const block& tile) {
    const plan& p = w.tile.f.c.p;
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
        run_section(w.tile.f, p.stages[i], tile);
        if (i < p.loops.size()) run_split_loop(w, p.loops[i], tile);
    }
}

/// The constants, the scalars and what follows from them, for as many elements as the longest block has. They are there
/// already when the thread's last evaluation was of the same plan with the same scalars.
void make_uniform(call& c, const ir::scalar_bits* scalars, scratch& memory) {
    const plan& p = c.p;
    std::int64_t n = p.tile;
    for (const loop_plan& l : p.loops) n = std::max(n, l.block_groups * l.block_trips);
    const std::size_t values = pool_bytes(p, pool::uniform), given = p.scalars * sizeof(ir::scalar_bits);
    const bool same = memory.is_of(p.number);
    c.uniform = memory.reserve(values + table_bytes(p) + given);
    std::byte* const table = c.uniform + values;
    std::byte* const filled_with = table + table_bytes(p);
    if (same && (given == 0 || std::memcmp(filled_with, scalars, given) == 0)) return memory.leave_to(p.number);
    if (given > 0) std::memcpy(filled_with, scalars, given);
    frame f{c};
    f.at = reinterpret_cast<const void**>(table);
    f.base[static_cast<int>(pool::uniform)] = c.uniform;
    for (const constant_fill& constant : p.fills) {
        const void* value = &constant.bits;
        if (constant.scalar >= 0) value = &scalars[constant.scalar];
        fill(f.home(constant.slot), value, n, size_of(p.slots[constant.slot].type));
        f.at[constant.slot] = f.home(constant.slot);
    }
    run_section(f, p.uniform, {0, n, 0, 1});
    memory.leave_to(p.number);
}

}  // namespace
}  // namespace blocked

void evaluate_on_host(const blocked::plan& p, const void* const* inputs, void* const* outputs,
                      const ir::scalar_bits* scalars) {
    using namespace blocked;
    if (p.groups == 0) return;
    call c{p, inputs, outputs};
    scratch uniform;
    make_uniform(c, scalars, uniform);

    if (p.split) {
        split_worker own(c);
        if (p.tiles == 1) return run_split_tile(own, p.tile_at(0));
        return parallel_loop(
            p.tiles, 1, own, [&](std::optional<split_worker>& mine) { mine.emplace(c); },
            [&](split_worker& mine, std::int64_t t, std::int64_t end) {
                for (; t < end; ++t) run_split_tile(mine, p.tile_at(t));
            });
    }
    worker own(c);
    parallel_loop(
        p.tiles, p.grain, own, [&](std::optional<worker>& mine) { mine.emplace(c); },
        [&](worker& mine, std::int64_t t, std::int64_t end) {
            for (; t < end; ++t) run_tile(mine.f, p.tile_at(t));
        });
}

}  // namespace sinter::codegen
