// The host's tiles: parts and tiles that are not full, transposed operands, batches, what is added, half types; and the
// same bits for every instruction set.
#include <runtime/host/tiles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

namespace sinter::codegen {
namespace {

template <class T>
std::vector<T> random(std::int64_t n, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> draw(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(n));
    for (T& v : values)
        if constexpr (is_complex(dtype_of<T>))
            v = T(draw(engine), draw(engine));
        else
            v = static_cast<T>(draw(engine));
    return values;
}

template <class T>
constexpr bool is_pair = is_complex(dtype_of<T>);

template <class T>
auto wide(T v) {
    if constexpr (is_pair<T>)
        return std::complex<double>(v);
    else if constexpr (sizeof(T) == 2)
        return static_cast<double>(static_cast<float>(v));
    else
        return static_cast<double>(v);
}

template <class T>
ir::scalar_bits number(double v) {
    if constexpr (is_pair<T>) {
        std::uint64_t bits[2] = {};
        const T z(static_cast<typename T::value_type>(v), static_cast<typename T::value_type>(v / 4));
        std::memcpy(bits, &z, sizeof z);
        return {bits[0], bits[1]};
    } else if constexpr (sizeof(T) == 8)
        return {std::bit_cast<std::uint64_t>(v)};
    else
        return {std::bit_cast<std::uint32_t>(static_cast<float>(v))};
}

/// 2 A B - C / 2 + bias for `batch` products, by every instruction set, against plain loops.
template <class T>
void check(std::int64_t rows, std::int64_t columns, std::int64_t depth, bool a_transposed, bool b_transposed,
           std::int64_t batch, double allowed) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << depth << (a_transposed ? " a'" : "")
                                    << (b_transposed ? " b'" : "") << ", batch " << batch);
    gemm g;
    g.rows = rows;
    g.columns = columns;
    g.depth = depth;
    g.a = {0, dtype_of<T>, a_transposed, (a_transposed ? rows : depth) + 3};
    g.b = {1, dtype_of<T>, b_transposed, (b_transposed ? depth : columns) + 1};
    g.c = {2, dtype_of<T>, false, columns + 2};
    g.d = {-1, dtype_of<T>, false, columns + 5};
    g.bias = 3;
    g.computed_in = computed_in(dtype_of<T>);
    g.batch = {batch, g.a.leading * (a_transposed ? depth : rows), 0, g.c.leading * rows, g.d.leading * rows};
    const auto a = random<T>(g.batch.a * batch, 1), b = random<T>(g.b.leading * (b_transposed ? columns : depth), 2);
    const auto c = random<T>(g.batch.c * batch, 3), bias = random<T>(columns, 4);
    std::vector<T> first;
    for (const instruction_set isa : {instruction_set::baseline, instruction_set::v3, instruction_set::v4}) {
        if (!is_available(isa)) continue;
        std::vector<T> d(static_cast<std::size_t>(g.batch.d * batch), static_cast<T>(77.0f));
        const auto address = [](auto& of) { return reinterpret_cast<const char*>(of.data()); };
        const gemm_pointers p{address(a), address(b), address(c), address(bias), reinterpret_cast<char*>(d.data())};
        run_tiles(g, p, number<T>(2), number<T>(-0.5), isa);
        if (first.empty()) first = d;
        EXPECT_EQ(std::memcmp(first.data(), d.data(), d.size() * sizeof(T)), 0) << "other bits";
    }
    std::int64_t wrong = 0;
    for (std::int64_t n = 0; n < batch; ++n)
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < g.d.leading; ++j) {
                auto expected = wide(static_cast<T>(77.0f));
                if (j < columns) {
                    expected = 0;
                    for (std::int64_t k = 0; k < depth; ++k) {
                        const std::int64_t at_a = a_transposed ? k * g.a.leading + i : i * g.a.leading + k;
                        const std::int64_t at_b = b_transposed ? j * g.b.leading + k : k * g.b.leading + j;
                        expected += wide(a[static_cast<std::size_t>(n * g.batch.a + at_a)]) *
                                    wide(b[static_cast<std::size_t>(at_b)]);
                    }
                    const std::int64_t at_c = n * g.batch.c + i * g.c.leading + j;
                    if constexpr (is_pair<T>)
                        expected *= std::complex<double>(2, 0.5);
                    else
                        expected *= 2;
                    const auto added = wide(c[static_cast<std::size_t>(at_c)]);
                    if constexpr (is_pair<T>)
                        expected += added * std::complex<double>(-0.5, -0.125);
                    else
                        expected -= added / 2;
                    expected += wide(bias[static_cast<std::size_t>(j)]);
                }
                const auto is = wide(first[static_cast<std::size_t>(n * g.batch.d + i * g.d.leading + j)]);
                wrong += !(std::abs(is - expected) <= allowed * std::max(1.0, std::abs(expected)));
            }
    EXPECT_EQ(wrong, 0);
}

TEST(product_tiles, of_all_sizes) {
    for (const bool a_transposed : {false, true})
        for (const bool b_transposed : {false, true}) {
            check<float>(1, 1, 1, a_transposed, b_transposed, 1, 1e-6);
            check<float>(97, 258, 259, a_transposed, b_transposed, 2, 5e-5);
            check<double>(101, 19, 30, a_transposed, b_transposed, 3, 1e-12);
            check<float16>(13, 33, 270, a_transposed, b_transposed, 2, 2e-3);
            check<bfloat16>(7, 40, 21, a_transposed, b_transposed, 1, 8e-3);
            check<std::complex<float>>(97, 258, 130, a_transposed, b_transposed, 2, 1e-4);
            check<std::complex<double>>(13, 3, 67, a_transposed, b_transposed, 2, 1e-12);
        }
}

