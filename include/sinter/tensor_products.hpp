// Tensor products: tensordot, kron, cross; and diag, diagonal matrices.
#pragma once

#include <sinter/generate.hpp>
#include <sinter/matmul.hpp>
#include <sinter/reshape.hpp>

namespace sinter {
namespace detail {

[[noreturn]] void throw_bad_tensordot(const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b);
[[noreturn]] void throw_bad_cross(const std::int64_t* extents, int rank, int axis);

/// The product summed over N pairs of axes: axis of_a[i] of one operand with of_b[i] of the other.
template <int N, class A, class B>
auto summed_product(const A& a, const int (&of_a)[N], const B& b, const int (&of_b)[N]) {
    constexpr int rank = A::rank + B::rank - 2 * N;
    constexpr operand_info operands[] = {info_of<A>(), info_of<B>()};
    constexpr bool is_product = A::rank > N && B::rank > N && common_dtype(operands, 0) != dtype::bool_;
    static_assert(rank + N <= max_rank,
                  "sinter: the axes of both operands, with summed axes counted once, are more than 8");
    int axes_a[A::rank], axes_b[B::rank], next = 0;
    for (int& axis_of : axes_a) axis_of = -1;
    for (int& axis_of : axes_b) axis_of = -1;
    const auto from = a.shape();
    const auto with = b.shape();
    for (int i = 0; i < N; ++i) {
        if (from.extent[of_a[i]] != with.extent[of_b[i]])
            throw_bad_tensordot(from.extent, A::rank, with.extent, B::rank);
        axes_a[of_a[i]] = axes_b[of_b[i]] = rank + i;
    }
    for (int& axis_of : axes_a)
        if (axis_of < 0) axis_of = next++;
    for (int& axis_of : axes_b)
        if (axis_of < 0) axis_of = next++;
    return contract < rank, N, is_product ? ir::product::exact : ir::product::none > (a, axes_a, b, axes_b);
}

/// A vector of three elements along an axis, rotated by `by`.
template <class A>
auto rolled_vector(const A& a, int axis, std::int64_t by) {
    return along(a, axis, 3, index_rolled(index_along<A::rank>(axis, 3), by, std::int64_t{3}));
}

}  // namespace detail

/// The sums of products over the last N axes of one operand and the first N of the other, in order: tensordot<2>(a, b).
/// The result has the other axes of a, then those of b; dtypes and launches as in matmul. Throws if extents differ.
template <int N = 2, operand A, operand B>
[[nodiscard]] auto tensordot(const A& a, const B& b) {
    static_assert(N > 0 && N <= A::rank && N <= B::rank,
                  "sinter: tensordot<N> sums over N axes of both operands, at least one and no more than they have; to "
                  "sum over none write a(all, newaxis) * b");
    int of_a[N], of_b[N];
    for (int i = 0; i < N; ++i) {
        of_a[i] = A::rank - N + i;
        of_b[i] = i;
    }
    return detail::summed_product<N>(a, of_a, b, of_b);
}
/// Over pairs of axes: tensordot(a, b, {0, 2}, {1, 0}) sums over axis 0 of a with axis 1 of b, and 2 with 0.
template <operand A, operand B, int N>
[[nodiscard]] auto tensordot(const A& a, const B& b, const int (&axes_a)[N], const int (&axes_b)[N]) {
    (void)detail::axis_mask("tensordot", detail::axis_keyword{} = axes_a, A::rank);
    (void)detail::axis_mask("tensordot", detail::axis_keyword{} = axes_b, B::rank);
    int of_a[N], of_b[N];
    for (int i = 0; i < N; ++i) {
        of_a[i] = axes_a[i] < 0 ? axes_a[i] + A::rank : axes_a[i];
        of_b[i] = axes_b[i] < 0 ? axes_b[i] + B::rank : axes_b[i];
    }
    return detail::summed_product<N>(a, of_a, b, of_b);
}

/// The Kronecker product: each element of `a` replaced by its product with all of `b`. Operands of equal rank, up to 4.
template <operand A, operand B>
[[nodiscard]] auto kron(const A& a, const B& b) {
    constexpr int rank = A::rank;
    static_assert(rank == B::rank && 2 * rank <= max_rank,
                  "sinter: kron takes operands of equal rank, of at most 4 axes");
    int blocks[rank + 1] = {}, within[rank + 1] = {};
    shape<rank> to = a.shape();
    for (int i = 0; i < rank; ++i) {
        blocks[i] = 2 * i;
        within[i] = 2 * i + 1;
        const std::int64_t factors[] = {to.extent[i], b.shape().extent[i]};
        to.extent[i] = detail::checked_size("kron", factors, 2);
    }
    detail::checked_size("kron", to.extent, rank);
    return reshape(detail::spread<2 * rank>(a, blocks) * detail::spread<2 * rank>(b, within), to);
}

/// The cross product of vectors of three elements along an axis (default: last), numbered in each operand; the other
/// axes broadcast. Throws unless that axis has three elements.
template <operand A, operand B>
[[nodiscard]] auto cross(const A& a, const B& b, detail::runtime_axes<1> which = detail::static_axes<-1>{}) {
    static_assert(A::rank > 0 && B::rank > 0, "sinter: cross takes vectors of three elements");
    const int of_a = __builtin_ctz(detail::axis_mask("cross", which, A::rank));
    const int of_b = __builtin_ctz(detail::axis_mask("cross", which, B::rank));
    if (a.shape().extent[of_a] != 3) detail::throw_bad_cross(a.shape().extent, A::rank, of_a);
    if (b.shape().extent[of_b] != 3) detail::throw_bad_cross(b.shape().extent, B::rank, of_b);
    return detail::rolled_vector(a, of_a, 2) * detail::rolled_vector(b, of_b, 1) -
           detail::rolled_vector(a, of_a, 1) * detail::rolled_vector(b, of_b, 2);
}

/// For a vector, the matrix with it on a diagonal and zeros elsewhere; for a matrix, that diagonal. `offset` moves the
/// diagonal up and right.
template <operand A>
[[nodiscard]] auto diag(const A& a, std::int64_t offset = 0) {
    static_assert(A::rank == 1 || A::rank == 2,
                  "sinter: diag takes a vector or a matrix; for more axes write diagonal");
    if constexpr (A::rank == 2) {
        return diagonal(a, offset);
    } else {
        const std::int64_t n = a.shape().extent[0],
                           aside = offset < 0 ? detail::as_int64(-detail::any_integer(offset)) : offset;
        const std::int64_t down = offset < 0 ? aside : 0;
        const std::int64_t extents[] = {detail::checked_sum("diag", n, aside), detail::checked_sum("diag", n, aside)};
        detail::checked_size("diag", extents, 2, detail::bytes_of<A>);
        const auto row = detail::index_along<2>(0, n + aside), column = detail::index_along<2>(1, n + aside);
        const auto place = clip(row - down, std::int64_t{0}, n > 0 ? n - 1 : 0);
        const int rows[] = {0};
        auto read = detail::along(detail::spread<2>(a, rows), 0, n + aside, place * std::int64_t{1});
        return where(column - row == offset, std::move(read), element_t<A::type>(0));
    }
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(tensordot, "tensordot(x, y) or tensordot(x, y, {0}, {1})")
SINTER_DETAIL_USAGE(kron, "kron(x, y)")
SINTER_DETAIL_USAGE(cross, "cross(x, y, axis=-1)")
SINTER_DETAIL_USAGE(diag, "diag(x, offset)")

}  // namespace sinter
