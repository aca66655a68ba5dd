// The host's BLAS: how it is called, what it is asked for, and that products of arrays reach it.
#include <runtime/host/blas.hpp>
#include <runtime/host/host_device.hpp>
#include <sinter.hpp>
#include <tests/emulate/plain_gemm.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace sinter::codegen {
namespace {

/// Before the search, which a process makes once.
const bool named = setenv("SINTER_BLAS", SINTER_PLAIN_BLAS, 1) == 0;

template <class T>
std::vector<T> random(std::int64_t n, std::mt19937& engine) {
    std::uniform_real_distribution<float> draw(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(n));
    for (T& v : values) {
        v = static_cast<T>(draw(engine));
        if constexpr (is_complex(dtype_of<T>)) v += T(0, draw(engine));
    }
    return values;
}

template <class T>
ir::scalar_bits bits_of(T v) {
    ir::scalar_bits bits;
    std::memcpy(static_cast<void*>(&bits), &v, sizeof v);
    return bits;
}

/// alpha A B for random sizes, transposes and batches, the lines of each matrix some elements apart.
template <class T>
void check(unsigned seed) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << ", seed " << seed);
    std::mt19937 engine(seed);
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(engine() % static_cast<unsigned>(n)); };
    gemm g;
    g.rows = 1 + below(20);
    g.columns = 1 + below(20);
    g.depth = 1 + below(20);
    const bool a_transposed = below(2) == 1, b_transposed = below(2) == 1;
    g.a = {0, dtype_of<T>, a_transposed, (a_transposed ? g.rows : g.depth) + below(3)};
    g.b = {1, dtype_of<T>, b_transposed, (b_transposed ? g.depth : g.columns) + below(3)};
    g.d = {-1, dtype_of<T>, false, g.columns + below(3)};
    g.computed_in = dtype_of<T>;
    g.batch = {1 + below(3), g.a.leading * (a_transposed ? g.depth : g.rows), 0, 0, g.d.leading * g.rows};
    ASSERT_TRUE(blas_takes(g));
    const auto a = random<T>(g.batch.a * g.batch.extent, engine);
    const auto b = random<T>(g.b.leading * (b_transposed ? g.columns : g.depth), engine);
    const auto nan = static_cast<T>(std::nanf(""));  // what is there does not matter
    std::vector<T> is(static_cast<std::size_t>(g.batch.d * g.batch.extent), nan), should = is;
    const auto pointers = [&](std::vector<T>& d) {
        return gemm_pointers{reinterpret_cast<const char*>(a.data()), reinterpret_cast<const char*>(b.data()), nullptr,
                             nullptr, reinterpret_cast<char*>(d.data())};
    };
    const ir::scalar_bits alpha = bits_of(random<T>(1, engine)[0]);
    run_blas(g, pointers(is), alpha, {});
    emulate::plain_gemm(g, pointers(should), alpha, {});
    for (std::size_t i = 0; i < is.size(); ++i) {
        if (should[i] != should[i])
            EXPECT_NE(is[i], is[i]) << "written between the lines, at " << i;
        else
            EXPECT_LE(std::abs(is[i] - should[i]), 1e-5) << "at " << i;
    }
}

TEST(blas, computes_what_it_is_asked_for) {
    ASSERT_EQ(blas_name(), SINTER_PLAIN_BLAS);
    for (unsigned seed = 0; seed < 50; ++seed) {
        check<float>(seed);
        check<double>(seed);
        check<std::complex<float>>(seed);
        check<std::complex<double>>(seed);
    }
}

TEST(blas, is_not_asked_for_what_it_cannot_do) {
    gemm g;
    g.rows = g.columns = g.depth = 4;
    g.a = g.b = g.d = {0, dtype::float32, false, 4};
    EXPECT_TRUE(blas_takes(g));
    gemm row = g, matrix = g, half = g, mixed = g, huge = g;
    row.bias = 2;
    matrix.c = g.a;
    half.a.type = half.b.type = half.d.type = dtype::float16;
    mixed.a.type = mixed.b.type = dtype::float16;
    huge.b.leading = std::int64_t{1} << 31;
    for (const gemm& other : {row, matrix, half, mixed, huge}) EXPECT_FALSE(blas_takes(other));
    EXPECT_EQ(host_device_instance().library_for(g, {})->describe(), SINTER_PLAIN_BLAS ": 4 x 4 x 4, float32");
    EXPECT_EQ(host_device_instance().library_for(half, {})->describe(), "tiles: 4 x 4 x 4, float16");
    EXPECT_EQ(host_device_instance().library_for(row, {}), nullptr);  // one more loop behind the BLAS
}

TEST(blas, computes_products_of_arrays) {
    const device_scope on(host());
    const array<float, 2> a = {{1, 2, 3}, {4, 5, 6}}, b = {{1, 0}, {0, 1}, {2, 2}};
    EXPECT_EQ(to_host(array(matmul(a, b))), (std::vector<float>{7, 8, 16, 17}));
}

}  // namespace
}  // namespace sinter::codegen
