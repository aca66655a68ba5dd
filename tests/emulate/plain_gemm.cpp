// Every element is read and summed as complex128; results are rounded once.
#include <tests/emulate/plain_gemm.hpp>

#include <complex>
#include <cstring>

namespace sinter::emulate {
namespace {

using number = std::complex<double>;

template <class T>
T at(const void* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

number read(const void* p, dtype type) {
    switch (type) {
        case dtype::float16: return static_cast<double>(static_cast<float>(at<float16>(p)));
        case dtype::bfloat16: return static_cast<double>(static_cast<float>(at<bfloat16>(p)));
        case dtype::float32: return static_cast<double>(at<float>(p));
        case dtype::float64: return at<double>(p);
        case dtype::complex64: return at<std::complex<float>>(p);
        default: return at<number>(p);
    }
}

template <class T>
void put(void* p, T value) {
    std::memcpy(p, &value, sizeof value);
}

void write(void* p, dtype type, number value) {
    switch (type) {
        case dtype::float16: return put(p, static_cast<float16>(static_cast<float>(value.real())));
        case dtype::bfloat16: return put(p, static_cast<bfloat16>(static_cast<float>(value.real())));
        case dtype::float32: return put(p, static_cast<float>(value.real()));
        case dtype::float64: return put(p, value.real());
        case dtype::complex64: return put(p, static_cast<std::complex<float>>(value));
        default: return put(p, value);
    }
}

std::int64_t place(const codegen::gemm_matrix& m, std::int64_t row, std::int64_t column) {
    return m.transposed ? column * m.leading + row : row * m.leading + column;
}

}  // namespace

void plain_gemm(const codegen::gemm& g, const codegen::gemm_pointers& p, const ir::scalar_bits& alpha,
                const ir::scalar_bits& beta) {
    const auto element = [](const char* from, const codegen::gemm_matrix& m, std::int64_t i) {
        return read(from + i * static_cast<std::int64_t>(size_of(m.type)), m.type);
    };
    for (std::int64_t n = 0; n < g.batch.extent; ++n)
        for (std::int64_t i = 0; i < g.rows; ++i)
            for (std::int64_t j = 0; j < g.columns; ++j) {
                number sum = 0;
                for (std::int64_t k = 0; k < g.depth; ++k)
                    sum += element(p.a, g.a, n * g.batch.a + place(g.a, i, k)) *
                           element(p.b, g.b, n * g.batch.b + place(g.b, k, j));
                sum *= read(&alpha, g.computed_in);
                if (p.c != nullptr)
                    sum += read(&beta, g.computed_in) * element(p.c, g.c, n * g.batch.c + place(g.c, i, j));
                if (p.bias != nullptr) sum += element(p.bias, g.d, j);
                const std::int64_t to = n * g.batch.d + place(g.d, i, j);
                write(p.d + to * static_cast<std::int64_t>(size_of(g.d.type)), g.d.type, sum);
            }
}

std::size_t bytes_of(const codegen::gemm& g, const codegen::gemm_matrix& m, std::int64_t rows, std::int64_t columns,
                     std::int64_t batch_stride) {
    const std::int64_t last = (g.batch.extent - 1) * batch_stride + place(m, rows - 1, columns - 1);
    return static_cast<std::size_t>(last + 1) * size_of(m.type);
}

}  // namespace sinter::emulate
