// Runs a plan on one tile: the stages' steps on blocks of elements, and the loops between them.
#include <runtime/host/frame.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace sinter::codegen::blocked {

namespace {

std::size_t max_folds(const plan& p) {
    std::size_t most = 0;
    for (const loop_plan& l : p.loops) most = std::max(most, l.folds.size());
    return most;
}

}  // namespace

std::size_t pool_bytes(const plan& p, pool which) {
    return static_cast<std::size_t>(p.buffers[static_cast<int>(which)]) * p.buffer_bytes;
}
std::size_t table_bytes(const plan& p) { return aligned(p.slots.size() * sizeof(void*)); }
std::size_t frame_bytes(const plan& p, bool with_tile) {
    return table_bytes(p) + aligned(max_folds(p) * sizeof(accumulator)) + aligned(max_folds(p) * sizeof(std::byte*)) +
           pool_bytes(p, pool::loop) + (with_tile ? pool_bytes(p, pool::tile) : 0) + p.level_bytes + p.carry_bytes +
           static_cast<std::size_t>(p.kept_bytes);
}

void enter(frame& f, const frame* tile) {
    if (tile != nullptr) std::copy_n(tile->at, f.c.p.slots.size(), f.at);
    for (const int id : f.c.p.lasting)
        if (tile == nullptr || f.c.p.slots[id].where == pool::loop) f.at[id] = f.home(id);
}

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

namespace {

/// Runs a block of a scan: the next elements of each of its groups.
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

/// Runs a fused loop on a block.
void run_fused(frame& f, const fused_loop& l, const block& b) {
    void* pointers[max_fused_pointers];
    for (std::size_t i = 0; i < l.pointers.size(); ++i) {
        const fused_pointer& from = l.pointers[i];
        const auto at = [&]() -> const void* {
            switch (from.what) {
                case fused_pointer::kind::input: return f.c.inputs[from.of];
                case fused_pointer::kind::output: return f.c.outputs[from.of];
                case fused_pointer::kind::slot: return f.at[from.of];
                case fused_pointer::kind::groups: return f.at[from.of];
                case fused_pointer::kind::result: return f.home(from.of);
                case fused_pointer::kind::fold: return f.accumulators[from.of].leaf;
            }
            return nullptr;
        };
        std::int64_t start = from.start;
        if (from.what == fused_pointer::kind::groups)
            start = (b.group - f.first_group) * static_cast<std::int64_t>(size_of(f.c.p.slots[from.of].type));
        pointers[i] = static_cast<std::byte*>(const_cast<void*>(at())) + start;
    }
    l.run(pointers, l.numbers.data(), b.group, b.groups, b.trip, b.trips);
    for (const int id : l.results) f.at[id] = f.home(id);
}

/// Loads a block, or refers to it where it lies. With a displacement, the load is a gather.
const void* run_load(frame& f, const step& st, const block& b) {
    const access& a = f.c.p.loads[st.load];
    const void* const from = f.c.inputs[a.pointer];
    std::byte* const to = f.home(st.out);
    std::int64_t offset = 0;
    if (st.in[0] >= 0) {
        const auto* displacements = static_cast<const std::int64_t*>(f.at[st.in[0]]);
        if (st.of_group) displacements += b.group - f.first_group;
        gather_displaced(to, from, a, b, displacements, st.of_group);
    } else if (a.in_place && is_dense(a, b, offset)) {
        return static_cast<const std::byte*>(from) + offset;
    } else {
        gather(to, from, a, b);
    }
    return to;
}

/// Runs an op or a scan, and returns whether its result is already where a store of the section puts it.
bool run_op(frame& f, const section& s, const step& st, const block& b, const loop_plan* l) {
    std::int64_t offset = 0;
    const bool stored = st.store >= 0 && is_dense(s.stores[st.store].to, b, offset);
    std::byte* const to =
        stored ? static_cast<std::byte*>(f.c.outputs[s.stores[st.store].to.pointer]) + offset : f.home(st.out);
    const void* in[ir::max_operands] = {};
    for (int i = 0; i < ir::max_operands; ++i)
        if (st.in[i] >= 0) in[i] = f.at[st.in[i]];
    if (st.scan >= 0)
        run_scan(f, *l, st.scan, to, in[0], b);
    else
        st.run(to, in, static_cast<std::size_t>(b.size()));
    f.at[st.out] = to;
    return stored;
}

void run_store(const frame& f, const store_step& st, const block& b) {
    auto* const array = static_cast<std::byte*>(f.c.outputs[st.to.pointer]);
    std::int64_t offset = 0;
    if (st.streams && is_dense(st.to, b, offset))
        stream(array + offset, f.at[st.value], static_cast<std::size_t>(b.size()) * st.to.element_size);
    else
        scatter(array, f.at[st.value], st.to, b);
}

/// Folds elements beside their indices.
void fold_extreme(const frame& f, const accumulator& a, const void* in, const block& b) {
    const access& index = f.c.p.indices[static_cast<std::size_t>(a.fold->index)];
    const std::int64_t step = index.inner.stride();
    a.fold->extreme(a.leaf, in, static_cast<std::size_t>(b.groups), static_cast<std::size_t>(b.trips),
                    index.start + step * b.trip, step);
}

/// Folds blocks of an array where it lies.
void fold_array(const frame& f, const loop_plan& l, const accumulator& x, const block& b) {
    const access& a = f.c.p.loads[static_cast<std::size_t>(x.fold->in_place)];
    const auto* const array = static_cast<const std::byte*>(f.c.inputs[a.pointer]);
    for_each_rectangle(a, b, [&](const rectangle& r) {
        const std::int64_t group = r.at / static_cast<std::int64_t>(a.element_size) / b.trips;
        const auto groups = static_cast<std::size_t>(r.rows), trips = static_cast<std::size_t>(r.columns);
        std::byte* const to = x.leaf + static_cast<std::size_t>(group) * x.fold->element_size;
        if (l.columns) return x.fold->in_columns(to, array + r.offset, groups, trips, r.in_array.trip);
        for (std::size_t i = 0; i < groups; ++i)
            x.fold->fold(to + i * x.fold->element_size,
                         array + r.offset + static_cast<std::int64_t>(i) * r.in_array.group, 1, trips);
    });
}

/// Folds what a loop's body has computed for a block.
void fold_blocks(const frame& f, const loop_plan& l, std::span<accumulator> accumulators, const block& b) {
    for (accumulator& a : accumulators) {
        if (a.fold->fused || a.fold->in_place >= 0) continue;
        const void* in = f.at[a.fold->in];
        if (a.fold->extreme != nullptr)
            fold_extreme(f, a, in, b);
        else if (l.columns && !a.fold->of_parts)
            a.combine(a.leaf, in);
        else
            a.fold->fold(a.leaf, in, a.groups, static_cast<std::size_t>(b.trips));
    }
}

/// Runs a loop's body on a block, and folds what it has computed. `expanded`: for how many inner elements the values of
/// groups are repeated already.
void run_block(frame& f, const loop_plan& l, const block& b, std::span<accumulator> accumulators,
               std::int64_t& expanded) {
    const std::int64_t r = b.group - f.first_group;
    if (expanded == 0 || (b.groups > 1 && expanded != b.trips)) {
        for (const expansion& e : l.expansions) {
            const std::size_t size = size_of(f.c.p.slots[e.from].type);
            const std::byte* source = static_cast<const std::byte*>(f.at[e.from]) + static_cast<std::size_t>(r) * size;
            expand(f.home(e.to), source, b.groups, b.trips, size);
        }
        expanded = b.trips;
    }
    f.first = r * l.trips + b.trip * b.groups;
    for (const int id : l.kept) f.at[id] = f.home(id);
    run_section(f, l.body, b, &l);
    fold_blocks(f, l, accumulators, b);
}

}  // namespace

