// A BLAS for tests: the products of the C interface (https://www.netlib.org/blas/#_cblas), in the plainest loops, in a
// library of their own that SINTER_BLAS can name.
#include <complex>
#include <cstdlib>

namespace {

constexpr int row_major = 101, as_it_lies = 111, turned = 112;

template <class T>
void multiply(int order, int of_a, int of_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
              T beta, T* c, int ldc) {
    const bool known = (of_a == as_it_lies || of_a == turned) && (of_b == as_it_lies || of_b == turned);
    if (order != row_major || !known || lda < (of_a == turned ? m : k) || ldb < (of_b == turned ? k : n) || ldc < n)
        std::abort();  // a real one prints which argument is wrong, and goes on
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            T sum = 0;
            for (int s = 0; s < k; ++s)
                sum += (of_a == turned ? a[s * lda + i] : a[i * lda + s]) *
                       (of_b == turned ? b[j * ldb + s] : b[s * ldb + j]);
            T& to = c[i * ldc + j];
            to = beta == T(0) ? alpha * sum : alpha * sum + beta * to;
        }
}

template <class T>
void multiply_complex(int order, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a, int lda,
                      const void* b, int ldb, const void* beta, void* c, int ldc) {
    const auto in = [](const void* p) { return static_cast<const std::complex<T>*>(p); };
    multiply(order, of_a, of_b, m, n, k, *in(alpha), in(a), lda, in(b), ldb, *in(beta),
             static_cast<std::complex<T>*>(c), ldc);
}

}  // namespace

extern "C" {

void cblas_sgemm(int order, int of_a, int of_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc) {
    multiply(order, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_dgemm(int order, int of_a, int of_b, int m, int n, int k, double alpha, const double* a, int lda,
                 const double* b, int ldb, double beta, double* c, int ldc) {
    multiply(order, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_cgemm(int order, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a, int lda,
                 const void* b, int ldb, const void* beta, void* c, int ldc) {
    multiply_complex<float>(order, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_zgemm(int order, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a, int lda,
                 const void* b, int ldb, const void* beta, void* c, int ldc) {
    multiply_complex<double>(order, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}
