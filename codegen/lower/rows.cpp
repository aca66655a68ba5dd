// Row reductions: neighbouring threads share a group ("row") and walk along its inner axes.
#include <codegen/lower/all_groups.hpp>
#include <codegen/lower/column_folds.hpp>
#include <codegen/lower/grid_barrier.hpp>
#include <codegen/lower/group.hpp>
#include <codegen/lower/look_back.hpp>
#include <codegen/lower/row_fold.hpp>
#include <codegen/lower/split.hpp>
#include <codegen/lower/stages.hpp>
#include <codegen/lower/strategies.hpp>
#include <codegen/lower/thread_scans.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class rows_lowering {
public:
    explicit rows_lowering(lowering& shared) : c(shared), fold(shared) {
        walk.noun = "row";
        walk.distance = c.s.threads_per_output * c.s.vector_width;
        walk.step = walk.distance * c.s.unroll;
        walk.vectored = c.s.vector_width > 1;
        walk.scan_step = [this](int scan, id elements, bool again) {
            scan_along_row(c, scan, elements, {walk.lane, tile, again});
        };
        walk.column_fold = [this](int fold_of) { return columns.of_access(fold_of); };
    }

    void write() {
        locate_thread();
        if (folds_all) all_rows.open();
        columns.open();
        locate_block();
        if (!single) c.decompose(c.k.outer, row, layouts_of(c.k));
        group_lowering group(c, walk);
        group.start_views();
        const bool with_tail = single && c.s.vector_width > 1 && !has_scans(c.k);
        group.keep_in_registers(looks_back ? loop_part() : range(0), with_tail);
        stage_walk stages{[this](const std::vector<int>& reductions) { fold(reductions); },
                          [this](int l) { return range(l); }, with_tail};
        if (split) stages.partials = [this] { return partials(); };
        stages.parts = own_part.parts;
        if (syncs_grid) stages.synced = &*group_sync;
        lower_stages(c, group, stages);
        if (folds_all) fold_all_rows();
        if (clusters) c.b.barrier(barrier_scope::cluster, "no block ends while others may read its shared memory");
    }

