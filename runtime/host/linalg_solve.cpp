// Linear systems on the host: LU and Cholesky factors, solutions, inverses, determinants.
//
// Functions that can fail factor all matrices first, and throw before anything is written.
#include <runtime/host/linalg.hpp>
#include <runtime/host/linalg_batches.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

using namespace batched;

constexpr const char* singular = "is singular";
constexpr const char* regular_cure = "use lstsq or pinv, which take any matrix";

/// The LU factors of all matrices' transposes.
template <class T>
struct lu_factors {
    std::vector<T> of;
    std::vector<int> pivots;
    std::int64_t n;
    first_failure singular_one;

    lu_factors(const char* function, const matrices& all, const T* a)
        : of(a, a + all.count * all.elements()), pivots(static_cast<std::size_t>(all.count * all.rows)), n(all.rows) {
        const lapack<T>& l = lapack_of<T>();
        const int size = extent(function, n), lda = leading(size);
        for_each_matrix(all.count, all.elements(), 0, [&](int, std::int64_t i) {
            int info = 0;
            l.getrf(&size, &size, matrix(i), &lda, pivots_of(i), &info);
            if (info > 0) singular_one.at(i);
        });
    }

    T* matrix(std::int64_t i) { return of.data() + i * n * n; }
    int* pivots_of(std::int64_t i) { return pivots.data() + i * n; }
};

template <class T>
void solve(const call_site& call, const T* a, const T* b, T* x) {
    const matrices all = matrices_of(call.results[0]), of_a = matrices_of(call.operands[0]);
    const batch_axes axes = batches_of_solve(call.operands[0], call.operands[1]);
    const lapack<T>& l = lapack_of<T>();
    const int n = extent("solve", all.rows), sides = extent("solve", all.columns), lda = leading(n);
    lu_factors<T> lu("solve", of_a, a);
    lu.singular_one.raise("solve", singular, regular_cure, of_a.count);
    const std::vector<T> scratch(static_cast<std::size_t>(all.elements()));
    for_each_matrix(all.count, of_a.elements() + all.elements(), scratch, [&](std::vector<T>& turned, std::int64_t i) {
        const solve_places at(axes, i);
        const std::int64_t matrix = of_a.elements() > 0 ? at.a / of_a.elements() : 0;
        T* const to = x + i * all.elements();
        T* const columns = sides == 1 ? to : turned.data();
        transpose(b + at.b, columns, all.rows, all.columns);
        int info = 0;
        l.getrs("T", &n, &sides, lu.matrix(matrix), &lda, lu.pivots_of(matrix), columns, &lda, &info, 1);
        if (columns != to) transpose(columns, to, all.columns, all.rows);
    });
}

template <class T>
void invert(const call_site& call, const T* a, T* inverse) {
    const matrices all = matrices_of(call.operands[0]);
    const lapack<T>& l = lapack_of<T>();
    const int n = extent("inv", all.rows), lda = leading(n);
    lu_factors<T> lu("inv", all, a);
    if (call.integers[0] == 0) lu.singular_one.raise("inv", singular, regular_cure, all.count);
    T answer{};
    int info = 0;
    const int ask = -1;
    l.getri(&n, nullptr, &lda, nullptr, &answer, &ask, &info);
    const std::vector<T> scratch(static_cast<std::size_t>(work_size(answer)));
    const int size = static_cast<int>(scratch.size());
    for_each_matrix(all.count, all.elements(), scratch, [&](std::vector<T>& work, std::int64_t i) {
        int failed = 0;
        l.getri(&n, lu.matrix(i), &lda, lu.pivots_of(i), work.data(), &size, &failed);
        T* const to = inverse + i * all.elements();
        if (failed > 0)
            fill_nan(to, all.elements());
        else
            std::copy_n(lu.matrix(i), all.elements(), to);
    });
}

