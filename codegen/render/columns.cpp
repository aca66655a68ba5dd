// Columns: neighbouring threads stand on neighbouring groups ("columns"), so that their accesses merge; a column's
// inner axes are dealt to several rows of threads.
#include <codegen/render/grid_barrier.hpp>
#include <codegen/render/group.hpp>
#include <codegen/render/look_back.hpp>
#include <codegen/render/running.hpp>
#include <codegen/render/split.hpp>

namespace sinter::codegen {

namespace {

// Folds the partial results of a column's threads into one, which every thread of the column gets.
void combine_columns(context& c, const std::vector<int>& reductions, bool declare) {
    const int rows = c.s.group;
    if (rows == 1) return;
    const std::string mine = c.has_neighbours() ? "[e][thread_column]" : "[thread_column]";
    c.out.comment(
        "The threads of a column meet in shared memory: half of them fold in the other half, until one is left.");
    if (declare)
        for (int r : reductions)
            c.out.line("__shared__ {} {}_of_thread[{}]{}[{}];", c.type(c.at(r).type), c.name(r), rows, c.neighbours(),
                       c.s.block / rows);
    c.open_neighbours();
    for (int r : reductions) c.out.line("{}_of_thread[thread_row]{} = {};", c.name(r), mine, c.own(r));
    c.close_neighbours();
    c.out.line("__syncthreads();");
    c.out.open("for (int half = {}; half > 0; half /= 2)", rows / 2);
    c.out.open("if (thread_row < half)");
    c.open_neighbours();
    for (int r : reductions) {
        const std::string shared = c.name(r) + "_of_thread";
        c.out.line("{} = {};", c.own(r), c.combine(r, c.own(r), shared + "[thread_row + half]" + mine));
        c.out.line("{}[thread_row]{} = {};", shared, mine, c.own(r));
    }
    c.close_neighbours();
    c.out.close();
    c.out.line("__syncthreads();");
    c.out.close();
    c.open_neighbours();
    for (int r : reductions) c.out.line("{} = {}_of_thread[0]{};", c.own(r), c.name(r), mine);
    c.close_neighbours();
}

}  // namespace

std::vector<element_function> render_columns(context& c) {
    const int columns = groups_per_block(c.s), across = c.s.block / c.s.group;
    const bool meets = c.s.grid_barrier;
    const bool looks_back = c.s.split > 1 && has_scans(c.k);
    const bool split = c.s.split > 1 && !meets && !looks_back;
    const std::string index = c.index_type();

    group_walk walk;
    walk.noun = "column";
    walk.distance = c.s.group;
    walk.step = c.s.group * c.s.unroll;
    walk.vectored = c.has_neighbours();
    walk.first = c.s.group > 1 ? "thread_row" : "0";
    if (has_scans(c.k)) {  // threads run along neighbours
        walk.distance = 1;
        if (c.s.group > 1 && c.s.unroll > 1) walk.first += fmt::format(" * {}", c.s.unroll);
        walk.run_along = [&c](int scan, bool again) { run_along_columns(c, scan, again); };
    }
    walk.one_thread = c.s.group > 1 ? "thread_row == 0" : "";
    if (meets) walk.one_thread += walk.one_thread.empty() ? "part == 0" : " && part == 0";
    walk.in_range = "place < " + c.groups();

    c.out.comment(
        fmt::format("A block is {} columns wide{}. Threads past the last column repeat it and store nothing: they "
                    "must be there for the barriers.",
                    columns, c.has_neighbours() ? fmt::format(", {} for each thread across", c.s.vector) : ""));
    c.out.line("const int thread_column = threadIdx.x % {};", across);
    if (c.s.group > 1) c.out.line("const int thread_row = threadIdx.x / {};", across);
    std::string tile = c.s.wide_index ? index + "(blockIdx.x)" : "blockIdx.x";
    const std::string slot = c.has_neighbours() ? fmt::format("e * {} + thread_column", across) : "thread_column";
    team_renderer team(c, {"tile", "tiles", c.s.group, columns, slot, c.s.group > 1 ? "thread_row == 0" : "true",
                           c.s.group > 1 ? "thread_row" : "0", c.s.group});
    if (meets) {
        tile = "tile";
        c.out.line("const {0} tiles = ({1} + {2}) / {3};", index, c.groups(), columns - 1, columns);
        team.open();
    } else if (looks_back) {
        tile = c.s.wide_index ? index + "(tile)" : "tile";
        c.out.line("const int tiles = ({} + {}) / {};", c.groups(), columns - 1, columns);
        draw_tile(c, {"tile", "tiles", walk.step});
    } else if (split) {
        tile = "tile";
        c.out.comment("Every tile of columns is shared by several blocks; each takes one part of its inner axes.");
        c.out.line("const int tiles = ({} + {}) / {};", c.groups(), columns - 1, columns);
        split_range(c, tile, "gridDim.x / tiles", c.trips(0), c.s.group);
        if (c.s.wide_index) tile = index + "(tile)";
    }
    c.out.line("const {} place = {} * {} + thread_column{};", index, tile, columns,
               c.has_neighbours() ? fmt::format(" * {}", c.s.vector) : "");
    c.out.line("const {0} column = place < {1} ? place : {1} - {2};", index, c.groups(), c.s.vector);
    c.decompose(c.k.outer, "column", layouts_of(c.k));

    group_renderer group(c, walk);
    group.start_pointers();
    group.resident(meets ? team.begin(0) : "", meets ? team.end(0) : "");
    group.stage(0);
    const split_partials partials{"tile",
                                  "tile",
                                  fmt::format("blockIdx.x * {} + {}", columns, slot),
                                  columns,
                                  c.s.group > 1 ? "thread_row == 0" : "true",
                                  c.s.group > 1 ? "thread_row" : "0",
                                  c.s.group,
                                  fmt::format("(tile * parts + p) * {} + {}", columns, slot)};
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
        const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
        c.out.blank();
        group.loop(l, meets || split ? team.begin(l) : looks_back ? "begin" : "", meets || split ? team.end(l) : "");
        if (!reductions.empty()) combine_columns(c, reductions, true);
        if (split) {
            leave_partials(c, partials);
            combine_columns(c, reductions, false);
            reset_ticket(c, partials);
        }
        if (meets && !reductions.empty()) {
            team.meet(l);
            combine_columns(c, reductions, false);
        }
        group.stage(l + 1);
    }
    group.stores();
    if (meets) team.close();
    return group.take_functions();
}

}  // namespace sinter::codegen
