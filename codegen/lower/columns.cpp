// Column reductions: neighbouring threads take neighbouring groups ("columns"), so that their accesses coalesce. The
// inner axes of a column are divided among several rows of threads.
#include <codegen/lower/all_groups.hpp>
#include <codegen/lower/grid_barrier.hpp>
#include <codegen/lower/group.hpp>
#include <codegen/lower/look_back.hpp>
#include <codegen/lower/split.hpp>
#include <codegen/lower/stages.hpp>
#include <codegen/lower/strategies.hpp>
#include <codegen/lower/thread_scans.hpp>

#include <fmt/format.h>

#include <map>
#include <optional>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// Folds the partial results of a column's threads into one, which every thread of the column receives.
class column_fold {
public:
    column_fold(lowering& shared, const scalar& row, const scalar& column)
        : c(shared), thread_row(row), thread_column(column) {}

    void operator()(const std::vector<int>& reductions) {
        const int rows = c.s.threads_per_output;
        if (rows == 1) return;
        c.b.comment("Tree reduction over the threads of a column, in shared memory.");
        for (int r : reductions) declare(r);
        c.open_neighbours();
        for (int r : reductions) c.b.assign(of_thread(r, thread_row), c.operand(r));
        c.close_neighbours();
        c.b.barrier(barrier_scope::block);
        const scalar half = c.b.open_halving("half", rows / 2);
        c.b.open_branch(thread_row < half);
        c.open_neighbours();
        for (int r : reductions) {
            c.b.assign(c.operand(r), c.combine(r, c.operand(r), of_thread(r, thread_row + half)));
            c.b.assign(of_thread(r, thread_row), c.operand(r));
        }
        c.close_neighbours();
        c.b.close();
        c.b.barrier(barrier_scope::block);
        c.b.close();
        c.open_neighbours();
        for (int r : reductions) c.b.assign(c.operand(r), of_thread(r, c.b.integer(0)));
        c.close_neighbours();
    }

private:
    void declare(int r) {
        if (arrays.count(r) != 0) return;
        array a{c.name(r) + "_of_thread", space::shared, c.at(r).type, {c.s.threads_per_output}};
        if (c.has_neighbours()) a.extents.push_back(c.s.vector_width);
        a.extents.push_back(c.s.block_threads / c.s.threads_per_output);
        arrays[r] = c.b.declare(a);
    }

    scalar of_thread(int r, const scalar& row) {
        std::vector<scalar> indices{row};
        if (c.has_neighbours()) indices.push_back(c.neighbour);
        indices.push_back(thread_column);
        return c.b.element(arrays.at(r), indices);
    }

    lowering& c;
    scalar thread_row, thread_column;
    std::map<int, id> arrays;
};

class columns_lowering {
public:
    explicit columns_lowering(lowering& shared) : c(shared) {
        walk.noun = "column";
        walk.distance = c.s.threads_per_output;
        walk.step = c.s.threads_per_output * c.s.unroll;
        walk.vectored = c.has_neighbours();
    }

    void write() {
        locate_thread();
        if (folds_all) all_columns.open();
        locate_tile();
        locate_column();
        group_lowering group(c, walk);
        group.start_views();
        group.keep_in_registers(syncs_grid ? range(0) : loop_part());
        column_fold fold(c, thread_row, thread_column);
        stage_walk stages{[&fold](const std::vector<int>& reductions) { fold(reductions); },
                          [this](int l) { return range(l); }};
        if (split) stages.partials = [this] { return partials(); };
        stages.parts = own_part.parts;
        if (syncs_grid) stages.synced = &*group_sync;
        lower_stages(c, group, stages);
        if (folds_all) fold_all_columns();
    }

private:
    void locate_thread() {
        c.b.comment(
            fmt::format("A block covers {} columns{}. Threads past the last column repeat it and store nothing, "
                        "because all threads must reach the barriers.",
                        columns, c.has_neighbours() ? fmt::format(", {} per thread across", c.s.vector_width) : ""));
        thread_column = c.b.let_index("thread_column", dtype::int32, c.b.thread() % across);
        if (c.s.threads_per_output > 1) {
            thread_row = c.b.let_index("thread_row", dtype::int32, c.b.thread() / across);
            walk.first = thread_row;
            walk.one_thread = thread_row == 0;
        }
        if (!has_scans(c.k)) return;
        walk.distance = 1;  // threads scan neighbours
        if (c.s.threads_per_output > 1 && c.s.unroll > 1) walk.first = thread_row * c.s.unroll;
        walk.scan_step = [this](int scan, id elements, bool again) {
            scan_along_columns(c, scan, elements, {thread_row, thread_column, acquired, again});
        };
    }

