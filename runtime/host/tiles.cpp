// Divides a product's parts among all cores.
#include <runtime/host/tiles.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/host/scratch.hpp>
#include <runtime/system/cancellation.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <bit>

namespace sinter::codegen {
namespace {

constexpr std::int64_t operations_worth_a_task = 1 << 18;

struct part_memory {
    blocked::scratch kept;
    std::byte* bytes = kept.reserve(part_bytes);
};

/// Whether a factor is 1, in the dtype of a tiny product.
bool is_one(const gemm& g, const ir::scalar_bits& factor) {
    return factor.bits ==
           (g.a.type == dtype::float32 ? std::bit_cast<std::uint32_t>(1.0f) : std::bit_cast<std::uint64_t>(1.0));
}

void run_tiny(const gemm& g, const gemm_pointers& p, instruction_set isa) {
    const auto multiply = SINTER_FORM_FOR(isa, multiply_tiny);
    const std::int64_t grain = std::max<std::int64_t>(1, operations_worth_a_task / (g.rows * g.columns * g.depth));
    const cancellation_point stop;
    parallel_loop(g.batch.extent, grain, [&](std::int64_t i, std::int64_t end) {
        stop.check();
        multiply(g, p, i, end);
    });
}

}  // namespace

bool is_tiny(const gemm& g) {
    return (g.a.type == dtype::float32 || g.a.type == dtype::float64) && g.d.type == g.a.type && g.c.input < 0 &&
           g.bias < 0 && g.rows <= most_tiny_rows && g.depth <= most_tiny_steps && g.rows * g.columns * g.depth > 0 &&
           g.columns * static_cast<std::int64_t>(size_of(g.a.type)) <= most_tiny_row;
}

bool tiles_take(const gemm& g) { return is_floating(g.a.type) || is_complex(g.a.type); }

void run_tiles(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
               instruction_set isa) {
    if (is_tiny(g) && p.c == nullptr && p.bias == nullptr && is_one(g, alpha)) return run_tiny(g, p, isa);
    const auto multiply = SINTER_FORM_FOR(isa, multiply_part);
    const std::int64_t down = divide_up(g.rows, part_rows), across = divide_up(g.columns, part_columns);
    const std::int64_t parts = g.batch.extent * down * across;
    const std::int64_t operations = std::min(part_rows, g.rows) * std::min(part_columns, g.columns) * g.depth;
    const bool is_small = parts * operations < 2 * operations_worth_a_task;
    const std::int64_t grain = is_small ? parts : std::max<std::int64_t>(1, operations_worth_a_task / operations);
    const cancellation_point stop;
    part_memory own;
    parallel_loop(
        parts, grain, own, [](std::optional<part_memory>& mine) { mine.emplace(); },
        [&](part_memory& mine, std::int64_t i, std::int64_t end) {
            for (; i < end; ++i) {
                stop.check();
                const std::int64_t batch = i / (down * across), row = i / across % down * part_rows;
                const std::int64_t column = i % across * part_columns;
                multiply(g, stepped(g, p, g.batch, batch), alpha, beta,
                         {row, std::min(part_rows, g.rows - row), column, std::min(part_columns, g.columns - column)},
                         mine.bytes);
            }
        });
}

}  // namespace sinter::codegen
