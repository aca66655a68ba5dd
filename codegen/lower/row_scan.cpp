// Scans across the threads of a row.
#include <codegen/lower/thread_scan.hpp>
#include <codegen/lower/thread_scans.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class row_scanner : thread_scan {
public:
    row_scanner(lowering& shared, int scan, id held, const row_scan& with)
        : thread_scan(shared, scan, held),
          how(with),
          vector(shared.s.vector_width),
          lanes(std::min(shared.s.threads_per_output, warp)),
          warps(std::max(1, shared.s.threads_per_output / warp)) {}

    void write() {
        if (lanes == 1) return along_a_thread();
        lane = warps > 1 ? how.lane % warp : how.lane;
        c.b.comment("Each thread scans its own elements. Then shuffles scan the threads' totals over the lanes.");
        along_the_lanes();
        if (warps == 1)
            behind_the_lanes();
        else
            behind_the_warps();
    }

private:
    scalar element(const scalar& e) const {
        std::vector<scalar> indices;
        if (c.s.unroll > 1) indices.push_back(c.access);
        if (vector > 1) indices.push_back(e);
        return c.b.element(elements, indices);
    }
    void add_before_elements(const scalar& before) {
        add_before(
            before, [&](const scalar& e) { return element(e); }, vector, "e");
    }
    scalar own_up() const { return c.s.unroll > 1 ? c.b.element(up, {c.access}) : c.b.element(up, {}); }
    /// The value of another lane of the row, within the warp.
    scalar from_lane(exchange_pattern pattern, const scalar& value, const scalar& which) const {
        return c.b.exchange(pattern, value, which, lanes);
    }
    scalar from_lane(exchange_pattern pattern, const scalar& value, int which) const {
        return from_lane(pattern, value, c.b.integer(which));
    }

    void along_a_thread() {
        c.open_unroll();
        if (vector > 1) c.neighbour = c.b.open_unrolled("e", vector);
        alone(element(c.neighbour));
        if (vector > 1) c.b.close();
        c.close_unroll();
    }

    void along_the_lanes() {
        array held{c.name(v) + "_up", space::registers, type, {}};
        if (c.s.unroll > 1) held.extents.push_back(c.s.unroll);
        up = c.b.declare(held);
        c.open_unroll();
        if (vector > 1) {
            const scalar e = c.b.open_loop("e", dtype::int32, c.b.integer(1), c.b.integer(vector), c.b.integer(1), 0);
            c.b.assign(element(e), fold(element(e - 1), element(e)));
            c.b.close();
        }
        c.b.assign(own_up(), element(c.b.integer(vector - 1)));
        c.close_unroll();
        const scalar offset = c.b.open_doubling("offset", 1, lanes, 0);
        c.open_unroll();
        const scalar below = c.b.let("below", type, from_lane(exchange_pattern::up, own_up(), offset));
        c.b.open_branch(lane >= offset);
        c.b.assign(own_up(), fold(below, own_up()));
        c.b.close();
        c.close_unroll();
        c.b.close();
    }

    void behind_the_lanes() {
        c.open_unroll();
        const scalar below = c.b.let("below", type, from_lane(exchange_pattern::up, own_up(), 1));
        const scalar before = c.b.let("before", type, c.b.select(lane == 0, carry(), fold(carry(), below)));
        add_before_elements(before);
        c.b.assign(carry(), fold(carry(), from_lane(exchange_pattern::broadcast, own_up(), lanes - 1)));
        c.close_unroll();
    }

    void behind_the_warps() {
        c.b.comment(
            "Then scan over the accesses of a warp, in order. Each warp stores its total in shared memory, and every "
            "warp scans the totals of the row's warps.");
        const scalar all = across_the_warps(along_the_accesses());
        const auto of_warps = [&](const scalar& which) {
            return c.b.exchange(exchange_pattern::broadcast, all, which, std::min(warps, warp));
        };
        scalar total;
        if (c.s.blocks_per_output > 1 || how.again)
            total = c.b.let(c.name(v) + "_total", type, of_warps(c.b.integer(warps - 1)));
        if (c.s.blocks_per_output > 1) look_back_for(total);
        const scalar warps_below = c.b.let("warps_below", type, of_warps((how.lane / warp + (warps - 1)) % warps));
        const scalar of_row = c.b.let("of_row", type, c.b.select(how.lane < warp, carry(), fold(carry(), warps_below)));
        c.open_unroll();
        const scalar before = c.b.let("before", type, fold(of_row, own_up()));
        add_before_elements(before);
        c.close_unroll();
        if (!how.again) return;
        c.b.assign(carry(), fold(carry(), total));
        c.b.barrier(barrier_scope::block, "the next step reuses the shared array");
    }

    /// The total of a warp's accesses; the lanes' values become exclusive prefixes.
    scalar along_the_accesses() {
        const scalar of_warp = c.b.variable_of(c.name(v) + "_warp", type, c.identity(v));
        c.open_unroll();
        const scalar of_lanes =
            c.b.let("of_lanes", type, c.b.exchange(exchange_pattern::broadcast, own_up(), c.b.integer(warp - 1)));
        const scalar below = c.b.let("below", type, c.b.exchange(exchange_pattern::up, own_up(), c.b.integer(1)));
        c.b.assign(own_up(), c.b.select(lane == 0, of_warp, fold(of_warp, below)));
        c.b.assign(of_warp, fold(of_warp, of_lanes));
        c.close_unroll();
        return of_warp;
    }

    /// The inclusive scan of the totals of the row's warps, one per lane.
    scalar across_the_warps(const scalar& of_warp) {
        const int rows = c.s.block_threads / c.s.threads_per_output;
        const id shared = c.b.declare({c.name(v) + "_of_warp", space::shared, type, {warps * rows}});
        c.b.open_branch(lane == 0);
        c.b.assign(c.b.element(shared, {c.b.thread() / warp}), of_warp);
        c.b.close();
        c.b.barrier(barrier_scope::block);
        const scalar own = how.lane % warps;
        const scalar place = rows > 1 ? c.b.thread() / c.s.threads_per_output * warps + own : own;
        const scalar all = c.b.variable_of(c.name(v) + "_warps", type, c.b.element(shared, {place}));
        const scalar offset = c.b.open_doubling("offset", 1, warps, 0);
        const scalar below =
            c.b.let("below", type, c.b.exchange(exchange_pattern::up, all, offset, std::min(warps, warp)));
        c.b.open_branch(how.lane % warps >= offset);
        c.b.assign(all, fold(below, all));
        c.b.close();
        c.b.close();
        return all;
    }

    void look_back_for(const scalar& total) {
        const scalar shared = c.b.element(c.b.declare({c.name(v) + "_before", space::shared, type, {}}), {});
        look_back(c, v, total, how.tile, {how.lane, {}}, [&](const scalar& before) { c.b.assign(shared, before); });
        c.b.assign(carry(), shared);
    }

    row_scan how;
    int vector, lanes, warps;
    scalar lane;   ///< in the warp
    id up = none;  ///< by access: the inclusive scan over the lanes
};

}  // namespace

void scan_along_row(lowering& c, int scan, id elements, const row_scan& how) {
    row_scanner(c, scan, elements, how).write();
}

}  // namespace sinter::codegen::lower