private:
    // The thread's position in its row.
    void locate_thread() {
        if (c.s.threads_per_output == 1) return c.b.comment("Each thread computes one row.");
        const scalar thread = c.b.thread();
        const scalar lane = c.s.block_threads == c.s.threads_per_output ? thread : thread % c.s.threads_per_output;
        walk.lane = c.b.let_index(
            "lane", dtype::int32, lane,
            fmt::format("index among the {} threads of a {}", c.s.threads_per_output, all_go_on ? "block" : "row"));
        walk.first = times_vector(walk.lane);
        if (has_scans(c.k) && c.s.threads_per_output > warp && c.s.unroll > 1) {  // each warp scans a contiguous piece
            walk.distance = warp * c.s.vector_width;
            walk.first = walk.lane / warp * (walk.distance * c.s.unroll) + times_vector(walk.lane % warp);
        }
        walk.one_thread = walk.lane == 0;
    }

    // Chooses the row of the block or thread, and its part of the row.
    void locate_block() {
        if (syncs_grid) return locate_block_group();
        if (looks_back) {
            tile = acquire_tile(c, {"row", single ? scalar() : c.groups(), walk.step});
            row = tile.group;
            return;
        }
        if (split || clusters) return locate_part();
        if (single) return;
        const int per_block = groups_per_block(c.s);
        if (folds_all)
            c.b.comment(columns.empty() ? "Each block processes some of the rows, and folds the rows' results."
                                        : "Each block processes some of the rows, and folds their columns.");
        if (per_block == 1) {
            row = folds_all ? c.b.open_loop("row", c.index_type(), c.block_position(), c.groups(), c.b.grid(), 1)
                            : c.b.let_index("row", c.index_type(), c.block_position());
            return;
        }
        const scalar rows = c.groups();
        scalar tile_of_rows = c.block_position();
        if (folds_all) {
            const scalar tiles = c.b.let_index("tiles", c.index_type(), (rows + (per_block - 1)) / per_block);
            tile_of_rows = c.b.open_loop("tile", c.index_type(), tile_of_rows, tiles, c.b.grid(), 1);
        }
        c.b.comment(c.s.threads_per_output == 1
                        ? "Threads past the last row repeat it and store nothing."
                        : "Threads past the last row repeat it and store nothing: the shuffles and barriers "
                          "need whole warps.");
        const scalar own = c.s.threads_per_output > 1 ? c.b.thread() / c.s.threads_per_output : c.b.thread();
        const scalar place = c.b.let_index("position", c.index_type(), tile_of_rows * per_block + own);
        row = place;
        if (reads_rows()) row = c.b.let_index("row", c.index_type(), c.b.select(place < rows, place, rows - 1));
        walk.in_range = place < rows;
    }

    /// Whether an address depends on the row: not in min(sum(broadcast_to(x, ...), axis=1)), whose rows are alike.
    bool reads_rows() const {
        const auto moves = [&](int at) {
            return std::any_of(c.k.outer.begin(), c.k.outer.end(),
                               [&](int axis) { return stride_of(c.k, at, axis) != 0; });
        };
        return std::any_of(c.k.values.begin(), c.k.values.end(),
                           [&](const value& v) { return v.at >= 0 && moves(v.at); }) ||
               std::any_of(c.k.stores.begin(), c.k.stores.end(),
                           [&](const kernel_store& st) { return st.loop != kernel_level && moves(st.at); });
    }

    // Closes the loop over the block's rows and folds over all rows.
    void fold_all_rows() {
        if (columns.empty()) all_rows.add(walk.speaker());
        if (c.s.threads_per_output > warp) c.b.barrier(barrier_scope::block, "the next row reuses the shared arrays");
        c.b.close();
        if (!columns.empty()) return columns.close({walk.first, walk.distance});
        all_rows.close();
    }

    void locate_block_group() {
        group_sync.emplace(c, block_group_walk{"row",
                                               single ? scalar() : c.groups(),
                                               walk.distance,
                                               1,
                                               {},
                                               c.b.thread() == 0,
                                               c.b.thread(),
                                               c.s.block_threads});
        row = group_sync->open();
        walk.one_thread = walk.one_thread && group_sync->part() == 0;
    }

    void locate_part() {
        c.b.comment(split ? "Several blocks share each row, one part per block."
                          : "A cluster of blocks, which run at the same time, shares each row, one part per block.");
        scalar parts = c.b.grid();
        if (clusters)
            parts = c.b.integer(c.s.cluster);
        else if (!single)
            parts = parts / (c.s.wide_index ? c.b.index_cast(dtype::int32, c.groups()) : c.groups());
        own_part = split_range(c, single ? "" : "row", parts, c.trips(0), walk.distance, row);
        if (clusters) walk.one_thread = walk.one_thread && own_part.part == 0;
    }

    loop_part range(int l) const {
        return syncs_grid ? group_sync->range(l) : looks_back ? loop_part{tile.begin, {}} : own_part.range;
    }

    split_partials partials() {
        const auto place = [this](const scalar& p) { return single ? p : row * own_part.parts + p; };
        return {c.k.loops[0].reductions, "row", row, [this] { return c.b.block(); }, 1, c.b.thread() == 0, c.b.thread(),
                c.s.block_threads,       place};
    }

    scalar times_vector(const scalar& n) { return c.s.vector_width > 1 ? n * c.s.vector_width : n; }

    lowering& c;
    row_fold fold;
    const bool single = c.k.outer.empty();  ///< one row: its length need not be a multiple of vector_width
    const bool syncs_grid = c.s.grid_barrier;
    const bool clusters = c.s.cluster > 1;
    const bool folds_all = c.s.folding_blocks > 0;
    const bool all_go_on = syncs_grid || clusters;  ///< every block of a row needs its results
    const bool looks_back = c.s.blocks_per_output > 1 && has_scans(c.k);
    const bool split = c.s.blocks_per_output > 1 && !syncs_grid && !looks_back;
    group_walk walk;
    scalar row;
    block_part own_part;  ///< if split or in a cluster
    acquired_tile tile;
    all_groups_lowering all_rows{c};
    column_folds_lowering columns{c};
    std::optional<block_group_lowering> group_sync;
};

}  // namespace

void lower_rows(lowering& c) { rows_lowering(c).write(); }

}  // namespace sinter::codegen::lower
