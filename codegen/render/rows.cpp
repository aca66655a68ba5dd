// Rows: neighbouring threads share a group ("row") and go along its inner axes.
#include <codegen/render/grid_barrier.hpp>
#include <codegen/render/group.hpp>
#include <codegen/render/look_back.hpp>
#include <codegen/render/running.hpp>
#include <codegen/render/split.hpp>

namespace sinter::codegen {

namespace {

constexpr int warp = 32;

// Folds the partial results of a row's threads into one, which every thread of the row gets.
class row_combiner {
public:
    explicit row_combiner(context& shared) : c(shared) {}

    /// `again`: for the second time, through the same shared arrays.
    void operator()(const std::vector<int>& reductions, bool again = false) {
        const int lanes = c.s.group < warp ? c.s.group : warp;
        if (lanes > 1) {
            c.out.comment(
                "Butterfly: at every step each lane folds in the result of the lane `offset` away, so that in "
                "the end all of them hold the same.");
            butterfly(reductions, lanes);
        }
        if (c.s.group > warp) across_warps(reductions, again);
        if (c.s.cluster > 1) across_blocks(reductions);
    }

private:
    void butterfly(const std::vector<int>& reductions, int lanes) {
        c.out.line("#pragma unroll");
        if (reductions.size() > 1)
            c.out.open("for (int offset = {}; offset > 0; offset /= 2)", lanes / 2);
        else {
            c.out.line("for (int offset = {}; offset > 0; offset /= 2)", lanes / 2);
            c.out.indent();
        }
        for (int r : reductions)
            c.out.line("{} = {};", c.name(r),
                       c.combine(r, c.name(r), fmt::format("__shfl_xor_sync(0xffffffffu, {}, offset)", c.name(r))));
        if (reductions.size() > 1)
            c.out.close();
        else
            c.out.outdent();
    }

    void across_warps(const std::vector<int>& reductions, bool again) {
        const int warps = c.s.group / warp;
        c.out.comment("The warps of a row meet in shared memory; then every warp folds all their results.");
        for (int r : reductions) {
            if (!again) c.out.line("__shared__ {} {}_of_warp[{}];", c.type(c.at(r).type), c.name(r), c.s.block / warp);
            c.out.line("if (threadIdx.x % 32 == 0) {0}_of_warp[threadIdx.x / 32] = {0};", c.name(r));
        }
        c.out.line("__syncthreads();");
        // a warp's own lanes repeat the results of the row's warps, so that the butterfly needs no special cases
        const std::string first =
            c.s.block == c.s.group ? "" : fmt::format("threadIdx.x / {} * {} + ", c.s.group, warps);
        for (int r : reductions) c.out.line("{0} = {0}_of_warp[{1}threadIdx.x % {2}];", c.name(r), first, warps);
        butterfly(reductions, warps);
    }

    void across_blocks(const std::vector<int>& reductions) {
        c.out.comment("The blocks of the cluster read each other's results; then every warp folds them all.");
        for (int r : reductions) {
            c.out.line("__shared__ {} {}_of_block;", c.type(c.at(r).type), c.name(r));
            c.out.line("if (threadIdx.x == 0) {0}_of_block = {0};", c.name(r));
        }
        c.out.line("meet_cluster();");
        for (int r : reductions) c.out.line("{0} = in_block({0}_of_block, threadIdx.x % {1});", c.name(r), c.s.cluster);
        butterfly(reductions, c.s.cluster);
    }