    // Chooses the block's tile of columns and its part of the inner axes.
    void locate_tile() {
        const dtype index = c.index_type();
        const auto tiles = [&](dtype type) {
            return c.b.let_index("tiles", type, (c.groups() + (columns - 1)) / columns);
        };
        tile = c.block_position();
        if (folds_all) {
            c.b.comment("Each block processes some of the tiles of columns, and folds the columns' results.");
            tile = c.b.open_loop("tile", index, tile, tiles(index), c.b.grid(), 1);
        } else if (syncs_grid) {
            const scalar count = tiles(index);
            group_sync.emplace(
                c, block_group_walk{"tile", count, c.s.threads_per_output, columns, [this] { return slot(); },
                                    walk.one_thread, first_part(), c.s.threads_per_output});
            tile = group_sync->open();
            walk.one_thread = walk.one_thread ? walk.one_thread && group_sync->part() == 0 : group_sync->part() == 0;
        } else if (looks_back) {
            acquired = acquire_tile(c, {"tile", tiles(dtype::int32), walk.step});
            tile = c.s.wide_index ? c.b.index_cast(index, acquired.group) : acquired.group;
        } else if (split) {
            c.b.comment("Several blocks share each tile of columns, one part of its inner axes per block.");
            const scalar count = tiles(dtype::int32);
            own_part = split_range(c, "tile", c.b.grid() / count, c.trips(0), c.s.threads_per_output, tile_number);
            tile = c.s.wide_index ? c.b.index_cast(index, tile_number) : tile_number;
        }
    }

    // Closes the loop over the block's tiles and folds over all columns.
    void fold_all_columns() {
        all_columns.add(walk.speaker());
        if (c.s.threads_per_output > 1) c.b.barrier(barrier_scope::block, "the next tile reuses the shared arrays");
        c.b.close();
        all_columns.close();
    }

    void locate_column() {
        const scalar own = c.has_neighbours() ? thread_column * c.s.vector_width : thread_column;
        const scalar place = c.b.let_index("position", c.index_type(), tile * columns + own);
        const scalar all = c.groups();
        const scalar column =
            c.b.let_index("column", c.index_type(), c.b.select(place < all, place, all - c.s.vector_width));
        walk.in_range = place < all;
        c.decompose(c.k.outer, column, layouts_of(c.k));
    }

    loop_part range(int l) const {
        return syncs_grid ? group_sync->range(l) : looks_back ? loop_part{acquired.begin, {}} : own_part.range;
    }

    // Index of a thread's result among those of its block.
    scalar slot() { return c.has_neighbours() ? c.neighbour * across + thread_column : thread_column; }
    scalar first_part() { return c.s.threads_per_output > 1 ? thread_row : c.b.integer(0); }

    split_partials partials() {
        const auto place = [this](const scalar& p) { return (tile_number * own_part.parts + p) * columns + slot(); };
        return {c.k.loops[0].reductions,
                "tile",
                tile_number,
                [this] { return c.b.block() * columns + slot(); },
                columns,
                walk.one_thread,
                first_part(),
                c.s.threads_per_output,
                place};
    }

    lowering& c;
    const int columns = groups_per_block(c.s), across = c.s.block_threads / c.s.threads_per_output;
    const bool syncs_grid = c.s.grid_barrier;
    const bool looks_back = c.s.blocks_per_output > 1 && has_scans(c.k);
    const bool split = c.s.blocks_per_output > 1 && !syncs_grid && !looks_back;
    const bool folds_all = c.s.folding_blocks > 0;
    group_walk walk;
    scalar thread_row, thread_column, tile, tile_number;
    block_part own_part;
    acquired_tile acquired;
    all_groups_lowering all_columns{c};
    std::optional<block_group_lowering> group_sync;
};

}  // namespace

void lower_columns(lowering& c) { columns_lowering(c).write(); }

}  // namespace sinter::codegen::lower
