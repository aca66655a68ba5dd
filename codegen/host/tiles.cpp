// Deals a product's parts out to all cores.
#include <codegen/host/tiles.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr std::int64_t operations_worth_a_task = 1 << 18;

using multiply_part = decltype(&multiply_part_baseline);

multiply_part loops_for([[maybe_unused]] instruction_set isa) {
#if defined(SINTER_HAVE_V4)
    if (isa == instruction_set::v4) return multiply_part_v4;
#endif
#if defined(SINTER_HAVE_V3)
    if (isa == instruction_set::v3) return multiply_part_v3;
#endif
    return multiply_part_baseline;
}

}  // namespace

bool tiles_take(const gemm& g) {
    return g.a.type == dtype::float16 || g.a.type == dtype::bfloat16 || g.a.type == dtype::float32 ||
           g.a.type == dtype::float64;
}

void run_tiles(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
               instruction_set isa) {
    const multiply_part multiply = loops_for(isa);
    const std::int64_t down = (g.rows + part_rows - 1) / part_rows;
    const std::int64_t across = (g.columns + part_columns - 1) / part_columns;
    const auto run = [&](const tbb::blocked_range<std::int64_t>& parts) {
        for (std::int64_t i = parts.begin(); i < parts.end(); ++i) {
            const std::int64_t batch = i / (down * across), row = i / across % down * part_rows;
            const std::int64_t column = i % across * part_columns;
            const auto at = [batch](auto* from, std::int64_t step, const gemm_matrix& m) {
                return from == nullptr ? from : from + batch * step * static_cast<std::int64_t>(size_of(m.type));
            };
            const gemm_pointers of_batch{at(p.a, g.batch.a, g.a), at(p.b, g.batch.b, g.b), at(p.c, g.batch.c, g.c),
                                         p.bias, at(p.d, g.batch.d, g.d)};
            multiply(g, of_batch, alpha, beta,
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
