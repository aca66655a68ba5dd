// Linear solvers and matrix decompositions. The last two axes of an operand hold the matrices; the axes before them are
// batches. Part of linalg.hpp.
//
//     array<double, 1> x = solve(a, b);
//     tie(q, r) = qr(a);
#pragma once

#include <sinter/call.hpp>
#include <sinter/op/complex.hpp>
#include <sinter/options.hpp>
#include <sinter/pack.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

struct upper_tag {};
struct complete_tag {};

/// The dtype that matrices are factored in and the results have. Integers give float64; storage types are computed in
/// float32 and rounded once.
template <class... A>
inline constexpr dtype linalg_result = [] {
    const operand_info all[] = {info_of<A>()...};
    constexpr int count = sizeof...(A);
    const dtype common = count == 1 ? all[0].type : common_dtype(all, 0);
    return is_floating(common) || is_complex(common) ? common : default_float;
}();
template <class... A>
inline constexpr dtype linalg_dtype = computed_in(linalg_result<A...>);

template <class A>
inline constexpr int rank_of_operand = std::remove_cvref_t<A>::rank;

template <class A>
constexpr bool has_matrices() {
    static_assert(
        rank_of_operand<A> >= 2,
        "sinter: linear algebra takes matrices along the last two axes: the operand must have at least two axes");
    return rank_of_operand<A> >= 2;
}

/// Result number `Result` of a whole-array function of one operand; the result has `Less` axes fewer than the operand.
template <const ir::call_row& Row, int Result, dtype D, int Less, operand A>
auto matrix_call(A&& a, bool flag = false) {
    constexpr dtype type = linalg_dtype<A>;
    const std::int64_t integers[] = {flag};
    return call_of<Row, Result, D, rank_of_operand<A> - Less>(integers, to_dtype<type>(std::forward<A>(a)));
}

/// The transposes of the matrices.
template <operand A>
auto transposed_matrices(A&& a) {
    constexpr int rank = rank_of_operand<A>;
    int to[rank];
    for (int i = 0; i < rank; ++i) to[i] = i;
    to[rank - 2] = rank - 1;
    to[rank - 1] = rank - 2;
    return spread<rank>(std::forward<A>(a), to);
}

/// The conjugate transposes of the matrices.
template <operand A>
auto adjoint(A&& a) {
    if constexpr (is_complex(std::remove_cvref_t<A>::type))
        return transposed_matrices(conj(std::forward<A>(a)));
    else
        return transposed_matrices(std::forward<A>(a));
}

/// Inserts an axis of extent 1 before the last `Kept` axes: a vector becomes a matrix of one column, or a batch of
/// vectors matrices of one row.
template <int Kept, operand A>
auto with_unit_axis(A&& a) {
    constexpr int rank = rank_of_operand<A>;
    int to[rank + 1];
    for (int i = 0; i < rank; ++i) to[i] = i < rank - Kept ? i : i + 1;
    return spread<rank + 1>(std::forward<A>(a), to);
}

/// Removes the last axis, of extent 1.
template <operand A>
auto without_last_axis(A&& a) {
    constexpr int rank = rank_of_operand<A>;
    const auto from = a.shape();
    auto v = make_view<rank - 1>(std::forward<A>(a));
    for (int i = 0; i < rank; ++i) set_axis(own_integers(v), i, i < rank - 1 ? i : -1, 0, i < rank - 1);
    for (int i = 0; i < rank - 1; ++i) v.shape_.extent[i] = from.extent[i];
    set_extents(v, rank);
    return v;
}

}  // namespace detail

/// Makes cholesky return the upper factor, and eigh and eigvalsh read the upper triangle.
inline constexpr detail::option<detail::upper_tag, detail::no_value> upper{};
/// Makes qr return a square Q, and svd square U and V^H.
inline constexpr detail::option<detail::complete_tag, detail::no_value> complete{};

/// Solves a x = b by LU factorization with partial pivoting. b is one vector if it has one axis, as in NumPy 2, else
/// matrices whose columns are solved for. Batches broadcast. Throws if shapes do not match. A singular matrix throws on
/// the host; on a device, which is not waited for, it gives infinities and NaN. Differentiable for real operands.
template <operand A, operand B>
[[nodiscard]] auto solve(A&& a, B&& b) {
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype type = detail::linalg_dtype<A, B>;
        constexpr int rank_b = detail::rank_of_operand<B>;
        static_assert(rank_b > 0,
                      "sinter: the right-hand side of solve is a vector or matrices: it must have at least one axis");
        if constexpr (rank_b == 1) {
            return detail::without_last_axis(solve(std::forward<A>(a), detail::with_unit_axis<0>(std::forward<B>(b))));
        } else if constexpr (rank_b > 1) {
            constexpr int rank = detail::rank_of_operand<A> > rank_b ? detail::rank_of_operand<A> : rank_b;
            return detail::to_dtype<detail::linalg_result<A, B>>(detail::call_of<detail::calls::solve, 0, type, rank>(
                nullptr, detail::to_dtype<type>(std::forward<A>(a)), detail::to_dtype<type>(std::forward<B>(b))));
        }
    }
}