/// Small products alone, of all widths of tiles: operands are read where they lie.
template <class T>
void check_small(std::int64_t rows, std::int64_t columns, std::int64_t depth, bool a_transposed, bool b_transposed) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << depth << (a_transposed ? " a'" : "")
                                    << (b_transposed ? " b'" : ""));
    gemm g;
    g.rows = rows;
    g.columns = columns;
    g.depth = depth;
    g.a = {0, dtype_of<T>, a_transposed, a_transposed ? rows : depth};
    g.b = {1, dtype_of<T>, b_transposed, b_transposed ? depth : columns};
    g.d = {-1, dtype_of<T>, false, columns};
    g.computed_in = dtype_of<T>;
    const auto a = random<T>(rows * depth, 1), b = random<T>(depth * columns, 2);
    for (const instruction_set isa : {instruction_set::baseline, instruction_set::v3, instruction_set::v4}) {
        if (!is_available(isa)) continue;
        std::vector<T> d(static_cast<std::size_t>(rows * columns + 1), T(77));
        const auto address = [](auto& of) { return reinterpret_cast<const char*>(of.data()); };
        run_tiles(g, {address(a), address(b), nullptr, nullptr, reinterpret_cast<char*>(d.data())}, number<T>(1),
                  number<T>(1), isa);
        EXPECT_EQ(d.back(), T(77)) << "written past the end";
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                T sum = 0;
                for (std::int64_t k = 0; k < depth; ++k) {
                    const T product = a[static_cast<std::size_t>(a_transposed ? k * rows + i : i * depth + k)] *
                                      b[static_cast<std::size_t>(b_transposed ? j * depth + k : k * columns + j)];
                    sum += product;
                }
                ASSERT_EQ(d[static_cast<std::size_t>(i * columns + j)], sum) << i << ", " << j;
            }
    }
}

TEST(product_tiles, of_small_products) {
    for (const bool a_transposed : {false, true})
        for (const bool b_transposed : {false, true})
            for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 13, 16, 17, 31}) {
                check_small<float>(n, n, n, a_transposed, b_transposed);
                check_small<double>(n, 32 - n, 33 - n, a_transposed, b_transposed);
            }
}

/// Products in batches whose matrices are next to each other, `gap` elements apart, and where B may be one for all.
template <class T>
void check_batches(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t gap, bool a_transposed,
                   bool b_transposed, bool one_b) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << depth << " + " << gap
                                    << (a_transposed ? " a'" : "") << (b_transposed ? " b'" : "")
                                    << (one_b ? ", one b" : ""));
    constexpr std::int64_t batch = 7;
    gemm g;
    g.rows = rows;
    g.columns = columns;
    g.depth = depth;
    g.a = {0, dtype_of<T>, a_transposed, (a_transposed ? rows : depth) + gap};
    g.b = {1, dtype_of<T>, b_transposed, (b_transposed ? depth : columns) + gap};
    g.d = {-1, dtype_of<T>, false, columns + gap};
    g.computed_in = dtype_of<T>;
    const std::int64_t of_a = g.a.leading * (a_transposed ? depth : rows);
    const std::int64_t of_b = g.b.leading * (b_transposed ? columns : depth), of_d = g.d.leading * rows;
    g.batch = {batch, of_a, one_b ? 0 : of_b, 0, of_d};
    ASSERT_TRUE(is_tiny(g));
    // no memory is readable behind B's last element but what an allocation adds
    const auto a = random<T>(of_a * batch, 1), b = random<T>(of_b * (one_b ? 1 : batch) - gap, 2);
    for (const instruction_set isa : {instruction_set::baseline, instruction_set::v3, instruction_set::v4}) {
        if (!is_available(isa)) continue;
        std::vector<T> d(static_cast<std::size_t>(of_d * batch), T(77));
        const auto address = [](auto& of) { return reinterpret_cast<const char*>(of.data()); };
        run_tiles(g, {address(a), address(b), nullptr, nullptr, reinterpret_cast<char*>(d.data())}, number<T>(1),
                  number<T>(1), isa);
        for (std::int64_t n = 0; n < batch; ++n)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < g.d.leading; ++j) {
                    T sum = j < columns ? T(0) : T(77);
                    for (std::int64_t k = 0; j < columns && k < depth; ++k) {
                        const std::int64_t at_a = a_transposed ? k * g.a.leading + i : i * g.a.leading + k;
                        const std::int64_t at_b = b_transposed ? j * g.b.leading + k : k * g.b.leading + j;
                        const T product = a[static_cast<std::size_t>(n * g.batch.a + at_a)] *
                                          b[static_cast<std::size_t>(n * g.batch.b + at_b)];
                        sum += product;
                    }
                    ASSERT_EQ(d[static_cast<std::size_t>(n * of_d + i * g.d.leading + j)], sum)
                        << n << ": " << i << ", " << j;
                }
    }
}

TEST(product_tiles, of_batches_of_tiny_products) {
    for (const bool a_transposed : {false, true})
        for (const bool b_transposed : {false, true})
            for (const bool one_b : {false, true})
                for (const std::int64_t gap : {0, 3})
                    for (const std::int64_t n : {1, 2, 3, 4}) {
                        check_batches<float>(n, n, n, gap, a_transposed, b_transposed, one_b);
                        check_batches<float>(7 - n, 4 + n, 3 * n, gap, a_transposed, b_transposed, one_b);
                        check_batches<double>(n, n, n, gap, a_transposed, b_transposed, one_b);
                        check_batches<double>(4 * n, 5 - n, 16, gap, a_transposed, b_transposed, one_b);
                    }
}

}  // namespace
}  // namespace sinter::codegen
