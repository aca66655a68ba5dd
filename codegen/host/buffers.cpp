// Assigns a buffer to each value of a plan (register allocation by live ranges).
#include <codegen/host/buffer_list.hpp>
#include <codegen/host/plan.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

namespace sinter::codegen::blocked {
namespace {

constexpr moment last_moment = std::numeric_limits<moment>::max();
moment at(std::size_t section, std::size_t step) {
    return static_cast<moment>(section << 32) + static_cast<moment>(step);
}

class buffer_assignment {
public:
    explicit buffer_assignment(plan& p) : p_(p), last_(p.slots.size(), 0) {}

    void run() {
        find_last_uses();
        assign();
        list_lasting();
    }

private:
    /// Stages and loops alternate.
    static std::size_t position_of_stage(std::size_t i) { return 2 * i; }
    static std::size_t position_of_loop(std::size_t i) { return 2 * i + 1; }
    static moment end_of(std::size_t position) { return at(position + 1, 0) - 1; }

    const fused_loop& fused(const step& s) const { return p_.fused[static_cast<std::size_t>(s.fused)]; }

    void use(int id, moment when) {
        if (id >= 0) last_[id] = std::max(last_[id], when);
    }

    void use_section(const section& s, std::size_t position) {
        for (std::size_t t = 0; t < s.steps.size(); ++t) {
            for (const int in : s.steps[t].in) use(in, at(position, t));
            if (s.steps[t].fused < 0) continue;
            for (const int in : fused(s.steps[t]).operands) use(in, at(position, t));
        }
        for (const store_step& st : s.stores) use(st.value, end_of(position));
    }

    void find_last_uses() {
        for (std::size_t i = 0; i < p_.stages.size(); ++i) use_section(p_.stages[i], position_of_stage(i));
        for (std::size_t i = 0; i < p_.loops.size(); ++i) {
            const std::size_t position = position_of_loop(i);
            use_section(p_.loops[i].body, position);
            for (const fold_step& f : p_.loops[i].folds) use(f.in, end_of(position));
            for (const expansion& e : p_.loops[i].expansions) use(e.from, end_of(position));
            // a value in the tile's pool that a loop reads must live until the loop's last block
            for (std::size_t id = 0; id < p_.slots.size(); ++id)
                if (p_.slots[id].where == pool::tile && last_[id] >= at(position, 0) && last_[id] <= end_of(position))
                    last_[id] = end_of(position);
        }
    }

    void take(buffer_list& from, int id, moment now, moment until) {
        if (p_.slots[id].kept_at < 0) p_.slots[id].buffer = from.take(now, until, size_of(p_.slots[id].type));
    }

    void take_section(buffer_list& from, const section& s, std::size_t position) {
        for (std::size_t t = 0; t < s.steps.size(); ++t) {
            const auto take_one = [&](int id) { take(from, id, at(position, t), last_[id]); };
            if (s.steps[t].fused < 0)
                take_one(s.steps[t].out);
            else
                for (const int id : fused(s.steps[t]).results) take_one(id);
        }
    }

    int& buffers(pool of) { return p_.buffers[static_cast<int>(of)]; }

    void assign() {
        buffer_list tile;
        for (std::size_t i = 0; i < p_.stages.size(); ++i) {
            take_section(tile, p_.stages[i], position_of_stage(i));
            if (i == p_.loops.size()) break;
            const std::size_t position = position_of_loop(i);
            for (const fold_step& f : p_.loops[i].folds)
                take(tile, f.reduce, at(position, 0), std::max(last_[f.reduce], at(position, 0)));

            buffer_list loop;
            for (const expansion& e : p_.loops[i].expansions) take(loop, e.to, at(position, 0), last_moment);
            take_section(loop, p_.loops[i].body, position);
            buffers(pool::loop) = std::max(buffers(pool::loop), loop.count);
        }
        buffers(pool::tile) = tile.count;

        buffer_list uniform;
        for (const constant_fill& f : p_.fills) take(uniform, f.slot, 0, last_moment);
        for (const step& s : p_.uniform.steps) take(uniform, s.out, 0, last_moment);
        buffers(pool::uniform) = uniform.count;
    }

    void list_lasting() {
        for (const constant_fill& f : p_.fills) p_.lasting.push_back(f.slot);
        for (const step& s : p_.uniform.steps) p_.lasting.push_back(s.out);
        for (const loop_plan& l : p_.loops) {
            for (const fold_step& f : l.folds) p_.lasting.push_back(f.reduce);
            for (const expansion& e : l.expansions) p_.lasting.push_back(e.to);
        }
    }

    plan& p_;
    std::vector<moment> last_;  ///< of each slot: its last use
};

/// Lays out what loops keep between their blocks: partial results of folds by level, and carries of scans.
void lay_out_loops(plan& p) {
    for (loop_plan& l : p.loops) {
        const std::int64_t leaves = divide_up(l.trips, l.block_trips * l.leaf_blocks);
        const auto levels = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(leaves)));
        std::size_t bytes = 0;
        const auto place = [&](std::int64_t elements, std::size_t size) {
            return std::exchange(bytes, bytes + static_cast<std::size_t>(
                                                    round_up(elements * static_cast<std::int64_t>(size), alignment)));
        };
        for (fold_step& f : l.folds) f.levels_at = place(levels * l.groups_at_once, f.element_size);
        p.level_bytes = std::max(p.level_bytes, std::exchange(bytes, 0));
        for (scan_step& s : l.scans) s.carry_at = place(l.block_groups, s.element_size);
        p.carry_bytes = std::max(p.carry_bytes, bytes);
    }
}

}  // namespace

void assign_buffers(plan& p) {
    buffer_assignment(p).run();
    // The odd part keeps buffers off equal offsets within a page, where stores delay later loads (4K aliasing).
    p.buffer_bytes = buffer_size + 320;
    lay_out_loops(p);
}

}  // namespace sinter::codegen::blocked
