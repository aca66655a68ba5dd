// Layouts: transposes of every element size, misaligned arrays, rows of any length, narrow columns.
#include <bench/runtime/cases/expression.hpp>

namespace bench {
namespace {

using namespace sinter;

template <class T>
void transposed(const trial& t) {
    const auto x = operands<T>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return transpose(x[i]); });
}
const registration transpose_bytes("transpose.int8", transposed<std::int8_t>);
const registration transpose_singles("transpose.float32", transposed<float>);
const registration transpose_doubles("transpose.float64", transposed<double>);

/// Reads the operand from its second element on.
const registration shifted("shifted.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, shape<1>(t.extents<1>()[0] + 1));
    measure_expression(t, [&](std::size_t i) { return 2.f * x[i](range(1, end)) + 1.f; });
});

template <class T>
void sum_of_rows(const trial& t) {
    const auto x = operands<T>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return sum(x[i], axis=1_c); });
}
const registration row_sums("row_sums.float32", sum_of_rows<float>);
const registration row_sums_of_doubles("row_sums.float64", sum_of_rows<double>);

const registration column_maxima("column_maxima.int8", [](const trial& t) {
    const auto x = operands<std::int8_t>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return max(x[i], axis=0_c); });
});

}  // namespace
}  // namespace bench
