// Eigenvalues and singular values on the host. The results are NaN for a matrix with an element that is not finite, or
// for which LAPACK's iteration does not converge.
#include <runtime/host/linalg.hpp>
#include <runtime/host/linalg_batches.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

using namespace batched;

template <class T>
using real_of_type = typename real_part_of<T>::type;

/// The memory that LAPACK works in.
template <class T>
struct spectrum_scratch {
    std::vector<T> matrix, left, right, work;
    std::vector<real_of_type<T>> values, imaginary, real_work;
    std::vector<int> int_work;
};

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(std::max<std::int64_t>(1, n)); }

/// Calls heevd for one matrix. `asks`: a workspace query.
template <class T>
int call_heevd(const lapack<T>& l, const char* job, const char* triangle, int n, spectrum_scratch<T>& s, bool asks) {
    const int lda = leading(n);
    const auto count = [asks](const auto& v) { return asks ? -1 : static_cast<int>(v.size()); };
    const int work = count(s.work), reals = count(s.real_work), ints = count(s.int_work);
    int info = 0;
    if constexpr (lapack<T>::is_complex)
        l.heevd(job, triangle, &n, s.matrix.data(), &lda, s.values.data(), s.work.data(), &work, s.real_work.data(),
                &reals, s.int_work.data(), &ints, &info, 1, 1);
    else
        l.heevd(job, triangle, &n, s.matrix.data(), &lda, s.values.data(), s.work.data(), &work, s.int_work.data(),
                &ints, &info, 1, 1);
    return info;
}

template <class T>
void compute_eigh(const call_site& call, const T* a, real_of_type<T>* values, T* vectors) {
    const matrices all = matrices_of(call.operands[0]);
    const lapack<T>& l = lapack_of<T>();
    const int n = extent("eigh", all.rows);
    // LAPACK sees the transpose: the conjugate of a Hermitian matrix, and the other triangle
    const bool upper = call.integers[0] != 0;
    const char *const triangle = upper ? "L" : "U", *const job = vectors != nullptr ? "V" : "N";
    spectrum_scratch<T> scratch;
    scratch.matrix.resize(size(all.elements()));
    scratch.values.resize(size(all.rows));
    scratch.work.resize(1);
    scratch.real_work.resize(1);
    scratch.int_work.resize(1);
    call_heevd(l, job, triangle, n, scratch, true);
    scratch.real_work.resize(size(static_cast<std::int64_t>(scratch.real_work[0])));
    scratch.int_work.resize(size(scratch.int_work[0]));
    scratch.work.resize(size(work_size(scratch.work[0])));
    const auto counts = [&](const T* from) {  // whether the triangle that is read is finite
        for (std::int64_t row = 0; row < all.rows; ++row)
            if (!is_finite(from + row * all.rows + (upper ? row : 0), upper ? all.rows - row : row + 1)) return false;
        return true;
    };
    for_each_matrix(all.count, all.elements(), scratch, [&](spectrum_scratch<T>& s, std::int64_t i) {
        const T* const from = a + i * all.elements();
        real_of_type<T>* const to_values = values == nullptr ? nullptr : values + i * all.rows;
        T* const to = vectors == nullptr ? nullptr : vectors + i * all.elements();
        std::copy_n(from, all.elements(), s.matrix.data());
        if (!counts(from) || call_heevd(l, job, triangle, n, s, false) > 0) {
            fill_nan(to_values, all.rows);
            return fill_nan(to, all.elements());
        }
        if (to_values != nullptr) std::copy_n(s.values.data(), all.rows, to_values);
        if (to == nullptr) return;
        transpose(s.matrix.data(), to, all.rows, all.rows);
        if constexpr (lapack<T>::is_complex)
            for (std::int64_t e = 0; e < all.elements(); ++e) to[e] = std::conj(to[e]);
    });
}

