// Walks a program warp by warp. Blocks and their warps run one after the other to completion: what a warp would wait
// for counts as available, and the last block draws the last ticket, as on a device.
#include <codegen/cost/count.hpp>

#include <codegen/cost/expression_walk.hpp>

#include <algorithm>
#include <bit>
#include <vector>

namespace sinter::codegen {
namespace device_ir {
namespace {

class statement_walk : public expression_walk {
public:
    using expression_walk::expression_walk;

    void run_block(std::int64_t of_block) {
        begin(of_block);
        for (int warp = 0; warp < warps(); ++warp) run_warp(warp);
        finish();
    }

    /// The first warp, and, in a sample, three others.
    void run_first_warp(std::int64_t of_block) {
        begin(of_block);
        run_warp(0);
        finish();
    }
    void run_other_warps(std::int64_t of_block) {
        begin(of_block);
        const statement_counts before = counts;
        run_warp(0);  // which may leave in shared memory what the others read
        counts = before;
        for (int n = 1; n <= sampled_warps(); ++n) run_warp(n * (warps() - 1) / sampled_warps());
    }

    int warps() const { return (p.block_threads + warp_lanes - 1) / warp_lanes; }
    int sampled_warps() const { return std::min(3, warps() - 1); }

    bool samples = false;

private:
    void begin(std::int64_t of_block) {
        block = of_block;
        shared.clear();
        seen = {};
    }

    void finish() {
        counts.block_barriers += seen.block;
        counts.cluster_barriers += seen.cluster;
        counts.grid_barriers += seen.grid;
    }

    void run_warp(int warp) {
        first_thread = warp * warp_lanes;
        left = 0;
        const int lanes = std::min(warp_lanes, p.block_threads - first_thread);
        run(p.body, lanes == warp_lanes ? ~lane_mask{0} : (lane_mask{1} << lanes) - 1);
    }

    void run(const std::vector<statement>& all, lane_mask m) override {
        for (const statement& s : all) {
            m &= ~left;
            if (m == 0) return;
            run(s, m);
        }
    }

    void run(const statement& s, lane_mask m) {
        switch (s.kind) {
            case statement_kind::comment:
            case statement_kind::blank:
            case statement_kind::declare:
            case statement_kind::fence:
            case statement_kind::opaque: return;
            case statement_kind::let: return set(s.of, s.value == none ? warp_value() : value_of(s.value, m), m);
            case statement_kind::view: return view(s, m);
            case statement_kind::carve: return carve(s, m);
            case statement_kind::assign: return store(s.target, value_of(s.value, m), m);
            case statement_kind::call: value_of(s.value, m); return;
            case statement_kind::branch: return branch(s, m);
            case statement_kind::loop: return loop(s, m);
            case statement_kind::scope: return run(s.body, m);
            case statement_kind::barrier: return barrier(s, m);
            case statement_kind::leave: left |= s.value == none ? m : where(s.value, m); return;
            case statement_kind::ticket: return ticket(s, m);
            case statement_kind::publish:
                value_of(s.value, m);
                counts.publishes += weight * std::popcount(m);
                return;
            case statement_kind::await: counts.awaits += weight * s.count * std::popcount(m); return;
            case statement_kind::multiply_accumulate: counts.multiplies += weight; return;
            case statement_kind::widen:
            case statement_kind::realign: return;
            case statement_kind::load_matrix: touch(p.at(s.value), false, m); return;
            case statement_kind::async_copy: {
                touch(p.at(s.target), true, m);
                if (const lane_mask there = where(s.limit, m); there != 0) touch(p.at(s.value), false, there);
                return;
            }
            case statement_kind::multiply_warpgroup: counts.multiplies += weight * s.count; return;
            case statement_kind::copy_box: touch(p.at(s.target), true, m); return;
            case statement_kind::set_registers:
            case statement_kind::init_barriers:
            case statement_kind::arrive:
            case statement_kind::wait_phase:
            case statement_kind::tensor_map:
            case statement_kind::fence_shared:
            case statement_kind::begin_products:
            case statement_kind::commit_products:
            case statement_kind::wait_products:
            case statement_kind::commit_copies:
            case statement_kind::wait_copies: return;
        }
    }

    void branch(const statement& s, lane_mask m) {
        counts.branches += weight;
        const warp_value condition = value_of(s.value, m);
        if (!condition.is_known) counts.is_exact = false;
        const lane_mask yes = condition.is_known ? condition.truths() & m : m;
        const lane_mask no = condition.is_known ? m & ~yes : m;
        if (yes != 0) run(s.body, yes);
        if (no != 0 && !s.otherwise.empty()) run(s.otherwise, no);
    }

    void loop(const statement& s, lane_mask m) {
        const std::int64_t outside = weight;
        set(s.of, value_of(s.value, m), m);
        for (std::int64_t turn = 0; (m &= ~left) != 0;) {
            const warp_value goes_on = value_of(s.limit, m);
            if (!goes_on.is_known) counts.is_exact = false;
            if (goes_on.is_known && (m &= goes_on.truths()) == 0) break;
            const std::int64_t turns = turns_at_once(s, turn);
            weight = outside * turns;
            if (s.unroll != 0) counts.turns += weight;
            run(s.body, m);
            weight = outside;
            if (!goes_on.is_known) break;  // by data: once
            for (std::int64_t n = s.factor == 0 ? 1 : turns; n > 0; --n) advance(s, turns, m);
            turn += turns;
        }
    }

