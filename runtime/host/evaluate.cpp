// Runs a plan: tiles (and long loops) on all cores. All memory is allocated before anything is written, so a plan that
// has started completes.
#include <runtime/host/evaluate.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/host/frame.hpp>
#include <runtime/host/host_kernel.hpp>
#include <runtime/host/invariant_kernel.hpp>
#include <runtime/host/keyed_kernel.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>

namespace sinter::codegen {
namespace blocked {
namespace {

/// Results of the chunks of a split tile's loop: by chunk, one result per fold and group of the tile.
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

/// A thread's state for split tiles: the tile's values, its own state for chunks, and the results of all chunks.
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

/// Runs a loop of a split tile: the chunks on all threads, then the folds of their results.
void run_split_loop(split_worker& w, const loop_plan& l, const block& tile) {
    const frame& f = w.tile.f;
    const chunk_results r(l, tile.groups);
    const auto at = [&](std::int64_t chunk, std::size_t fold) { return w.partial + r.at(l, tile.groups, chunk, fold); };
    enter(w.chunk.f, &f);
    parallel_loop(
        r.chunks, 1, w.chunk, [&](std::optional<worker>& mine) { mine.emplace(f.c, &f); },
        [&](worker& mine, std::int64_t chunk, std::int64_t end) {
            for (; chunk < end; ++chunk) {
                f.c.stop.check();
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

/// Runs a tile whose loops are divided among all threads, in chunks that the kernel's extents alone decide.
void run_split_tile(split_worker& w, const block& tile) {
    const plan& p = w.tile.f.c.p;
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
        run_section(w.tile.f, p.stages[i], tile);
        if (i < p.loops.size()) run_split_loop(w, p.loops[i], tile);
    }
}

/// Fills the uniform values of a plan without regions, each repeated as often as the plan's longest block needs.
void fill_uniform(call& c, const ir::scalar_bits* scalars) {
    const plan& p = c.p;
    frame f{c};
    f.at = reinterpret_cast<const void**>(c.uniform + pool_bytes(p, pool::uniform));
    f.base[static_cast<int>(pool::uniform)] = c.uniform;
    for (const constant_fill& constant : p.fills) {
        const ir::scalar_bits& value = constant.scalar >= 0 ? scalars[constant.scalar] : constant.value;
        fill(f.home(constant.slot), value, p.uniform_elements, size_of(p.slots[constant.slot].type));
        f.at[constant.slot] = f.home(constant.slot);
    }
    run_section(f, p.uniform, {0, p.uniform_elements, 0, 1});
}

/// The constants, the scalars and what depends on these alone. They are reused if the thread's last evaluation was of
/// the same plan with the same scalars.
std::byte* make_uniform(call& c, const ir::scalar_bits* scalars, scratch& memory) {
    const plan& p = c.p;
    const std::size_t given = p.scalars * sizeof(ir::scalar_bits);
    const bool same = memory.is_of(p.number);
    std::byte* const values = memory.reserve(p.uniform_bytes + given);
    std::byte* const filled_with = values + p.uniform_bytes;
    c.uniform = values;
    if (!same || (given > 0 && std::memcmp(filled_with, scalars, given) != 0)) {
        if (given > 0) std::memcpy(filled_with, scalars, given);
        if (p.regions.empty()) fill_uniform(c, scalars);
        for (const plan& r : p.regions) {
            blocked::call part{r, c.inputs, c.outputs, values + r.uniform_at};
            fill_uniform(part, scalars);
        }
    }
    memory.leave_to(p.number);
    return values;
}

void run_plan(const call& c) {
    const plan& p = c.p;
    if (p.split) {
        split_worker own(c);
        if (p.tiles == 1) return run_split_tile(own, p.tile_at(0));
        return parallel_loop(
            p.tiles, 1, own, [&](std::optional<split_worker>& mine) { mine.emplace(c); },
            [&](split_worker& mine, std::int64_t t, std::int64_t end) {
                for (; t < end; ++t) {
                    c.stop.check();
                    run_split_tile(mine, p.tile_at(t));
                }
            });
    }
    worker own(c);
    parallel_loop(
        p.tiles, p.grain, own, [&](std::optional<worker>& mine) { mine.emplace(c); },
        [&](worker& mine, std::int64_t t, std::int64_t end) {
            for (; t < end; ++t) {
                c.stop.check();
                run_tile(mine.f, p.tile_at(t));
            }
        });
}

/// A thread's state for parts of regions: the memory of one frame, used for one region after another.
struct region_worker {
    scratch memory;
    std::byte* bytes;

    explicit region_worker(const plan& p) : bytes(memory.reserve(p.frame_bytes)) {}
};

/// Runs all regions together, in parts, except those whose tiles are split.
void run_regions(const call& c) {
    const plan& p = c.p;
    const auto part_of = [&](const plan& r) { return call{r, c.inputs, c.outputs, c.uniform + r.uniform_at}; };
    region_worker own(p);
    parallel_loop(
        p.parts, 1, own, [&](std::optional<region_worker>& mine) { mine.emplace(p); },
        [&](region_worker& mine, std::int64_t part, std::int64_t end) {
            for (; part < end; ++part) {
                c.stop.check();
                for (const plan& r : p.regions) {
                    const std::int64_t first = r.tiles * part / p.parts, past = r.tiles * (part + 1) / p.parts;
                    if (r.split || first == past) continue;
                    const call here = part_of(r);
                    frame f = make_frame(here, mine.bytes, nullptr);
                    for (std::int64_t t = first; t < past; ++t) run_tile(f, r.tile_at(t));
                }
            }
            if (p.streams) end_streaming();
        });
    for (const plan& r : p.regions)
        if (r.split) run_plan(part_of(r));
}

}  // namespace
}  // namespace blocked

void evaluate_on_host(const host_kernel& k, const void* const* inputs, void* const* outputs,
                      const ir::scalar_bits* scalars) {
    using namespace blocked;
    if (const invariant_kernel* const cut = k.with_invariants()) return cut->run(inputs, outputs, scalars);
    if (const keyed_kernel* const by_key = k.by_key(scalars)) return by_key->run(inputs, outputs, scalars);
    const std::shared_ptr<const growing_plan> kept = k.plan_for(scalars);
    const blocked::plan& p = kept->best();
    if (p.groups == 0) return;
    const bool counts = kept->counts();
    const auto start = counts ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    blocked::call c{p, inputs, outputs};
    scratch uniform;
    c.uniform = make_uniform(c, scalars, uniform);
    if (p.regions.empty())
        run_plan(c);
    else
        run_regions(c);
    if (counts) kept->add(std::chrono::steady_clock::now() - start);
}

}  // namespace sinter::codegen