/// The inverses of square matrices. Singular matrices behave as in solve; solve(a, b) is faster and more accurate than
/// matmul(inv(a), b). Differentiable for real operands.
template <operand A>
[[nodiscard]] auto inv(A&& a) {
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<detail::linalg_result<A>>(
            detail::matrix_call<detail::calls::inv, 0, detail::linalg_dtype<A>, 0>(std::forward<A>(a)));
}

/// The Cholesky factors of Hermitian positive definite matrices: the lower triangular L of a = L L^H, or with `upper`
/// the U of a = U^H U. Only that triangle of `a` is read. A matrix that is not positive definite throws on the host and
/// gives NaN on a device. Differentiable for real operands, with a symmetric gradient. Options: upper.
template <operand A, detail::option_among<detail::upper_tag>... Options>
[[nodiscard]] auto cholesky(A&& a, const Options&...) {
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<detail::linalg_result<A>>(
            detail::matrix_call<detail::calls::cholesky, 0, detail::linalg_dtype<A>, 0>(
                std::forward<A>(a), detail::has_option<detail::upper_tag, Options...>));
}

/// The LU factorization of matrices of any shape with partial pivoting, as SciPy's lu_factor: tie(factors, pivots) =
/// lu(a). One matrix holds U on and above the diagonal, and below it L, whose unit diagonal is implied. The pivots,
/// int64, are the rows that each row was exchanged with, in order.
template <operand A>
[[nodiscard]] auto lu(const A& a) {
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype type = detail::linalg_dtype<A>;
        return pack(
            detail::to_dtype<detail::linalg_result<A>>(
                detail::call_of<detail::calls::lu, 0, type, A::rank>(nullptr, detail::to_dtype<type>(a))),
            detail::call_of<detail::calls::lu, 1, dtype::int64, A::rank - 1>(nullptr, detail::to_dtype<type>(a)));
    }
}

/// The determinants of square matrices; 1 for a matrix without elements. Differentiable for real nonsingular operands.
template <operand A>
[[nodiscard]] auto det(A&& a) {
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<detail::linalg_result<A>>(
            detail::matrix_call<detail::calls::det, 0, detail::linalg_dtype<A>, 2>(std::forward<A>(a)));
}

/// The sign of the determinant and the logarithm of its modulus, without the overflow of det: tie(sign, log) =
/// slogdet(a). Singular matrices give 0 and -inf. For complex matrices the sign is a number of modulus 1. The logarithm
/// is differentiable for real operands.
template <operand A>
[[nodiscard]] auto slogdet(const A& a) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype result = detail::linalg_result<A>, type = detail::linalg_dtype<A>;
        return pack(detail::to_dtype<result>(detail::matrix_call<detail::calls::det, 1, type, 2>(a)),
                    detail::to_dtype<real_of(result)>(detail::matrix_call<detail::calls::det, 2, real_of(type), 2>(a)));
    }
}

/// The QR decomposition a = Q R of matrices of any shape: Q has orthonormal columns, R is upper triangular. For m rows
/// and n columns Q has min(m, n) columns, or m with `complete`, and R has that many rows. tie(q, r) = qr(a). Options:
/// complete.
template <operand A, detail::option_among<detail::complete_tag>... Options>
[[nodiscard]] auto qr(const A& a, const Options&...) {
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype result = detail::linalg_result<A>, type = detail::linalg_dtype<A>;
        constexpr bool whole = detail::has_option<detail::complete_tag, Options...>;
        return pack(detail::to_dtype<result>(detail::matrix_call<detail::calls::qr, 0, type, 0>(a, whole)),
                    detail::to_dtype<result>(detail::matrix_call<detail::calls::qr, 1, type, 0>(a, whole)));
    }
}

