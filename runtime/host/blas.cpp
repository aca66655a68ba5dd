// The search for a BLAS and its product in four dtypes, by the C interface, which accepts row-major matrices:
// https://www.netlib.org/blas/#_cblas. Netlib's own libcblas is not searched for: it uses one core and no blocking.
#include <runtime/host/blas.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/shared_library.hpp>

#include <bit>
#include <limits>

namespace sinter::codegen {
namespace {

// C's enumerations, which are ints.
constexpr int row_major = 101, as_it_lies = 111, transposed = 112;

/// cblas_?gemm: C = alpha op(A) op(B) + beta C. Real factors are passed by value, complex ones by address.
template <class Factor, class Element>
using gemm_function = void (*)(int order, int of_a, int of_b, int m, int n, int k, Factor alpha, const Element* a,
                               int lda, const Element* b, int ldb, Factor beta, Element* c, int ldc);

struct blas {
    std::string file;
    gemm_function<float, float> single = nullptr;
    gemm_function<double, double> double_ = nullptr;
    gemm_function<const void*, void> complex = nullptr, double_complex = nullptr;
};

std::optional<blas> open(const std::string& file) {
    void* const h = open_library(file);
    if (h == nullptr) return std::nullopt;
    blas b;
    b.file = file;
    const bool complete = find_function(h, "cblas_sgemm", b.single) && find_function(h, "cblas_dgemm", b.double_) &&
                          find_function(h, "cblas_cgemm", b.complex) &&
                          find_function(h, "cblas_zgemm", b.double_complex);
    return complete ? std::optional(b) : std::nullopt;
}

blas search() {
    const std::string wish = environment("SINTER_BLAS");
    if (wish == "off") return {};
    if (!wish.empty()) return opened_by_name("SINTER_BLAS", wish, open);
    return first_opened({"libopenblas.so.0", "libmkl_rt.so.2", "libblis.so.4", "libblis.so.3"}, open).value_or(blas{});
}

const blas& library() {
    static constinit std::atomic<const blas*> found{nullptr};
    return created_once(found, [] { return new blas(search()); });
}

bool fits(std::int64_t n) { return n <= std::numeric_limits<int>::max(); }

template <class Factor, class Element>
void call(gemm_function<Factor, Element> f, const gemm& g, const gemm_pointers& p, Factor alpha, Factor beta) {
    const auto n = [](std::int64_t extent) { return static_cast<int>(extent); };
    const auto turned = [](const gemm_matrix& m) { return m.transposed ? transposed : as_it_lies; };
    for (std::int64_t i = 0; i < g.batch.extent; ++i) {
        const gemm_pointers one = stepped(g, p, g.batch, i);
        f(row_major, turned(g.a), turned(g.b), n(g.rows), n(g.columns), n(g.depth), alpha,
          reinterpret_cast<const Element*>(one.a), n(g.a.leading), reinterpret_cast<const Element*>(one.b),
          n(g.b.leading), beta, reinterpret_cast<Element*>(one.d), n(g.d.leading));
    }
}

}  // namespace

bool blas_has(dtype d) {
    return !library().file.empty() && (d == dtype::float32 || d == dtype::float64 || is_complex(d));
}

bool blas_takes(const gemm& g) {
    return g.d.type == g.a.type && blas_has(g.d.type) && g.bias < 0 && g.c.input < 0 && fits(g.rows) &&
           fits(g.columns) && fits(g.depth) && fits(g.a.leading) && fits(g.b.leading) && fits(g.d.leading);
}

void run_blas(const gemm& g, const gemm_pointers& p, const ir::scalar_bits& alpha, const ir::scalar_bits& beta) {
    const auto single = [](const ir::scalar_bits& s) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(s.bits));
    };
    const auto wide = [](const ir::scalar_bits& s) { return std::bit_cast<double>(s.bits); };
    const blas& b = library();
    switch (g.d.type) {
        case dtype::float32: return call(b.single, g, p, single(alpha), single(beta));
        case dtype::float64: return call(b.double_, g, p, wide(alpha), wide(beta));
        case dtype::complex64: return call<const void*>(b.complex, g, p, &alpha, &beta);
        default: return call<const void*>(b.double_complex, g, p, &alpha, &beta);
    }
}

const std::string& blas_name() { return library().file; }

}  // namespace sinter::codegen
