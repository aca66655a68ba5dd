// Reductions along the columns of a product, as in max(matmul(x, y), axis=1), without storing the product. A block
// computes a tile of the product in registers, what follows each sum, and the folds of its part of each row. Several
// blocks share the columns of a row, one tile each: there are mostly too few tiles of rows for all multiprocessors. The
// last of them folds the others' results, in the order of the tiles.
#include <codegen/schedule/tensor.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Of all blocks and reductions: a gigabyte.
constexpr std::int64_t max_partial_results = std::int64_t{1} << 26;

}  // namespace

std::optional<tensor_factors> folded_factors_of(const loop_nest& k) {
    if (k.nest_axis < 0 || k.loops.size() != 2 || has_scans(k) || folds_groups(k)) return std::nullopt;
    if (!is_nested(k, 0) || k.loops[1].reductions.empty() || k.loops[1].axes.size() != 1) return std::nullopt;
    const auto is_of_row = [](const kernel_store& s) { return s.loop == group_level; };
    if (!std::all_of(k.stores.begin(), k.stores.end(), is_of_row)) return std::nullopt;
    const std::optional<tensor_factors> f = tensor_factors_in(k);
    if (!f) return std::nullopt;
    const tensor_factors turned = with_columns_along(k, *f, k.nest_axis);
    const auto varies = [&](int v) { return (k.values[static_cast<std::size_t>(v)].varies >> k.nest_axis & 1) != 0; };
    if (!varies(turned.columns) || varies(turned.rows)) return std::nullopt;
    return turned;
}

bool divide_columns(const loop_nest& k, schedule& s) {
    const tensor_tile& t = s.tensor;
    if (!folds_product(k, t)) return true;
    const auto folds = static_cast<std::int64_t>(k.loops[1].reductions.size());
    const std::int64_t parts = divide_up(extent_of(k, k.nest_axis), t.columns);
    s.blocks_per_output = static_cast<int>(std::min(parts, max_partial_results));
    if (t.rows > s.block_threads) return false;  // a thread finishes a row
    return parts == 1 || tiles_of(k, t) <= max_partial_results / (t.rows * folds);
}

}  // namespace sinter::codegen
