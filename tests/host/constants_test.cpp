// Constants of every width: the kernel's 64 bits, zeros beyond them, and nothing of what lies beside them in memory.
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>

#include <sinter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace sinter::codegen::testing {
namespace {

constexpr std::int64_t n = 7;

int constant_of(kernel_builder& b, dtype type, std::uint64_t bits) {
    const int id = b.constant(bits);
    b.k.values[static_cast<std::size_t>(id)].type = type;
    return id;
}

/// n elements: the first bytes of `bits`, and zeros.
std::vector<std::byte> expected(dtype type, std::uint64_t bits) {
    const std::size_t size = size_of(type);
    std::vector<std::byte> all(static_cast<std::size_t>(n) * size, std::byte{0});
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        std::memcpy(all.data() + i * size, &bits, std::min(size, sizeof bits));
    return all;
}

TEST(constants, fill_whole_elements_of_every_dtype) {
    constexpr std::uint64_t one = 0x0101010101010101, other = 0x4037000000000001;
    for (const detail::dtype_row& row : detail::dtype_rows) {
        const auto type = static_cast<dtype>(&row - detail::dtype_rows);
        SCOPED_TRACE(row.name);
        kernel_builder b;
        const int i = b.outer(n);
        for (const std::uint64_t bits : {one, other}) b.store(constant_of(b, type, bits), {{i, 1}});
        std::vector<std::byte> first(static_cast<std::size_t>(n) * size_of(type)), second = first;
        void* to[] = {first.data(), second.data()};
        evaluate_on_host(b.k, nullptr, to, nullptr);
        EXPECT_EQ(first, expected(type, one));
        EXPECT_EQ(second, expected(type, other));
    }
}

/// What stands for an element of an array without any is a constant of the array's dtype.
TEST(constants, in_place_of_elements_of_empty_complex_arrays) {
    using complex = std::complex<double>;
    const device_scope on(host());
    const array<complex, 2> none({0, 3});
    const array<complex, 2> padded = pad(none, {{2, 1}, {1, 0}});
    EXPECT_EQ(to_host(padded), std::vector<complex>(12));
    const array<complex, 1> sums = sum(concat(axis=1, none, none), axis=0);
    EXPECT_EQ(to_host(sums), std::vector<complex>(6));
}

}  // namespace
}  // namespace sinter::codegen::testing
