// Assigns a buffer to each value of a plan (register allocation by live ranges).
#include <codegen/host/buffer_list.hpp>
#include <codegen/host/plan.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace sinter::codegen::blocked {
namespace {

constexpr moment last_moment = std::numeric_limits<moment>::max();
moment at(std::size_t section, std::size_t step) {
    return static_cast<moment>(section << 32) + static_cast<moment>(step);
}

}  // namespace

void assign_buffers(plan& p) {
    std::vector<moment> last(p.slots.size(), 0);
    const auto use = [&](int id, moment when) {
        if (id >= 0) last[id] = std::max(last[id], when);
    };
    const auto use_section = [&](const section& s, std::size_t position) {
        for (std::size_t t = 0; t < s.steps.size(); ++t) {
            for (const int in : s.steps[t].in) use(in, at(position, t));
            if (s.steps[t].fused < 0) continue;
            for (const int in : p.fused[static_cast<std::size_t>(s.steps[t].fused)].operands) use(in, at(position, t));
        }
        for (const store_step& st : s.stores) use(st.value, at(position + 1, 0) - 1);
    };
    for (std::size_t i = 0; i < p.stages.size(); ++i) use_section(p.stages[i], 2 * i);
    for (std::size_t i = 0; i < p.loops.size(); ++i) {
        const std::size_t position = 2 * i + 1;
        use_section(p.loops[i].body, position);
        for (const fold_step& f : p.loops[i].folds) use(f.in, at(position + 1, 0) - 1);
        for (const expansion& e : p.loops[i].expansions) use(e.from, at(position + 1, 0) - 1);
        // a value in the tile's pool that a loop reads must live until the loop's last block
        for (std::size_t id = 0; id < p.slots.size(); ++id)
            if (p.slots[id].where == pool::tile && last[id] >= at(position, 0) && last[id] < at(position + 1, 0))
                last[id] = at(position + 1, 0) - 1;
    }
    const auto take = [&](buffer_list& s, int id, moment now, moment until) {
        if (p.slots[id].kept_at < 0) p.slots[id].buffer = s.take(now, until, size_of(p.slots[id].type));
    };

    const auto take_section = [&](buffer_list& from, const section& s, std::size_t position) {
        for (std::size_t t = 0; t < s.steps.size(); ++t) {
            const auto take_one = [&](int id) { take(from, id, at(position, t), last[id]); };
            if (s.steps[t].fused < 0)
                take_one(s.steps[t].out);
            else
                for (const int id : p.fused[static_cast<std::size_t>(s.steps[t].fused)].results) take_one(id);
        }
    };

    buffer_list tile;
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
        take_section(tile, p.stages[i], 2 * i);
        if (i == p.loops.size()) break;
        const std::size_t position = 2 * i + 1;
        for (const fold_step& f : p.loops[i].folds)
            take(tile, f.reduce, at(position, 0), std::max(last[f.reduce], at(position, 0)));

        buffer_list loop;
        for (const expansion& e : p.loops[i].expansions) take(loop, e.to, at(position, 0), last_moment);
        take_section(loop, p.loops[i].body, position);
        p.buffers[static_cast<int>(pool::loop)] = std::max(p.buffers[static_cast<int>(pool::loop)], loop.count);
    }
    p.buffers[static_cast<int>(pool::tile)] = tile.count;

    buffer_list uniform;
    for (const constant_fill& f : p.fills) take(uniform, f.slot, 0, last_moment);
    for (const step& s : p.uniform.steps) take(uniform, s.out, 0, last_moment);
    p.buffers[static_cast<int>(pool::uniform)] = uniform.count;

    for (const constant_fill& f : p.fills) p.lasting.push_back(f.slot);
    for (const step& s : p.uniform.steps) p.lasting.push_back(s.out);
    for (const loop_plan& l : p.loops) {
        for (const fold_step& f : l.folds) p.lasting.push_back(f.reduce);
        for (const expansion& e : l.expansions) p.lasting.push_back(e.to);
    }

    // The odd part keeps buffers off equal offsets within a page, where stores delay later loads (4K aliasing).
    p.buffer_bytes = buffer_size + 320;
    for (loop_plan& l : p.loops) {
        const std::int64_t leaves = divide_up(l.trips, l.block_trips * l.leaf_blocks);
        const auto levels = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(leaves)));
        std::size_t bytes = 0;
        const auto place = [&](std::int64_t elements, std::size_t size) {
            return std::exchange(bytes, bytes + static_cast<std::size_t>(
                                                    round_up(elements * static_cast<std::int64_t>(size), alignment)));
        };
        for (fold_step& f : l.folds) f.levels_at = place(levels * l.block_groups, f.element_size);
        p.level_bytes = std::max(p.level_bytes, std::exchange(bytes, 0));
        for (scan_step& s : l.scans) s.carry_at = place(l.block_groups, s.element_size);
        p.carry_bytes = std::max(p.carry_bytes, bytes);
    }
}

}  // namespace sinter::codegen::blocked
