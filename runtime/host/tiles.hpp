// Matrix products on a machine without a BLAS, and of storage types on any: tiles in registers, on all cores.
#pragma once

#include <codegen/schedule/gemm.hpp>
#include <runtime/host/instruction_set.hpp>

#include <cstddef>

namespace sinter::codegen {

/// Whether the tiles support these dtypes: floating and complex ones.
bool tiles_take(const gemm& g);

/// The product with everything that gemm supports. The bits depend neither on the number of threads nor on the
/// instruction set.
void run_tiles(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
               instruction_set isa = host_instruction_set());

/// Rows and columns of a result.
struct gemm_part {
    std::int64_t first_row, rows, first_column, columns;
};
inline constexpr std::int64_t part_rows = 192, part_columns = 256, part_steps = 256;

/// The largest matrices of multiply_tiny: rows of A, steps, and bytes of a row of B.
inline constexpr std::int64_t most_tiny_rows = 16, most_tiny_steps = 16, most_tiny_row = 32;
/// Whether multiply_tiny supports a product: D = A B, in float32 or float64.
bool is_tiny(const gemm& g);

/// Maximum bytes for a part's operands and sums while it is computed, aligned to a cache line.
inline constexpr std::size_t part_bytes =
    (part_rows * part_steps + part_columns * part_steps + part_rows * part_columns) * sizeof(double);

// Defined by product_tiles.cpp, and for complex dtypes by complex_tiles.cpp, once per instruction set: one part of one
// product, with part_bytes of memory.
#define SINTER_PART_OF_PRODUCT(name)                                                                            \
    void name(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta, \
              const gemm_part& part, std::byte* memory)
SINTER_PART_OF_PRODUCT(multiply_part_baseline);
SINTER_PART_OF_PRODUCT(multiply_part_v3);
SINTER_PART_OF_PRODUCT(multiply_part_v4);
SINTER_PART_OF_PRODUCT(multiply_complex_part_baseline);
SINTER_PART_OF_PRODUCT(multiply_complex_part_v3);
SINTER_PART_OF_PRODUCT(multiply_complex_part_v4);
#undef SINTER_PART_OF_PRODUCT

// Defined by tiny_products.cpp, once per instruction set: products [batch, end) of a batch.
void multiply_tiny_baseline(const gemm& g, const gemm_pointers& p, std::int64_t batch, std::int64_t end);
void multiply_tiny_v3(const gemm& g, const gemm_pointers& p, std::int64_t batch, std::int64_t end);
void multiply_tiny_v4(const gemm& g, const gemm_pointers& p, std::int64_t batch, std::int64_t end);

}  // namespace sinter::codegen