/// gesdd of the transpose of a matrix of rows x columns.
template <class T>
int call_gesdd(const lapack<T>& l, const char* job, const matrices& all, std::int64_t kept, spectrum_scratch<T>& s,
               bool asks) {
    const int m = static_cast<int>(all.columns), n = static_cast<int>(all.rows), lda = leading(m);
    const int in_right = leading(static_cast<int>(all.rows < all.columns ? all.rows : kept)), ldu = leading(m);
    const int work = asks ? -1 : static_cast<int>(s.work.size());
    int info = 0;
    if constexpr (lapack<T>::is_complex)
        l.gesdd(job, &m, &n, s.matrix.data(), &lda, s.values.data(), s.left.data(), &ldu, s.right.data(), &in_right,
                s.work.data(), &work, s.real_work.data(), s.int_work.data(), &info, 1);
    else
        l.gesdd(job, &m, &n, s.matrix.data(), &lda, s.values.data(), s.left.data(), &ldu, s.right.data(), &in_right,
                s.work.data(), &work, s.int_work.data(), &info, 1);
    return info;
}

template <class T>
void compute_svd(const call_site& call, const T* a, T* u, real_of_type<T>* values, T* vh) {
    const matrices all = matrices_of(call.operands[0]);
    const lapack<T>& l = lapack_of<T>();
    const std::int64_t shorter = all.shorter(), longer = all.rows + all.columns - shorter;
    const std::int64_t kept = call.integers[0] != 0 ? longer : shorter;
    extent("svd", longer);
    const bool has_vectors = u != nullptr || vh != nullptr;
    const char* const job = !has_vectors ? "N" : call.integers[0] != 0 ? "A" : "S";
    const std::int64_t in_u = all.rows * (all.rows < all.columns ? all.rows : kept);
    const std::int64_t in_vh = all.columns * (all.rows < all.columns ? kept : all.columns);
    spectrum_scratch<T> scratch;
    scratch.matrix.resize(size(all.elements()));
    scratch.values.resize(size(shorter));
    scratch.left.resize(size(has_vectors ? in_vh : 0));
    scratch.right.resize(size(has_vectors ? in_u : 0));
    scratch.int_work.resize(size(8 * shorter));
    // from gesdd's documentation, for complex matrices
    const std::int64_t reals =
        has_vectors ? shorter * std::max(5 * shorter + 7, 2 * longer + 2 * shorter + 1) : 7 * shorter;
    if (lapack<T>::is_complex) scratch.real_work.resize(size(reals));
    scratch.work.resize(1);
    call_gesdd(l, job, all, kept, scratch, true);
    scratch.work.resize(size(work_size(scratch.work[0])));
    for_each_matrix(all.count, all.elements(), scratch, [&](spectrum_scratch<T>& s, std::int64_t i) {
        const T* const from = a + i * all.elements();
        T* const to_u = u == nullptr ? nullptr : u + i * in_u;
        T* const to_vh = vh == nullptr ? nullptr : vh + i * in_vh;
        real_of_type<T>* const to_values = values == nullptr ? nullptr : values + i * shorter;
        if (shorter == 0) {  // LAPACK does not write the vectors of empty matrices: they are unit vectors
            for (T* const to : {to_u, to_vh})
                for (std::int64_t e = 0; to != nullptr && e < (to == to_u ? in_u : in_vh); ++e)
                    to[e] = T(e % (longer + 1) == 0 ? 1 : 0);
            return;
        }
        std::copy_n(from, all.elements(), s.matrix.data());
        if (!is_finite(from, all.elements()) || call_gesdd(l, job, all, kept, s, false) > 0) {
            fill_nan(to_u, in_u);
            fill_nan(to_vh, in_vh);
            return fill_nan(to_values, shorter);
        }
        if (to_u != nullptr) std::copy_n(s.right.data(), in_u, to_u);
        if (to_vh != nullptr) std::copy_n(s.left.data(), in_vh, to_vh);
        if (to_values != nullptr) std::copy_n(s.values.data(), shorter, to_values);
    });
}

