// Matrix products on a machine without a BLAS, and of half types on any: tiles in registers, on all cores.
#pragma once

#include <codegen/schedule/gemm.hpp>
#include <runtime/host/instruction_set.hpp>

#include <cstddef>

namespace sinter::codegen {

/// Whether the tiles support these dtypes: float16, bfloat16, float32, float64.
bool tiles_take(const gemm& g);

/// The product with everything that gemm supports. The bits depend neither on the number of threads nor on the
/// instruction set.
void run_tiles(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
               instruction_set isa = host_instruction_set());

/// Rows and columns of a result.
struct gemm_part {
    std::int64_t first_row, rows, first_column, columns;
};
inline constexpr std::int64_t part_rows = 96, part_columns = 256, part_steps = 256;

/// Maximum bytes for a part's operands and sums while it is computed, aligned to a cache line.
inline constexpr std::size_t part_bytes =
    (part_rows * part_steps + part_columns * part_steps + part_rows * part_columns) * sizeof(double);

// Defined by product_tiles.cpp, once per instruction set: one part of one product, with part_bytes of memory.
void multiply_part_baseline(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha,
                            const ir::scalar_bits& beta, const gemm_part& part, std::byte* memory);
void multiply_part_v3(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
                      const gemm_part& part, std::byte* memory);
void multiply_part_v4(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
                      const gemm_part& part, std::byte* memory);

}  // namespace sinter::codegen