template <class T>
void factor_cholesky(const call_site& call, const T* a, T* factor) {
    const matrices all = matrices_of(call.operands[0]);
    const lapack<T>& l = lapack_of<T>();
    const int n = extent("cholesky", all.rows), lda = leading(n);
    // the lower triangle in row-major order is the upper one in column-major order, and so is the factor
    const char* const triangle = call.integers[0] != 0 ? "L" : "U";
    std::vector<T> factors(a, a + all.count * all.elements());
    first_failure failure;
    for_each_matrix(all.count, all.elements(), 0, [&](int, std::int64_t i) {
        int info = 0;
        l.potrf(triangle, &n, factors.data() + i * all.elements(), &lda, &info, 1);
        if (info > 0) failure.at(i);
    });
    failure.raise("cholesky", "is not positive definite", "use lu or eigh for other matrices", all.count);
    for_each_matrix(all.count, all.elements(), 0, [&](int, std::int64_t i) {
        for (std::int64_t row = 0; row < all.rows; ++row)
            for (std::int64_t column = 0; column < all.rows; ++column) {
                const std::int64_t at = i * all.elements() + row * all.rows + column;
                const bool inside = call.integers[0] != 0 ? column >= row : column <= row;
                factor[at] = inside ? factors[static_cast<std::size_t>(at)] : T(0);
            }
    });
}

template <class T>
void factor_lu(const call_site& call, const T* a, T* packed, std::int64_t* pivots) {
    const matrices all = matrices_of(call.operands[0]);
    const lapack<T>& l = lapack_of<T>();
    const int m = extent("lu", all.rows), n = extent("lu", all.columns), lda = leading(m);
    struct scratch {
        std::vector<T> columns;
        std::vector<int> pivots;
    };
    const scratch empty{std::vector<T>(static_cast<std::size_t>(all.elements())),
                        std::vector<int>(static_cast<std::size_t>(all.shorter()))};
    for_each_matrix(all.count, all.elements(), empty, [&](scratch& s, std::int64_t i) {
        transpose(a + i * all.elements(), s.columns.data(), all.rows, all.columns);
        int info = 0;
        l.getrf(&m, &n, s.columns.data(), &lda, s.pivots.data(), &info);
        if (packed != nullptr) transpose(s.columns.data(), packed + i * all.elements(), all.columns, all.rows);
        if (pivots == nullptr) return;
        for (std::int64_t k = 0; k < all.shorter(); ++k)
            pivots[i * all.shorter() + k] = s.pivots[static_cast<std::size_t>(k)] - 1;
    });
}

template <class T>
void compute_det(const call_site& call, const T* a, T* det, T* sign, typename real_part_of<T>::type* log_modulus) {
    using R = typename real_part_of<T>::type;
    const matrices all = matrices_of(call.operands[0]);
    lu_factors<T> lu("det", all, a);
    for (std::int64_t i = 0; i < all.count; ++i) {
        T product(1), direction(1);
        R logs = 0;
        for (std::int64_t k = 0; k < all.rows; ++k) {
            const T x = lu.matrix(i)[k * all.rows + k];
            const R size = std::abs(x);
            const R exchanged = lu.pivots_of(i)[k] == k + 1 ? R(1) : R(-1);
            product *= x * exchanged;
            logs += std::log(size);
            direction = size == R(0) ? T(0) : direction * (x / size) * exchanged;
        }
        if (det != nullptr) det[i] = product;
        if (sign != nullptr) sign[i] = direction;
        if (log_modulus != nullptr) log_modulus[i] = logs;
    }
}

}  // namespace

void solve_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        solve<T>(call, static_cast<const T*>(operands[0]), static_cast<const T*>(operands[1]),
                 static_cast<T*>(results[0]));
    });
}

void invert_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        invert<T>(call, static_cast<const T*>(operands[0]), static_cast<T*>(results[0]));
    });
}

void cholesky_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        factor_cholesky<T>(call, static_cast<const T*>(operands[0]), static_cast<T*>(results[0]));
    });
}

void lu_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        factor_lu<T>(call, static_cast<const T*>(operands[0]), static_cast<T*>(results[0]),
                     static_cast<std::int64_t*>(results[1]));
    });
}

void det_on_host(const call_site& call, const void* const* operands, void* const* results) {
    for_matrix_type(call.operands[0].type, [&]<class T>() {
        compute_det<T>(call, static_cast<const T*>(operands[0]), static_cast<T*>(results[0]),
                       static_cast<T*>(results[1]), static_cast<typename real_part_of<T>::type*>(results[2]));
    });
}

}  // namespace sinter::codegen