void run_section(frame& f, const section& s, const block& b, const loop_plan* l) {
    std::uint64_t stored = 0;
    for (const step& st : s.steps) {
        if (st.fused >= 0) {
            run_fused(f, f.c.p.fused[static_cast<std::size_t>(st.fused)], b);
        } else if (st.index >= 0) {
            std::byte* const to = f.home(st.out);
            write_indices(to, f.c.p.slots[st.out].type, f.c.p.indices[st.index], b);
            f.at[st.out] = to;
        } else if (st.run == nullptr) {
            f.at[st.out] = run_load(f, st, b);
        } else if (run_op(f, s, st, b, l)) {
            stored |= std::uint64_t{1} << st.store;
        }
    }
    for (std::size_t i = 0; i < s.stores.size(); ++i)
        if (i >= 64 || (stored >> i & 1) == 0) run_store(f, s.stores[i], b);
}

void run_loop(frame& f, const loop_plan& l, const block& tile, std::int64_t from, std::int64_t to) {
    f.first_group = tile.group;
    const std::int64_t at_once = l.block_trips * l.blocks_at_once;
    const std::int64_t of_body = l.body_at_once ? at_once : l.block_trips;
    for (std::int64_t r = 0; r < tile.groups; r += l.groups_at_once) {
        const std::int64_t groups = std::min(l.groups_at_once, tile.groups - r);
        const std::span accumulators(f.accumulators, l.folds.size());
        for (std::size_t i = 0; i < l.folds.size(); ++i) {
            const fold_step& fold = l.folds[i];
            std::byte* result = f.results[i] + static_cast<std::size_t>(r) * fold.element_size;
            accumulators[i] = {&fold, result, f.levels + fold.levels_at, static_cast<std::size_t>(groups)};
            accumulators[i].reset();
        }
        for (const scan_step& s : l.scans) fill(f.carries + s.carry_at, s.identity, groups, s.element_size);
        std::int64_t blocks = 0, leaves = 0, expanded = 0;
        for (std::int64_t k = from; k < to; k += at_once) {
            if (blocks == l.leaf_blocks) {
                for (accumulator& a : accumulators) a.push(leaves);
                ++leaves;
                blocks = 0;
            }
            blocks += l.blocks_at_once;
            const std::int64_t end = std::min(k + at_once, to);
            for (const accumulator& a : accumulators)
                if (a.fold->in_place >= 0) fold_array(f, l, a, {tile.group + r, groups, k, end - k});
            for (std::int64_t trip = k; l.computes && trip < end; trip += of_body) {
                const std::int64_t trips = std::min(of_body, end - trip);
                const block b{tile.group + r, groups, l.backwards ? to - (trip - from) - trips : trip, trips};
                run_block(f, l, b, accumulators, expanded);
            }
        }
        for (accumulator& a : accumulators) a.finish(leaves);
    }
}

void run_tile(frame& f, const block& tile) {
    const plan& p = f.c.p;
    if (p.move) return run_box(*p.move, f.c.outputs[p.move->output], f.c.inputs[p.move->input], tile.group);
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
        run_section(f, p.stages[i], tile);
        if (i == p.loops.size()) break;
        const loop_plan& l = p.loops[i];
        for (std::size_t j = 0; j < l.folds.size(); ++j) f.results[j] = f.home(l.folds[j].reduce);
        run_loop(f, l, tile, 0, l.trips);
    }
}

}  // namespace sinter::codegen::blocked