/// Calls geev for one column-major matrix: values and right eigenvectors.
template <class T>
int call_geev(const lapack<T>& l, const char* job, int n, spectrum_scratch<T>& s, bool asks) {
    const int lda = leading(n), none = 1;
    const int work = asks ? -1 : static_cast<int>(s.work.size());
    int info = 0;
    if constexpr (lapack<T>::is_complex)
        l.geev("N", job, &n, s.matrix.data(), &lda, s.left.data(), nullptr, &none, s.right.data(), &lda, s.work.data(),
               &work, s.real_work.data(), &info, 1, 1);
    else
        l.geev("N", job, &n, s.matrix.data(), &lda, s.values.data(), s.imaginary.data(), nullptr, &none, s.right.data(),
               &lda, s.work.data(), &work, &info, 1, 1);
    return info;
}

/// Element i of eigenvector k. Complex ones of a real matrix come in pairs: the first column is the real part, the
/// second the imaginary part.
template <class T>
std::complex<real_of_type<T>> eigenvector(const spectrum_scratch<T>& s, std::int64_t n, std::int64_t k,
                                          std::int64_t i) {
    const T* const v = s.right.data();
    if constexpr (lapack<T>::is_complex) {
        return v[k * n + i];
    } else {
        const T turn = s.imaginary[static_cast<std::size_t>(k)];
        if (turn == 0) return v[k * n + i];
        return turn > 0 ? std::complex<T>(v[k * n + i], v[(k + 1) * n + i])
                        : std::complex<T>(v[(k - 1) * n + i], -v[k * n + i]);
    }
}

template <class T>
void compute_eig(const call_site& call, const T* a, std::complex<real_of_type<T>>* values,
                 std::complex<real_of_type<T>>* vectors) {
    const matrices all = matrices_of(call.operands[0]);
    const lapack<T>& l = lapack_of<T>();
    const int n = extent("eig", all.rows);
    const char* const job = vectors != nullptr ? "V" : "N";
    spectrum_scratch<T> scratch;
    scratch.matrix.resize(size(all.elements()));
    scratch.left.resize(size(all.rows));  // values of a complex matrix
    scratch.values.resize(size(all.rows));
    scratch.imaginary.resize(size(all.rows));
    scratch.right.resize(size(all.elements()));
    scratch.real_work.resize(size(2 * all.rows));
    scratch.work.resize(1);
    call_geev(l, job, n, scratch, true);
    scratch.work.resize(size(work_size(scratch.work[0])));
    for_each_matrix(all.count, all.elements(), scratch, [&](spectrum_scratch<T>& s, std::int64_t i) {
        const T* const from = a + i * all.elements();
        auto* const to_values = values == nullptr ? nullptr : values + i * all.rows;
        auto* const to = vectors == nullptr ? nullptr : vectors + i * all.elements();
        transpose(from, s.matrix.data(), all.rows, all.rows);
        if (!is_finite(from, all.elements()) || call_geev(l, job, n, s, false) > 0) {
            fill_nan(to_values, all.rows);
            return fill_nan(to, all.elements());
        }
        for (std::int64_t k = 0; to_values != nullptr && k < all.rows; ++k) {
            const auto at = static_cast<std::size_t>(k);
            if constexpr (lapack<T>::is_complex)
                to_values[k] = s.left[at];
            else
                to_values[k] = {s.values[at], s.imaginary[at]};
        }
        for (std::int64_t row = 0; to != nullptr && row < all.rows; ++row)
            for (std::int64_t k = 0; k < all.rows; ++k) to[row * all.rows + k] = eigenvector(s, all.rows, k, row);
    });
}

}  // namespace

void eigh_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        compute_eigh<T>(call, static_cast<const T*>(operands[0]), static_cast<real_of_type<T>*>(results[0]),
                        static_cast<T*>(results[1]));
    });
}

void svd_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        compute_svd<T>(call, static_cast<const T*>(operands[0]), static_cast<T*>(results[0]),
                       static_cast<real_of_type<T>*>(results[1]), static_cast<T*>(results[2]));
    });
}

void eig_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        using C = std::complex<real_of_type<T>>;
        compute_eig<T>(call, static_cast<const T*>(operands[0]), static_cast<C*>(results[0]),
                       static_cast<C*>(results[1]));
    });
}

}  // namespace sinter::codegen