/// The eigenvalues of Hermitian matrices, real and ascending, and the eigenvectors, as columns. Only the lower triangle
/// is read, or with `upper` the upper one. NaN or infinity in it gives NaN results. tie(values, vectors) = eigh(a).
/// Options: upper.
template <operand A, detail::option_among<detail::upper_tag>... Options>
[[nodiscard]] auto eigh(const A& a, const Options&...) {
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype result = detail::linalg_result<A>, type = detail::linalg_dtype<A>;
        constexpr bool of_upper = detail::has_option<detail::upper_tag, Options...>;
        return pack(detail::to_dtype<real_of(result)>(
                        detail::matrix_call<detail::calls::eigh, 0, real_of(type), 1>(a, of_upper)),
                    detail::to_dtype<result>(detail::matrix_call<detail::calls::eigh, 1, type, 0>(a, of_upper)));
    }
}

/// The eigenvalues of eigh alone. Options: upper.
template <operand A, detail::option_among<detail::upper_tag>... Options>
[[nodiscard]] auto eigvalsh(const A& a, const Options&...) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<real_of(detail::linalg_result<A>)>(
            detail::matrix_call<detail::calls::eigh, 0, real_of(detail::linalg_dtype<A>), 1>(
                a, detail::has_option<detail::upper_tag, Options...>));
}

/// The eigenvalues of square matrices and the right eigenvectors, as columns of unit length. Both are complex, even for
/// real matrices, and in the order that the library returns. Uses LAPACK on the host and cuSOLVER on a GPU; throws if
/// neither is available. tie(values, vectors) = eig(a).
template <operand A>
[[nodiscard]] auto eig(const A& a) {
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype type = detail::linalg_dtype<A>, result = complex_of(type);
        return pack(detail::call_of<detail::calls::eig, 0, result, A::rank - 1>(nullptr, detail::to_dtype<type>(a)),
                    detail::call_of<detail::calls::eig, 1, result, A::rank>(nullptr, detail::to_dtype<type>(a)));
    }
}

/// The eigenvalues of eig alone.
template <operand A>
[[nodiscard]] auto eigvals(const A& a) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype type = detail::linalg_dtype<A>;
        return detail::call_of<detail::calls::eig, 0, complex_of(type), A::rank - 1>(nullptr,
                                                                                     detail::to_dtype<type>(a));
    }
}

/// The singular value decomposition a = U S V^H of matrices of any shape; the singular values S are real and
/// descending. For m rows and n columns U is m x min(m, n) and V^H min(m, n) x n, or with `complete` m x m and n x n
/// (NumPy's full_matrices, which is its default). NaN or infinity in a matrix gives NaN results. tie(u, s, vh) =
/// svd(a). Options: complete.
template <operand A, detail::option_among<detail::complete_tag>... Options>
[[nodiscard]] auto svd(const A& a, const Options&...) {
    if constexpr (detail::has_matrices<A>()) {
        constexpr dtype result = detail::linalg_result<A>, type = detail::linalg_dtype<A>;
        constexpr bool whole = detail::has_option<detail::complete_tag, Options...>;
        return pack(
            detail::to_dtype<result>(detail::matrix_call<detail::calls::svd, 0, type, 0>(a, whole)),
            detail::to_dtype<real_of(result)>(detail::matrix_call<detail::calls::svd, 1, real_of(type), 1>(a, whole)),
            detail::to_dtype<result>(detail::matrix_call<detail::calls::svd, 2, type, 0>(a, whole)));
    }
}

/// The singular values of svd alone, descending.
template <operand A>
[[nodiscard]] auto svdvals(const A& a) {
    const detail::called_as self(__func__);
    if constexpr (detail::has_matrices<A>())
        return detail::to_dtype<real_of(detail::linalg_result<A>)>(
            detail::matrix_call<detail::calls::svd, 1, real_of(detail::linalg_dtype<A>), 1>(a));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(solve, "solve(a, b)")
SINTER_DETAIL_USAGE(inv, "inv(a)")
SINTER_DETAIL_USAGE(cholesky, "cholesky(a, upper)")
SINTER_DETAIL_USAGE(lu, "tie(factors, pivots) = lu(a)")
SINTER_DETAIL_USAGE(det, "det(a)")
SINTER_DETAIL_USAGE(slogdet, "tie(sign, log) = slogdet(a)")
SINTER_DETAIL_USAGE(qr, "tie(q, r) = qr(a)")
SINTER_DETAIL_USAGE(eigh, "tie(values, vectors) = eigh(a)")
SINTER_DETAIL_USAGE(eigvalsh, "eigvalsh(a)")
SINTER_DETAIL_USAGE(eig, "tie(values, vectors) = eig(a)")
SINTER_DETAIL_USAGE(eigvals, "eigvals(a)")
SINTER_DETAIL_USAGE(svd, "tie(u, s, vh) = svd(a)")
SINTER_DETAIL_USAGE(svdvals, "svdvals(a)")

}  // namespace sinter
