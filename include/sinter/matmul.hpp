// Matrix and vector products.
//
//     array<float, 2> h = relu(matmul(x, w) + bias);
#pragma once

#include <sinter/contract.hpp>
#include <sinter/options.hpp>
#include <sinter/slice.hpp>

namespace sinter {
namespace detail {

struct precision_tag {};
struct tf32_t {};

struct precision_keyword {
    constexpr option<precision_tag, tf32_t> operator=(tf32_t) const { return {}; }
    template <class T>
    option<precision_tag, tf32_t> operator=(const T&) const {
        static_assert(never<T>, "sinter: a product takes no other precision than precision=tf32");
        return {};
    }
    precision_keyword& operator=(const precision_keyword&) = delete;
};

[[noreturn]] void throw_bad_matmul(const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b);

/// Maps the axes of matmul's operands to loop axes: the result's, then the summed one.
struct matmul_axes {
    int rank;  ///< of the result
    int a[max_rank] = {}, b[max_rank] = {};

    constexpr matmul_axes(int rank_a, int rank_b) {
        const int most = rank_a > rank_b ? rank_a : rank_b, batch = most > 2 ? most - 2 : 0;
        rank = batch + (rank_a > 1) + (rank_b > 1);
        for (int i = 0; i < rank_a - 2; ++i) a[i] = batch - (rank_a - 2) + i;
        for (int i = 0; i < rank_b - 2; ++i) b[i] = batch - (rank_b - 2) + i;
        if (rank_a > 1) a[rank_a - 2] = batch;
        a[rank_a - 1] = rank;
        if (rank_b > 1) b[rank_b - 2] = rank;
        b[rank_b - 1] = rank_b > 1 ? rank - 1 : rank;
    }
};

inline void check_matmul(const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    bool good = a[rank_a - 1] == b[rank_b > 1 ? rank_b - 2 : 0];
    for (int i = 3; i <= rank_a && i <= rank_b; ++i) {
        const std::int64_t one = a[rank_a - i], other = b[rank_b - i];
        good = good && (one == other || one == 1 || other == 1);
    }
    if (!good) throw_bad_matmul(a, rank_a, b, rank_b);
}

}  // namespace detail

/// Lets a product round float32 or complex64 operands to 11 significant bits for tensor cores: matmul(a, b,
/// precision=tf32). If no library computes the product, it stays exact.
inline constexpr detail::precision_keyword precision{};
inline constexpr detail::tf32_t tf32{};

/// The matrix product by NumPy's rules: sums the last axis of `a` with the second to last (or only) axis of `b`; axes
/// before the last two broadcast. The dtype is the common one. Sums of storage types accumulate in float32 and
/// round once when stored, integers wrap around, and for bools the result is whether any pair is true.
///
/// A matrix product is a separate launch: of a library (cuBLASLt, or a BLAS on the host) if one supports it, else of a
/// generated kernel. Views of arrays are read in place. A computed operand is first stored by its own launch, rounded
/// if its dtype is a storage type. Elementwise work on the result fuses into a generated kernel, or into a library call
/// that supports it: scaling, adding a matrix or a row, conversion. A product with a vector fuses like any reduction.
/// On tensor cores a generated kernel for storage types may also, if that is faster, fuse any elementwise work on the
/// result or on the operands, and a product of what is computed of another product as a whole:
/// `matmul(relu(matmul(x, w)), u)`, `matmul(softmax(matmul(q, k)), v)`. The softmax may be of float32 numbers, too:
/// these are multiplied as sums of three bfloat16 numbers, which loses less than 2^-21 of a product.
/// Options: precision=.
template <operand A, operand B, detail::option_among<detail::precision_tag>... Options>
[[nodiscard]] auto matmul(A&& a, B&& b, const Options&...) {
    constexpr int rank_a = std::remove_cvref_t<A>::rank, rank_b = std::remove_cvref_t<B>::rank;
    constexpr bool known = rank_a > 0 && rank_b > 0;
    static_assert(known, "sinter: matmul takes matrices and vectors; multiply by a single number with *");
    constexpr bool optional = (detail::is_option<Options, detail::precision_tag> && ...);
    static_assert(optional,
                  "sinter: matmul takes two operands, and optionally precision=tf32: for three write matmul(matmul(a, "
                  "b), c), for named axes einsum");
    if constexpr (known && optional) {
        constexpr detail::matmul_axes axes(rank_a, rank_b);
        static_assert(axes.rank < max_rank, "sinter: matmul takes operands of at most 7 axes");
        constexpr detail::operand_info operands[] = {detail::info_of<A>(), detail::info_of<B>()};
        constexpr dtype type = detail::common_dtype(operands, 0);
        constexpr bool rough = detail::has_option<detail::precision_tag, Options...>;
        static_assert(!rough || type == dtype::float32 || type == dtype::complex64,
                      "sinter: precision=tf32 is for products of float32 or complex64 operands");
        constexpr ir::product what = rank_a == 1 || rank_b == 1 || type == dtype::bool_ ? ir::product::none
                                     : rough                                            ? ir::product::tf32
                                                                                        : ir::product::exact;
        detail::check_matmul(a.shape().extent, rank_a, b.shape().extent, rank_b);
        return detail::contract<axes.rank, 1, what>(std::forward<A>(a), axes.a, std::forward<B>(b), axes.b);
    }
}

/// The outer product of two vectors: element (i, j) is a[i] * b[j].
template <operand A, operand B>
[[nodiscard]] auto outer(const A& a, const B& b) {
    static_assert(A::rank == 1 && B::rank == 1,
                  "sinter: outer takes two vectors; for more axes write a(all, newaxis) * b");
    return detail::index_view(a, all, newaxis) * b;
}

}  // namespace sinter
