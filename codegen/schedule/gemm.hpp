// Kernels that are matrix products, in the words of libraries: D = alpha A B + beta C + bias, in batches.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <optional>

namespace sinter::codegen {

/// A matrix: rows of neighbours, `leading` elements apart.
struct gemm_matrix {
    int input = -1;  ///< position in kernel::inputs; -1 for the result, and for a C that there is not
    dtype type{};
    bool transposed = false;  ///< what multiplies is the transposed of what lies there
    std::int64_t leading = 0;
    bool operator==(const gemm_matrix&) const = default;
};

/// Products one after the other: how far apart they are in each matrix.
struct gemm_batch {
    std::int64_t extent = 1;
    std::int64_t a = 0, b = 0, c = 0, d = 0;
    bool operator==(const gemm_batch&) const = default;
};

struct gemm {
    std::int64_t rows = 0, columns = 0, depth = 0;  ///< A has rows x depth elements, B depth x columns
    gemm_matrix a, b, c, d;                         ///< c and d are never transposed
    gemm_batch batch;                               ///< what one call of a library does
    std::vector<gemm_batch> batches;                ///< further ones, a call each
    int bias = -1;   ///< input whose elements, of d's dtype, are added to those of each row; -1 for none
    int alpha = -1;  ///< value of the kernel, a scalar or a constant; -1 stands for 1
    int beta = -1;
    dtype computed_in{};
    bool tf32 = false;
    bool operator==(const gemm&) const = default;
};

/// The addresses for one call.
struct gemm_pointers {
    const char* a = nullptr;
    const char* b = nullptr;
    const char* c = nullptr;
    const char* bias = nullptr;
    char* d = nullptr;
};

/// Nothing unless the kernel is a product by name, and all it does is what libraries do: a matrix times a matrix, whose
/// rows or columns are neighbours in memory, times a number, plus another matrix, plus a row.
std::optional<gemm> as_gemm(const loop_nest& k);

/// Whether matrices of a batch, of so many results and steps each, would leave most of a block that has one of them
/// idle. cuBLASLt gives each a block, 1.8 ns on an H200 however small the matrix, in which time memory moves those of
/// 16 rows and columns twice; of the smallest tile of tensor cores they leave half idle, and more of its slices.
constexpr bool is_small_in_batch(std::int64_t results, std::int64_t steps) { return results <= 16 * 16 && steps <= 32; }

/// Whether rows of the matrices begin at multiples of 16 bytes: libraries have no fast products of others.
bool has_aligned_rows(const gemm& g);

/// Whether a kernel of our own is faster: where a library's call costs the host more than the kernel takes altogether,
/// at about 200 x 200 x 200 and less, and where the library has a block for each of many small matrices.
bool is_small(const gemm& g);

/// The number that alpha or beta stands for, in the dtype that the product is computed in.
ir::scalar_bits gemm_factor(const loop_nest& k, const gemm& g, int factor, const ir::scalar_bits* of_program);

/// The addresses of the i-th product of a batch, given those of the first.
inline gemm_pointers stepped(const gemm& g, gemm_pointers p, const gemm_batch& batch, std::int64_t i) {
    const auto bytes = [i](std::int64_t elements, const gemm_matrix& m) {
        return i * elements * static_cast<std::int64_t>(size_of(m.type));
    };
    p.a += bytes(batch.a, g.a);
    p.b += bytes(batch.b, g.b);
    if (p.c != nullptr) p.c += bytes(batch.c, g.c);
    p.d += bytes(batch.d, g.d);
    return p;
}

/// f(pointers) for each call that the product takes.
template <class F>
void for_each_call(const gemm& g, const gemm_pointers& first, F f, std::size_t level = 0) {
    if (level == g.batches.size()) return f(first);
    for (std::int64_t i = 0; i < g.batches[level].extent; ++i)
        for_each_call(g, stepped(g, first, g.batches[level], i), f, level + 1);
}

}  // namespace sinter::codegen
