// Sizes of workspaces.
#include <codegen/lower/workspace.hpp>

#include <codegen/lower/grid_barrier.hpp>
#include <codegen/lower/look_back.hpp>
#include <codegen/schedule/tensor.hpp>

#include <algorithm>

namespace sinter::codegen {

int partial_bytes(const loop_nest& k) {
    std::size_t widest = 8;
    for (const value& v : k.values)
        if (v.what == value_kind::reduce || v.what == value_kind::scan) widest = std::max(widest, size_of(v.type));
    return static_cast<int>(widest);
}

namespace {

/// Of a product's blocks: the folds of each row of a tile, or its sums.
std::size_t bytes_of_products(const loop_nest& k, const schedule& s) {
    const tensor_tile& t = s.tensor;
    const std::size_t maps = static_cast<std::size_t>(t.persistent_blocks) * maps_of_block_bytes;
    if (s.blocks_per_output <= 1) return maps + (t.divides_steps ? ticket_of_block_bytes : 0);
    const auto folds = static_cast<std::size_t>(t.rows * partial_bytes(k)) * k.loops.back().reductions.size();
    const auto sums = static_cast<std::size_t>(t.rows * t.columns) * sizeof(float);
    const std::int64_t blocks = tiles_of(k, t) * (t.divides_steps ? s.blocks_per_output : 1);
    return maps + static_cast<std::size_t>(blocks) * (ticket_of_block_bytes + (folds_product(k, t) ? folds : sums));
}

/// Of a contraction whose blocks share tiles: the results of all threads.
std::size_t bytes_of_shares(const loop_nest& k, const schedule& s) {
    if (s.blocks_per_output <= 1) return 0;
    std::size_t of_result = 0;
    for (int r : k.loops[0].reductions) of_result += size_of(k.values[static_cast<std::size_t>(r)].type);
    const contraction_tile& t = s.product;
    const auto results = static_cast<std::size_t>(t.thread_rows * t.thread_columns * t.rows * t.columns);
    return static_cast<std::size_t>(grid_size(k, s)) * (ticket_of_block_bytes + results * of_result);
}

}  // namespace

std::size_t workspace_bytes(const loop_nest& k, const schedule& s) {
    const auto bytes_of = [&](std::size_t reductions, std::size_t slots) {
        return ticket_bytes + reductions * slots * static_cast<std::size_t>(partial_bytes(k));
    };
    if (k.block_axis >= 0) return 0;
    if (s.folding_blocks > 1) return bytes_of(group_folds(k).size(), static_cast<std::size_t>(s.folding_blocks));
    if (s.form == schedule_form::tensor) return bytes_of_products(k, s);
    if (s.form == schedule_form::contraction) return bytes_of_shares(k, s);
    if (s.blocks_per_output <= 1 && !s.grid_barrier) return 0;
    const auto slots = static_cast<std::size_t>(grid_size(k, s)) *
                       static_cast<std::size_t>(s.form == schedule_form::columns ? groups_per_block(s) : 1);
    if (s.grid_barrier) return lower::grid_barrier_bytes(k, s, slots);
    if (has_scans(k)) return lower::look_back_bytes(k, s);
    return bytes_of(k.loops.at(0).reductions.size(), slots);
}

}  // namespace sinter::codegen
