// Scans across the threads of a column.
#include <codegen/lower/thread_scan.hpp>
#include <codegen/lower/thread_scans.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class column_scanner : thread_scan {
public:
    column_scanner(lowering& shared, int scan, id held, const column_scan& with)
        : thread_scan(shared, scan, held),
          how(with),
          across(shared.s.block_threads / shared.s.threads_per_output),
          layers(std::min(shared.s.threads_per_output, shared.s.block_threads / warp)) {}

    void write() {
        if (c.s.threads_per_output == 1) {
            c.open_unroll();
            c.open_neighbours();
            alone(element(c.access));
            c.close_neighbours();
            return c.close_unroll();
        }
        c.b.comment(
            fmt::format("Each thread scans its own elements{}. {} stores its total in shared memory. Then the totals "
                        "above are folded in.",
                        across < warp ? ", and shuffles scan the totals of its warp's thread rows" : "",
                        across < warp ? "Each warp" : "Each thread row"));
        down_the_thread_rows();
        if (c.s.blocks_per_output > 1) look_back_above();
        c.open_neighbours();
        const scalar before = prefix();
        if (across < warp) {
            const scalar above =
                c.b.let("above", type, c.b.exchange(exchange_pattern::up, own_up(), c.b.integer(across)));
            c.b.open_branch(c.b.thread() % warp >= across);
            c.b.assign(before, fold(before, above));
            c.b.close();
        }
        add_before(
            before, [&](const scalar& u) { return element(u); }, c.s.unroll, "u");
        c.close_neighbours();
        if (how.again) c.b.barrier(barrier_scope::block, "the next step reuses the shared array");
    }

private:
    scalar element(const scalar& u) const {
        std::vector<scalar> indices;
        if (c.s.unroll > 1) indices.push_back(u);
        if (c.has_neighbours()) indices.push_back(c.neighbour);
        return c.b.element(elements, indices);
    }
    const scalar& layer() const { return across < warp ? of_warp : how.thread_row; }
    scalar place(const scalar& row) const { return c.b.element(of_layer, {row, column_slot(c, how.thread_column)}); }
    scalar own_up() const { return c.has_neighbours() ? c.b.element(up, {c.neighbour}) : c.b.element(up, {}); }

    // Scans within each layer and writes the layers' totals to shared memory. A layer is a warp, or one thread row.
    void down_the_thread_rows() {
        const int unroll = c.s.unroll;
        of_layer = c.b.declare({c.name(v) + "_of_layer", space::shared, type, {layers, groups_per_block(c.s)}});
        if (unroll > 1) {
            const scalar u = c.b.open_loop("u", dtype::int32, c.b.integer(1), c.b.integer(unroll), c.b.integer(1), 0);
            c.open_neighbours();
            c.b.assign(element(u), fold(element(u - 1), element(u)));
            c.close_neighbours();
            c.b.close();
        }
        const auto all = [&] { return element(c.b.integer(unroll - 1)); };
        if (across < warp) {
            down_the_warp(all);
        } else {
            c.open_neighbours();
            c.b.assign(place(layer()), all());
            c.close_neighbours();
        }
        c.b.barrier(barrier_scope::block);
    }

    template <class Elements>
    void down_the_warp(Elements all) {
        of_warp = c.b.let_index("layer", dtype::int32, c.b.thread() / warp);
        array held{c.name(v) + "_up", space::registers, type, {}};
        if (c.has_neighbours()) held.extents.push_back(c.s.vector_width);
        up = c.b.declare(held);
        c.open_neighbours();
        c.b.assign(own_up(), all());
        const scalar offset = c.b.open_doubling("offset", across, warp, 0);
        const scalar above = c.b.let("above", type, c.b.exchange(exchange_pattern::up, own_up(), offset));
        c.b.open_branch(c.b.index_cast(dtype::int32, c.b.thread() % warp) >= offset);
        c.b.assign(own_up(), fold(above, own_up()));
        c.b.close();
        c.b.close();
        c.b.open_branch(c.b.thread() % warp >= warp - across);
        c.b.assign(place(layer()), own_up());
        c.b.close();
        c.close_neighbours();
    }

    scalar prefix() {
        if (c.s.blocks_per_output > 1) return c.b.variable_of("before", type, place(layer()));
        const scalar before = c.b.variable_of("before", type, carry());
        const scalar r = c.b.open_unrolled("r", layers);
        c.b.open_branch(r == layer());
        c.b.assign(before, carry());
        c.b.close();
        c.b.assign(carry(), fold(carry(), place(r)));
        c.b.close();
        return before;
    }

    // One thread per column replaces the totals of the layers by exclusive prefixes.
    void look_back_above() {
        const auto mine = [&](const scalar& r) { return c.b.element(of_layer, {r, c.b.thread()}); };
        const scalar total = c.b.variable_of(c.name(v) + "_total", type, c.identity(v));
        c.b.open_branch(c.b.thread() < groups_per_block(c.s));
        scalar r = c.b.open_unrolled("r", layers);
        const scalar of_this = c.b.let("of_this", type, mine(r));
        c.b.assign(mine(r), total);
        c.b.assign(total, fold(total, of_this));
        c.b.close();
        c.b.close();
        look_back(c, v, total, how.tile, {how.thread_row, how.thread_column}, [&](const scalar& before) {
            const scalar above = c.b.let("above", type, before);
            r = c.b.open_unrolled("r", layers);
            c.b.assign(mine(r), fold(above, mine(r)));
            c.b.close();
        });
    }

    column_scan how;
    int across, layers;
    id of_layer = none;  ///< shared memory: total of each layer, by column
    id up = none;        ///< total of the thread and those above it in its warp
    scalar of_warp;
};

}  // namespace

void scan_along_columns(lowering& c, int scan, id elements, const column_scan& how) {
    column_scanner(c, scan, elements, how).write();
}

}  // namespace sinter::codegen::lower