    context& c;
};

}  // namespace

std::vector<element_function> render_rows(context& c) {
    const int per_block = groups_per_block(c.s);
    const bool single = c.k.outer.empty();  // one row: its length need not be a multiple of the vector
    const bool meets = c.s.grid_barrier;
    const bool clusters = c.s.cluster > 1;
    const bool all_go_on = meets || clusters;  // every block of a row needs its results
    const bool looks_back = c.s.split > 1 && has_scans(c.k);
    const bool split = c.s.split > 1 && !meets && !looks_back;
    const std::string index = c.index_type();
    const std::string block_index = c.s.wide_index ? index + "(blockIdx.x)" : "blockIdx.x";

    group_walk walk;
    walk.noun = "row";
    walk.distance = c.s.group * c.s.vector;
    walk.step = walk.distance * c.s.unroll;
    walk.run_along = [&c](int scan, bool again) { run_along_row(c, scan, again); };
    walk.vectored = c.s.vector > 1;
    if (c.s.group == 1) {
        c.out.comment("A thread has a row to itself.");
        walk.first = "0";
    } else {
        const std::string lane = c.s.block == c.s.group ? "threadIdx.x" : fmt::format("threadIdx.x % {}", c.s.group);
        c.out.line("const int lane = {};  // place among the {} threads of a {}", lane, c.s.group,
                   all_go_on ? "block" : "row");
        walk.first = c.s.vector > 1 ? fmt::format("lane * {}", c.s.vector) : "lane";
        if (has_scans(c.k) && c.s.group > warp && c.s.unroll > 1) {  // each warp runs along a piece of its own
            walk.distance = warp * c.s.vector;
            walk.first = fmt::format("lane / 32 * {} + lane % 32", walk.distance * c.s.unroll) +
                         (c.s.vector > 1 ? fmt::format(" * {}", c.s.vector) : "");
        }
        walk.one_thread = all_go_on ? "lane == 0 && part == 0" : "lane == 0";
    }
    team_renderer team(c, {"row", meets && !single ? c.groups() : "", walk.distance, 1, "", "threadIdx.x == 0",
                           "threadIdx.x", c.s.block});
    if (meets) {
        team.open();
    } else if (looks_back) {
        draw_tile(c, {"row", single ? "" : c.groups(), walk.step});
    } else if (split || clusters) {
        c.out.comment(
            split ? "Every row is shared by several blocks; each takes one part of it."
                  : "Every row is shared by a cluster of blocks, which run at once; each takes one part of it.");
        std::string parts = "gridDim.x";
        if (clusters)
            parts = std::to_string(c.s.cluster);
        else if (!single)
            parts += c.s.wide_index ? " / int(" + c.groups() + ")" : " / " + c.groups();
        split_range(c, single ? "" : "row", parts, c.trips(0), walk.distance);
    } else if (!single && per_block == 1) {
        c.out.line("const {} row = {};", index, block_index);
    } else if (!single) {
        c.out.comment(c.s.group == 1
                          ? "Threads past the last row repeat it and store nothing."
                          : "Threads past the last row repeat it and store nothing: the shuffles and barriers "
                            "need whole warps.");
        c.out.line("const {} place = {} * {} + threadIdx.x{};", index, block_index, per_block,
                   c.s.group > 1 ? fmt::format(" / {}", c.s.group) : "");
        c.out.line("const {0} row = place < {1} ? place : {1} - 1;", index, c.groups());
        walk.in_range = "place < " + c.groups();
    }
    if (!single) c.decompose(c.k.outer, "row", layouts_of(c.k));

    group_renderer group(c, walk);
    group.start_pointers();
    const bool with_tail = single && c.s.vector > 1 && !has_scans(c.k);
    const bool in_parts = all_go_on || split;
    group.resident(in_parts ? team.begin(0) : "", in_parts ? team.end(0) : "", with_tail);
    group.stage(0);
    row_combiner combine(c);
    const split_partials partials{"row",
                                  single ? "0" : "row",
                                  "blockIdx.x",
                                  1,
                                  "threadIdx.x == 0",
                                  "threadIdx.x",
                                  c.s.block,
                                  single ? "p" : "row * parts + p"};
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
        const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
        c.out.blank();
        group.loop(l, in_parts ? team.begin(l) : looks_back ? "begin" : "", in_parts ? team.end(l) : "", with_tail);
        if (!reductions.empty()) combine(reductions);
        if (split) {
            leave_partials(c, partials);
            combine(reductions, true);
            reset_ticket(c, partials);
        }
        if (meets && !reductions.empty()) {
            team.meet(l);
            combine(reductions, true);
        }
        group.stage(l + 1);
    }
    group.stores();
    if (meets) team.close();
    if (clusters) c.out.line("meet_cluster();  // a block's shared memory is there as long as others may read it");
    return group.take_functions();
}

}  // namespace sinter::codegen