    /// In a sample the later turns of a long loop stand for those that follow them, a sixteenth of what it has gone.
    std::int64_t turns_at_once(const statement& s, std::int64_t turn) const {
        constexpr std::int64_t first_turns = 64;
        return samples && s.factor == 0 && turn >= first_turns ? turn / 16 : 1;
    }

    void advance(const statement& s, std::int64_t turns, lane_mask m) {
        warp_value& counter = variables[static_cast<std::size_t>(s.of)];
        if (s.factor != 0)
            return counter.each(m, [&](std::int64_t i) { return s.factor > 0 ? i / s.factor : i * -s.factor; });
        warp_value step = value_of(s.step, m);
        step.each(m, [&](std::int64_t i) { return i * turns; });
        set(s.of, combined(arithmetic_kind::add, p.variable_at(s.of).type, counter, step), m);
    }

    void barrier(const statement& s, lane_mask m) {
        // all warps of a block share its barriers: only the first warp counts them
        if (first_thread != 0) return;
        switch (s.scope) {
            case barrier_scope::block:
            case barrier_scope::threads: seen.block += weight; break;
            case barrier_scope::cluster: seen.cluster += weight; break;
            case barrier_scope::blocks:
                value_of(s.value, m);
                seen.grid += weight;
                break;
        }
    }

    void view(const statement& s, lane_mask m) {
        const expression& from = p.at(s.target);
        global_origin& made = origins[static_cast<std::size_t>(s.of)];
        made = origins[static_cast<std::size_t>(from.of)];
        made.position = combined(arithmetic_kind::add, dtype::int64, made.position, position(from, m));
    }

    void carve(const statement& s, lane_mask m) {
        global_origin& made = origins[static_cast<std::size_t>(s.of)];
        const auto size = static_cast<std::int64_t>(size_of(p.array_at(s.of).type));
        made = origins[static_cast<std::size_t>(s.target)];
        const auto base_size = static_cast<std::int64_t>(size_of(p.array_at(s.target).type));
        warp_value bytes = s.value == none ? warp_value::of(0) : value_of(s.value, m);
        warp_value further = s.limit == none ? warp_value::of(0) : value_of(s.limit, m);
        made.position.each(m, [&](std::int64_t i) { return i * base_size; });
        further.each(m, [&](std::int64_t i) { return i * size; });
        for (const warp_value& more : {bytes, further})
            made.position = combined(arithmetic_kind::add, dtype::int64, made.position, more);
        made.position.each(m, [&](std::int64_t i) { return i / size; });
    }

    void ticket(const statement& s, lane_mask m) {
        const expression& counter = p.at(s.target);
        const warp_value at = absolute_position(counter, m), added = value_of(s.value, m);
        warp_value drawn = warp_value::of(0);
        for_lanes(m, [&](int lane) {
            std::int64_t& n = tickets[{origins[static_cast<std::size_t>(counter.of)].parameter, at[lane]}];
            drawn[lane] = n;
            n += added[lane];
        });
        counts.tickets += weight * std::popcount(m);
        if (s.of != none) set(s.of, drawn, m);
    }

    struct barriers {
        std::int64_t block = 0, cluster = 0, grid = 0;
    };

    std::map<std::pair<int, std::int64_t>, std::int64_t> tickets;  ///< by parameter and offset
    barriers seen;                                                 ///< of the block's first warp
};

}  // namespace
}  // namespace device_ir

std::int64_t statement_counts::bytes(device_ir::space where, bool is_store) const {
    std::int64_t sum = 0;
    for (const auto& [place, n] : accesses)
        if (place.where == where && place.is_store == is_store) sum += n.threads * place.bytes;
    return sum;
}

statement_counts count_statements(const device_ir::program& p, std::int64_t blocks, const launch_arguments& arguments) {
    device_ir::statement_walk walk(p, blocks, arguments);
    for (std::int64_t b = 0; b < blocks; ++b) walk.run_block(b);
    return std::move(walk.counts);
}

std::vector<sampled_counts> sample_statements(const device_ir::program& p, std::int64_t blocks,
                                              const launch_arguments& arguments) {
    std::vector<std::int64_t> some{blocks / 3, 2 * blocks / 3};
    if (blocks < 2) some.resize(static_cast<std::size_t>(blocks));
    device_ir::statement_walk first(p, blocks, arguments), others(p, blocks, arguments);
    first.samples = others.samples = true;
    for (const std::int64_t b : some) {
        first.run_first_warp(b);
        others.run_other_warps(b);
    }
    const double times = some.empty() ? 0 : static_cast<double>(blocks) / static_cast<double>(some.size());
    const int more = std::max(1, others.sampled_warps());
    return {{std::move(first.counts), times}, {std::move(others.counts), times * (others.warps() - 1) / more}};
}

}  // namespace sinter::codegen
