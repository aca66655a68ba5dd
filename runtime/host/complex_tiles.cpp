// A part of a product of complex matrices, for one instruction set. Compiled once per instruction set, which SINTER_ISA
// names.
//
// As product_tiles.cpp, with real and imaginary parts packed, and summed, apart: vectors then need no exchange of
// neighbours, and four sums per element are what a product of complex numbers is.
#include <codegen/ir/round.hpp>
#include <codegen/rows/form.hpp>
#include <runtime/host/product_packing.hpp>
#include <runtime/host/tiles.hpp>

#include <array>

namespace sinter::codegen {
namespace {

/// A complex number in memory.
template <class R>
using pair = std::array<R, 2>;

/// The form of a tile: a vector of columns. `elements`: real parts and imaginary ones.
template <class Part, std::size_t Bytes>
struct tile {
    using R = Part;
    using vector [[gnu::vector_size(Bytes)]] = R;
    static constexpr std::int64_t columns = Bytes / sizeof(R), rows = widest_vector == 64 ? 8 : 4;
    static constexpr std::int64_t elements = 2 * rows * columns;
    static constexpr std::int64_t steps = part_steps * 2 / std::int64_t{sizeof(R)};  ///< packed at once
    static_assert(part_rows % rows == 0 && part_columns % columns == 0);
    static_assert((part_rows * steps + part_columns * steps + part_rows * part_columns) * 2 * sizeof(R) <= part_bytes);
};

/// c += a b for a tile: a row of real parts, then one of imaginary parts, of each step and of each row.
template <class Tile, class R = typename Tile::R>
void multiply_tile(const R* a, const R* b, R* c, std::int64_t depth) {
    using vector = typename Tile::vector;
    constexpr std::int64_t rows = Tile::rows, columns = Tile::columns;
    vector real[rows], imaginary[rows];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < rows; ++i) {
        real[i] = loaded_vector<vector>(c + 2 * i * columns);
        imaginary[i] = loaded_vector<vector>(c + (2 * i + 1) * columns);
    }
    for (std::int64_t k = 0; k < depth; ++k, a += 2 * rows, b += 2 * columns) {
        const vector b_real = loaded_vector<vector>(b), b_imaginary = loaded_vector<vector>(b + columns);
#pragma GCC unroll 8
        for (std::int64_t i = 0; i < rows; ++i) {
            real[i] += a[i] * b_real;
            real[i] -= a[rows + i] * b_imaginary;
            imaginary[i] += a[i] * b_imaginary;
            imaginary[i] += a[rows + i] * b_real;
        }
    }
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < rows; ++i) {
        std::memcpy(c + 2 * i * columns, &real[i], sizeof(vector));
        std::memcpy(c + (2 * i + 1) * columns, &imaginary[i], sizeof(vector));
    }
}

/// Packs `count` numbers along one axis by `depth` steps along the other, in slices of `Slice` neighbours.
template <std::int64_t Slice, class R>
void pack_parts(R* to, const pair<R>* from, std::int64_t along, std::int64_t step, std::int64_t count,
                std::int64_t depth) {
    for (; count > 0; count -= Slice, from += Slice * along)
        for (std::int64_t k = 0; k < depth; ++k, to += 2 * Slice)
            for (std::int64_t i = 0; i < Slice; ++i) {
                const pair<R> x = i < count ? from[i * along + k * step] : pair<R>{};
                to[i] = x[0];
                to[Slice + i] = x[1];
            }
}

/// x * y; where y is 1, x, also of infinities.
template <class R>
pair<R> times(const pair<R>& x, const pair<R>& y) {
    if (y[0] == R(1) && y[1] == R(0)) return x;
    return {x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]};
}

template <class R>
void add(pair<R>& x, const pair<R>& y) {
    x[0] += y[0];
    x[1] += y[1];
}

/// Computes D's elements from the sums of a part.
template <class Tile, class R = typename Tile::R>
void finish(const gemm& g, const gemm_pointers& p, const pair<R>& alpha, const pair<R>& beta, const gemm_part& part,
            const R* sums) {
    const std::int64_t across = divide_up(part.columns, Tile::columns);
    for (std::int64_t i = 0; i < part.rows; ++i)
        for (std::int64_t j = 0; j < part.columns; ++j) {
            const std::int64_t row = part.first_row + i, column = part.first_column + j;
            const R* const sum = sums + (i / Tile::rows * across + j / Tile::columns) * Tile::elements +
                                 i % Tile::rows * 2 * Tile::columns + j % Tile::columns;
            pair<R> value = times<R>({sum[0], sum[Tile::columns]}, alpha);
            if (p.c != nullptr)
                add(value, times(reinterpret_cast<const pair<R>*>(p.c)[row * g.c.leading + column], beta));
            if (p.bias != nullptr) add(value, reinterpret_cast<const pair<R>*>(p.bias)[column]);
            reinterpret_cast<pair<R>*>(p.d)[row * g.d.leading + column] = value;
        }
}

template <class Tile, class R = typename Tile::R>
void multiply_by(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
                 const gemm_part& part, std::byte* memory) {
    const std::int64_t down = divide_up(part.rows, Tile::rows), across = divide_up(part.columns, Tile::columns);
    const std::int64_t at_once = std::min(Tile::steps, g.depth);
    R* const a = reinterpret_cast<R*>(memory);
    R* const b = a + down * 2 * Tile::rows * at_once;
    R* const sums = b + across * 2 * Tile::columns * at_once;
    std::memset(sums, 0, static_cast<std::size_t>(down * across * Tile::elements) * sizeof(R));
    const auto [row_a, step_a, column_b, step_b] = operand_strides_of(g);
    const auto* from_a = reinterpret_cast<const pair<R>*>(p.a) + part.first_row * row_a;
    const auto* from_b = reinterpret_cast<const pair<R>*>(p.b) + part.first_column * column_b;
    for (std::int64_t k = 0; k < g.depth; k += at_once) {
        const std::int64_t depth = std::min(at_once, g.depth - k);
        pack_parts<Tile::rows>(a, from_a + k * step_a, row_a, step_a, part.rows, depth);
        pack_parts<Tile::columns>(b, from_b + k * step_b, column_b, step_b, part.columns, depth);
        for (std::int64_t j = 0; j < across; ++j)
            for (std::int64_t i = 0; i < down; ++i)
                multiply_tile<Tile>(a + i * 2 * Tile::rows * depth, b + j * 2 * Tile::columns * depth,
                                    sums + (i * across + j) * Tile::elements, depth);
    }
    finish<Tile>(g, p, factor<pair<R>>(alpha), factor<pair<R>>(beta), part, sums);
}

template <class R>
void multiply(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta,
              const gemm_part& part, std::byte* memory) {
    if (static_cast<std::size_t>(part.columns) * sizeof(R) <= 16)
        return multiply_by<tile<R, 16>>(g, p, alpha, beta, part, memory);
    multiply_by<tile<R, widest_vector>>(g, p, alpha, beta, part, memory);
}

}  // namespace

void SINTER_FORM(multiply_complex_part)(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha,
                                        const ir::scalar_bits& beta, const gemm_part& part, std::byte* memory) {
    if (g.a.type == dtype::complex64)
        multiply<float>(g, p, alpha, beta, part, memory);
    else
        multiply<double>(g, p, alpha, beta, part, memory);
}

}  // namespace sinter::codegen
