// The search for a BLAS and its one function in four dtypes, as Fortran compilers name it: every BLAS has that.
// https://www.netlib.org/blas/#_level_3. Netlib's own reference BLAS is not looked for: it uses one core and no cache.
#include <codegen/host/blas.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <dlfcn.h>

namespace sinter::codegen {
namespace {

/// ?gemm of matrices that lie in columns: C = alpha op(A) op(B) + beta C.
using gemm_function = void (*)(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
                               const void* alpha, const void* a, const int* lda, const void* b, const int* ldb,
                               const void* beta, void* c, const int* ldc);

struct blas {
    std::string file;
    gemm_function single = nullptr, double_ = nullptr, complex = nullptr, double_complex = nullptr;

    gemm_function of(dtype d) const {
        switch (d) {
            case dtype::float32: return single;
            case dtype::float64: return double_;
            case dtype::complex64: return complex;
            case dtype::complex128: return double_complex;
            default: return nullptr;
        }
    }
};

bool open(const char* file, blas& b) {
    void* const h = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (h == nullptr) return false;
    const auto get = [h](const char* name) { return reinterpret_cast<gemm_function>(dlsym(h, name)); };
    b = {file, get("sgemm_"), get("dgemm_"), get("cgemm_"), get("zgemm_")};
    return b.single != nullptr && b.double_ != nullptr && b.complex != nullptr && b.double_complex != nullptr;
}

blas search() {
    blas found;
    const char* const wish = std::getenv("SINTER_BLAS");
    if (wish != nullptr && *wish != '\0') return open(wish, found) ? found : blas{};
    for (const char* file : {"libopenblas.so.0", "libmkl_rt.so.2", "libblis.so.4", "libblis.so.3"})
        if (open(file, found)) return found;
    return {};
}

const blas& library() {
    static const auto* const found = new blas(search());  // never destroyed, as its threads are not
    return *found;
}

bool fits(std::int64_t n) { return n <= std::numeric_limits<int>::max(); }

}  // namespace

bool blas_has(dtype d) { return library().of(d) != nullptr; }

bool blas_takes(const gemm& g) {
    return g.d.type == g.a.type && blas_has(g.d.type) && g.bias < 0 && g.c.input < 0 && fits(g.rows) &&
           fits(g.columns) && fits(g.depth) && fits(g.a.leading) && fits(g.b.leading) && fits(g.d.leading);
}

// What lies in rows is, read in columns, the transposed: D' = B' A'.
void run_blas(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta) {
    const char trans_a = g.a.transposed ? 'T' : 'N', trans_b = g.b.transposed ? 'T' : 'N';
    const auto n = [](std::int64_t extent) { return static_cast<int>(extent); };
    const int rows = n(g.rows), columns = n(g.columns), depth = n(g.depth);
    const int lda = n(g.a.leading), ldb = n(g.b.leading), ldd = n(g.d.leading);
    for (std::int64_t i = 0; i < g.batch.extent; ++i) {
        const gemm_pointers one = stepped(g, p, g.batch, i);
        library().of(g.d.type)(&trans_b, &trans_a, &columns, &rows, &depth, &alpha, one.b, &ldb, one.a, &lda, &beta,
                               one.d, &ldd);
    }
}

const std::string& blas_name() { return library().file; }

}  // namespace sinter::codegen
