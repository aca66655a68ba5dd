// A part of a matrix product, for one instruction set. Compiled once per instruction set, which SINTER_ISA names.
//
// The algorithm is Goto's (K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008):
// some steps of both operands are packed in the order of their use, A in slices of a few rows and B in slices of a
// vector of columns or two; then tiles of one slice of each are summed in registers. Packing also converts storage
// types and transposes. Every element is summed step by step, whatever the width of the vectors, so matrices of few
// columns have narrow ones.
#include <codegen/ir/round.hpp>
#include <codegen/rows/form.hpp>
#include <runtime/host/product_packing.hpp>
#include <runtime/host/tiles.hpp>

namespace sinter::codegen {
namespace {

/// The form of a tile: its sums fill the registers but a few. `Vectors`: side by side, of `Bytes` bytes. With AVX-512 a
/// multiplication reads an element of A from memory, so one vector does; 8 x 2 take 1.5 times as long on Zen 4.
template <class Element, std::size_t Bytes, std::int64_t Vectors>
struct tile {
    using T = Element;
    using vector [[gnu::vector_size(Bytes)]] = T;
    static constexpr std::int64_t vectors = Vectors, lanes = Bytes / sizeof(T), columns = lanes * vectors;
    static constexpr std::int64_t rows = vectors == 2 ? 6 : Bytes == 64 ? 16 : 8;
    static constexpr std::int64_t elements = rows * columns;
    static constexpr std::int64_t steps = part_steps * 4 / std::int64_t{sizeof(T)};  ///< packed at once
    static_assert(part_rows % rows == 0 && part_columns % columns == 0);
};
template <class T>
using widest_tile = tile<T, widest_vector, widest_vector == 64 ? 1 : 2>;

/// c += a b for a tile, whose elements are contiguous. Its sums are moved one by one: an array that is copied as a
/// whole stays in memory, and each step stores it.
template <class Tile, class T = typename Tile::T>
void multiply_tile(const T* a, const T* b, T* c, std::int64_t depth) {
    using vector = typename Tile::vector;
    constexpr std::int64_t rows = Tile::rows, vectors = Tile::vectors, lanes = Tile::lanes;
    vector sum[rows][vectors];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (std::int64_t j = 0; j < vectors; ++j) sum[i][j] = loaded_vector<vector>(c + (i * vectors + j) * lanes);
    for (std::int64_t k = 0; k < depth; ++k, a += rows, b += Tile::columns) {
        vector step[vectors];
#pragma GCC unroll 2
        for (std::int64_t j = 0; j < vectors; ++j) step[j] = loaded_vector<vector>(b + j * lanes);
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < rows; ++i)
#pragma GCC unroll 2
            for (std::int64_t j = 0; j < vectors; ++j) sum[i][j] += a[i] * step[j];
    }
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (std::int64_t j = 0; j < vectors; ++j)
            std::memcpy(c + (i * vectors + j) * lanes, &sum[i][j], sizeof(vector));
}

/// Computes D's elements from the sums of a part.
template <class Tile, class D, class T = typename Tile::T>
void finish(const gemm& g, const gemm_pointers& p, T alpha, T beta, const gemm_part& part, const T* sums) {
    const std::int64_t across = divide_up(part.columns, Tile::columns);
    for (std::int64_t i = 0; i < part.rows; ++i)
        for (std::int64_t tile = 0; tile < across; ++tile) {
            const std::int64_t row = part.first_row + i, column = part.first_column + tile * Tile::columns;
            const std::int64_t count = std::min(Tile::columns, part.columns - tile * Tile::columns);
            const T* const sum =
                sums + (i / Tile::rows * across + tile) * Tile::elements + i % Tile::rows * Tile::columns;
            T values[Tile::columns];
            for (std::int64_t j = 0; j < Tile::columns; ++j) values[j] = alpha * sum[j];
            if (p.c != nullptr) {
                const D* const c = reinterpret_cast<const D*>(p.c) + row * g.c.leading + column;
                for (std::int64_t j = 0; j < count; ++j) values[j] += beta * widened_element<T>(c[j]);
            }
            if (p.bias != nullptr) {
                const D* const bias = reinterpret_cast<const D*>(p.bias) + column;
                for (std::int64_t j = 0; j < count; ++j) values[j] += widened_element<T>(bias[j]);
            }
            D* const d = reinterpret_cast<D*>(p.d) + row * g.d.leading + column;
            for (std::int64_t j = 0; j < count; ++j) d[j] = static_cast<D>(values[j]);
        }
}

template <class Tile, class S, class T = typename Tile::T>
void multiply_by(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
                 const gemm_part& part, std::byte* memory) {
    const std::int64_t down = divide_up(part.rows, Tile::rows), across = divide_up(part.columns, Tile::columns);
    const std::int64_t at_once = std::min(Tile::steps, g.depth);
    T* const a = reinterpret_cast<T*>(memory);
    T* const b = a + down * Tile::rows * at_once;
    T* const sums = b + across * Tile::columns * at_once;
    std::memset(sums, 0, static_cast<std::size_t>(down * across * Tile::elements) * sizeof(T));
    const auto [row_a, step_a, column_b, step_b] = operand_strides_of(g);
    const auto* from_a = reinterpret_cast<const S*>(p.a) + part.first_row * row_a;
    const auto* from_b = reinterpret_cast<const S*>(p.b) + part.first_column * column_b;
    for (std::int64_t k = 0; k < g.depth; k += at_once) {
        const std::int64_t depth = std::min(at_once, g.depth - k);
        pack_slices<Tile::rows>(a, from_a + k * step_a, row_a, step_a, part.rows, depth);
        pack_slices<Tile::columns>(b, from_b + k * step_b, column_b, step_b, part.columns, depth);
        for (std::int64_t j = 0; j < across; ++j)
            for (std::int64_t i = 0; i < down; ++i)
                multiply_tile<Tile>(a + i * Tile::rows * depth, b + j * Tile::columns * depth,
                                    sums + (i * across + j) * Tile::elements, depth);
    }
    if (g.d.type == g.a.type)
        finish<Tile, S>(g, p, factor<T>(alpha), factor<T>(beta), part, sums);
    else
        finish<Tile, T>(g, p, factor<T>(alpha), factor<T>(beta), part, sums);
}

/// Whether packing would take a good part of the time, and nothing but the product is stored.
template <class T, class S>
bool is_small_product(const gemm& g, const gemm_pointers& p, T alpha, const gemm_part& part) {
    constexpr std::int64_t most = 32 * 32 * 32;
    return std::is_same_v<T, S> && g.d.type == g.a.type && part.rows * part.columns * g.depth <= most &&
           g.depth <= part_steps / 4 && alpha == T(1) && p.c == nullptr && p.bias == nullptr;
}

/// The product of a part that is small: A is read where it lies, and so is B if its rows fill the tiles.
template <class Tile, class T = typename Tile::T>
void multiply_small(const gemm& g, const gemm_pointers& p, const gemm_part& part, std::byte* memory) {
    using vector = typename Tile::vector;
    constexpr std::int64_t rows = Tile::rows, vectors = Tile::vectors, lanes = Tile::lanes;
    const auto [row_a, step_a, column_b, step_b] = operand_strides_of(g);
    const T* const a = reinterpret_cast<const T*>(p.a) + part.first_row * row_a;
    const T* b = reinterpret_cast<const T*>(p.b) + part.first_column * column_b;
    std::int64_t slice = Tile::columns, step = step_b;
    if (column_b != 1 || part.columns % Tile::columns != 0) {
        T* const packed = reinterpret_cast<T*>(memory);
        pack_slices<Tile::columns>(packed, b, column_b, step_b, part.columns, g.depth);
        b = packed;
        slice = g.depth * Tile::columns;
        step = Tile::columns;
    }
    for (std::int64_t i = 0; i < part.rows; i += rows) {
        const T* from[rows];
        for (std::int64_t r = 0; r < rows; ++r) from[r] = a + std::min(i + r, part.rows - 1) * row_a;
        for (std::int64_t tile = 0; tile * Tile::columns < part.columns; ++tile) {
            vector sum[rows][vectors] = {};
            for (std::int64_t k = 0; k < g.depth; ++k) {
#pragma GCC unroll 16
                for (std::int64_t r = 0; r < rows; ++r)
#pragma GCC unroll 2
                    for (std::int64_t j = 0; j < vectors; ++j)
                        sum[r][j] +=
                            from[r][k * step_a] * loaded_vector<vector>(b + tile * slice + k * step + j * lanes);
            }
            const std::int64_t column = tile * Tile::columns;
            T* const d = reinterpret_cast<T*>(p.d) + (part.first_row + i) * g.d.leading + part.first_column + column;
            const auto bytes = static_cast<std::size_t>(std::min(Tile::columns, part.columns - column)) * sizeof(T);
            for (std::int64_t r = 0; r < std::min(rows, part.rows - i); ++r)
                std::memcpy(d + r * g.d.leading, sum[r], bytes);
        }
    }
}

template <class Tile, class S>
void multiply_with(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
                   const gemm_part& part, std::byte* memory) {
    using T = typename Tile::T;
    if (is_small_product<T, S>(g, p, factor<T>(alpha), part)) return multiply_small<Tile>(g, p, part, memory);
    multiply_by<Tile, S>(g, p, alpha, beta, part, memory);
}

/// By the narrowest tile that has all of the part's columns, else by the widest one.
template <class T, class S>
void multiply(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
              const gemm_part& part, std::byte* memory) {
    const std::size_t row = static_cast<std::size_t>(part.columns) * sizeof(T);
    if (row <= 16) return multiply_with<tile<T, 16, 1>, S>(g, p, alpha, beta, part, memory);
    if (row <= 32 && widest_vector >= 32)
        return multiply_with<tile<T, std::min<std::size_t>(32, widest_vector), 1>, S>(g, p, alpha, beta, part, memory);
    multiply_with<widest_tile<T>, S>(g, p, alpha, beta, part, memory);
}

}  // namespace

void SINTER_FORM(multiply_part)(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha,
                                const ir::scalar_bits& beta, const gemm_part& part, std::byte* memory) {
    switch (g.a.type) {
        case dtype::float8_e4m3: return multiply<float, float8_e4m3>(g, p, alpha, beta, part, memory);
        case dtype::float8_e5m2: return multiply<float, float8_e5m2>(g, p, alpha, beta, part, memory);
        case dtype::float16: return multiply<float, float16>(g, p, alpha, beta, part, memory);
        case dtype::bfloat16: return multiply<float, bfloat16>(g, p, alpha, beta, part, memory);
        case dtype::float64: return multiply<double, double>(g, p, alpha, beta, part, memory);
        case dtype::complex64:
        case dtype::complex128: return SINTER_FORM(multiply_complex_part)(g, p, alpha, beta, part, memory);
        default: return multiply<float, float>(g, p, alpha, beta, part, memory);
    }
}

}  // namespace sinter::codegen
