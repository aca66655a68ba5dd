// Deals a product's parts out to all cores.
#include <runtime/host/tiles.hpp>

#include <codegen/ir/round.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr std::int64_t operations_worth_a_task = 1 << 18;

}  // namespace

bool tiles_take(const gemm& g) {
    return g.a.type == dtype::float16 || g.a.type == dtype::bfloat16 || g.a.type == dtype::float32 ||
           g.a.type == dtype::float64;
}

void run_tiles(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
               instruction_set isa) {
    const auto multiply = SINTER_FORM_FOR(isa, multiply_part);
    const std::int64_t down = divide_up(g.rows, part_rows), across = divide_up(g.columns, part_columns);
    const auto run = [&](const tbb::blocked_range<std::int64_t>& parts) {
        for (std::int64_t i = parts.begin(); i < parts.end(); ++i) {
            const std::int64_t batch = i / (down * across), row = i / across % down * part_rows;
            const std::int64_t column = i % across * part_columns;
            multiply(g, stepped(g, p, g.batch, batch), alpha, beta,
                     {row, std::min(part_rows, g.rows - row), column, std::min(part_columns, g.columns - column)});
        }
    };
    const std::int64_t parts = g.batch.extent * down * across;
    const std::int64_t operations = std::min(part_rows, g.rows) * std::min(part_columns, g.columns) * g.depth;
    if (parts * operations < 2 * operations_worth_a_task) return run({0, parts});
    const std::int64_t grain = std::max<std::int64_t>(1, operations_worth_a_task / operations);
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, parts, static_cast<std::size_t>(grain)), run);
}

}  // namespace sinter::codegen
