// What the tiles of products have in common: vectors, and the order in which operands are packed. Included by files
// that are compiled once per instruction set; the namespace is unnamed so that the linker keeps these apart.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/schedule/gemm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sinter::codegen {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t widest_vector = 64;
#elif defined(__AVX__)
constexpr std::size_t widest_vector = 32;
#else
constexpr std::size_t widest_vector = 16;
#endif

template <class Vector, class T>
[[gnu::always_inline]] inline Vector loaded_vector(const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <class T, class S>
T widened_element(S x) {
    if constexpr (sizeof(S) == 2)
        return static_cast<T>(static_cast<float>(x));
    else
        return static_cast<T>(x);
}

/// From a row of A, a column of B, and a step of either to the next one, in elements.
struct operand_strides {
    std::int64_t row_a, step_a, column_b, step_b;
};
inline operand_strides operand_strides_of(const gemm& g) {
    return {g.a.transposed ? 1 : g.a.leading, g.a.transposed ? g.a.leading : 1, g.b.transposed ? g.b.leading : 1,
            g.b.transposed ? 1 : g.b.leading};
}

/// Transposes squares of 16 bytes: to[k * Slice + i] = from[i * along + k] for i below Slice.
template <std::int64_t Slice, class T>
void pack_transposed(T* to, const T* from, std::int64_t along, std::int64_t depth) {
    constexpr std::int64_t side = 16 / sizeof(T);
    static_assert(Slice % 2 == 0);
    std::int64_t k = 0;
    for (; k + side <= depth; k += side, to += side * Slice)
        for (std::int64_t i = 0; i < Slice; i += side) {
            T square[side][side];
            const std::int64_t rows = std::min(side, Slice - i);
            for (std::int64_t r = 0; r < rows; ++r) std::memcpy(square[r], from + (i + r) * along + k, 16);
            for (std::int64_t c = 0; c < side; ++c)
                for (std::int64_t r = 0; r < rows; ++r) to[c * Slice + i + r] = square[r][c];
        }
    for (; k < depth; ++k, to += Slice)
        for (std::int64_t i = 0; i < Slice; ++i) to[i] = from[i * along + k];
}

/// Packs elements [first, first + count) along one axis by `depth` steps along the other, in slices of `Slice`
/// neighbours; the last slice is padded with zeros.
template <std::int64_t Slice, class T, class S>
void pack_slices(T* to, const S* from, std::int64_t along, std::int64_t step, std::int64_t count, std::int64_t depth) {
    for (; count >= Slice; count -= Slice, from += Slice * along, to += Slice * depth) {
        if (along == 1) {
            for (std::int64_t k = 0; k < depth; ++k)
                for (std::int64_t i = 0; i < Slice; ++i) to[k * Slice + i] = widened_element<T>(from[k * step + i]);
        } else if constexpr (std::is_same_v<T, S>) {
            pack_transposed<Slice>(to, from, along, depth);
        } else {
            for (std::int64_t k = 0; k < depth; ++k)
                for (std::int64_t i = 0; i < Slice; ++i) to[k * Slice + i] = widened_element<T>(from[i * along + k]);
        }
    }
    if (count == 0) return;
    for (std::int64_t k = 0; k < depth; ++k)
        for (std::int64_t i = 0; i < Slice; ++i)
            *to++ = i < count ? widened_element<T>(from[i * along + k * step]) : T(0);
}

template <class T>
T factor(const ir::scalar_bits& bits) {
    T value;
    static_assert(sizeof value <= 16);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace
}  // namespace sinter::codegen
