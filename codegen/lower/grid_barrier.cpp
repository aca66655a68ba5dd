// Groups of blocks, their barrier and their results.
//
// Two sets of results suffice. A block that has finished the current row writes the next row's results while a slower
// block may still read the current ones. It overwrites the current set only for the row after next, that is, after the
// slower block has arrived at the next row's barrier and so has read them.
#include <codegen/lower/grid_barrier.hpp>

#include <codegen/lower/workspace.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {
constexpr int barrier_bytes = 128;  ///< one cache line per counter
}

scalar block_group_lowering::open() {
    const bool several = static_cast<bool>(walk.groups);
    c.b.comment(fmt::format(
        "A group of blocks shares each {0}, one part per block. All blocks of the launch are resident at the same "
        "time, so they may wait for each other.{1}",
        walk.noun,
        several ? fmt::format(" A group processes the {0}s block_group, block_group + block_groups, ...", walk.noun)
                : ""));
    scalar block_groups;
    if (several) {
        of.parts = c.parts();
        block_groups = c.b.let_index("block_groups", dtype::int32, c.b.grid() / of.parts);
        block_group = c.b.let_index("block_group", dtype::int32, c.b.block() / of.parts);
        of.part = c.b.let_index("part", dtype::int32, c.b.block() % of.parts);
    } else {
        of.parts = c.b.let_index("parts", dtype::int32, c.b.grid());
        of.part = c.b.let_index("part", dtype::int32, c.b.block());
    }
    // register-cached loops all have the same trip count
    const bool alike = c.s.register_cached || c.k.loops.size() == 1;
    for (int l = 0; l < (alike ? 1 : static_cast<int>(c.k.loops.size())); ++l)
        ranges.push_back(part_range(c, of, alike ? "" : fmt::format("_{}", l), c.trips(l), walk.step));
    c.b.blank();
    c.b.comment(
        several
            ? "In the workspace: a counter for the barrier of each group of blocks, then the parts' partial results."
            : "In the workspace: a counter for the barrier, then the parts' partial results.");
    array counter{"arrived", space::global, dtype::uint32, {}}, bytes{"results", space::global, dtype::uint8, {}};
    counter.is_index = bytes.is_index = true;
    arrived = c.b.carve(counter, c.workspace(), several ? block_group * barrier_bytes : scalar());
    results = c.b.carve(bytes, c.workspace(), several ? block_groups * barrier_bytes : c.b.integer(barrier_bytes));
    if (!several) return {};
    parity = c.b.index_variable(
        "parity", dtype::int32, c.b.integer(0),
        fmt::format("selects one of two sets of results: some blocks may be one {} ahead", walk.noun));
    return c.b.open_loop(walk.noun, c.index_type(), block_group, walk.groups, block_groups);
}

void block_group_lowering::close() {
    if (!walk.groups) return;
    c.b.assign(parity, 1 - parity);
    c.b.barrier(barrier_scope::block, fmt::format("the next {} reuses the shared arrays", walk.noun));
    c.b.close();
}

void block_group_lowering::sync(int l) {
    const bool several = static_cast<bool>(walk.groups);
    partial_results all{c.k.loops[static_cast<std::size_t>(l)].reductions, {}};
    const auto slot = [&](const scalar& part) { return walk.slots > 1 ? part * walk.slots + walk.column() : part; };
    c.b.blank();
    c.b.comment(
        "Publish the part's partial result. Once all blocks of the group have done so, each folds the results of all "
        "parts, in the order of the parts.");
    for (int r : all.reductions) {
        const int size = partial_bytes(c.k) * walk.slots;
        const int before = left++ * size;  // a block's bytes before this result
        scalar first_byte, offset;
        if (several) {
            const scalar own = parity * size;
            first_byte = (before > 0 ? 2 * before + own : own) * c.b.grid();
            offset = walk.slots > 1 ? block_group * of.parts * walk.slots : block_group * of.parts;
        } else if (before > 0) {
            first_byte = before * c.b.grid();
        }
        all.arrays.push_back(
            c.b.carve({c.name(r) + "_of_part", space::global, c.at(r).type, {}}, results, first_byte, offset));
    }
    if (walk.writer) c.b.open_branch(walk.writer);
    c.open_neighbours();
    for (std::size_t i = 0; i < all.reductions.size(); ++i)
        c.b.assign(c.b.memory(all.arrays[i], {{-1, slot(of.part).at, none}}), c.operand(all.reductions[i]));
    c.close_neighbours();
    if (walk.writer) c.b.close();
    c.b.barrier_of_blocks(c.b.memory(arrived, {}), of.part, of.parts);
    fold_parts(c, all, of.parts, walk.first, walk.distance, slot);
}

std::size_t grid_barrier_bytes(const loop_nest& k, const schedule& s, std::size_t slots) {
    std::size_t reductions = 0;
    for (const inner_loop& l : k.loops) reductions += l.reductions.size();
    return static_cast<std::size_t>(s.block_groups) * barrier_bytes +
           2 * reductions * slots * static_cast<std::size_t>(partial_bytes(k));
}

}  // namespace sinter::codegen::lower
