// Prints what Sinter says about some expressions: once with the library, once with the single header.
#if defined(SINTER_ALL)
#include "sinter_all.hpp"
#else
#include <sinter.hpp>
#endif

#include <cstdio>

namespace {

template <class E>
void look(const E& e) {
    std::puts(sinter::source(e).c_str());
    sinter::explanation all = sinter::explain(e);
    for (sinter::kernel_report& k : all.kernels) k.registers = -1;  // there may be a compiler beside the library
    std::puts((all.text() + all.passes + all.page()).c_str());
}

}  // namespace

SINTER_UNARY(softsign, floating, x / (T(1) + abs(x)))

int main() {
    using namespace sinter;
    const array<double, 3> cube({1000, 100, 1000});
    const array<float, 2> x({8192, 4096}), square({4096, 4096});
    const array<float16, 2> h({4096, 4096});
    const auto z = empty<std::complex<float>>({5000});
    look(sqrt(sum(cube * cube, axis=2)));
    look(softmax(x, axis=1));
    look(square + transpose(square));
    look(gelu(h + 1) * astype<float16>(arange<int>(4096)));
    look(cumsum(x, axis=0) / sum(abs2(z)));
    look(argmax(softsign(x), axis=1));
    look(grad(sum(log(square * square)), square));
    look(pack(mean(x), var(x)));
#if !defined(SINTER_ALL) || defined(SINTER_ALL_EVALUATE)
    const array<double, 2> a = {{1, 2, 3}, {4, 5, 0.1}};
    std::puts(to_string(softmax(a, axis=1)).c_str());
    std::puts(to_string(matmul(a, transpose(a)) + sum(a)).c_str());
#endif
}
