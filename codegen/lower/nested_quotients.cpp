// The expensive operations of weights that are rounded to halves: quotients, whose divisor is that of a row or of an
// element of the nest axis, multiply by its reciprocal, and exponentials are powers of 2. Their errors are some units
// in the last place of float32, far below what a half holds.
#include <codegen/ir/is_op.hpp>
#include <codegen/lower/exponential.hpp>
#include <codegen/lower/nested_products.hpp>

#include <sinter/op/functions.hpp>

#include <algorithm>
#include <bit>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

constexpr float log2_of_e_of_weight = 1.44269504f;
/// Divisors beyond these have reciprocals that are infinite, or too small to be precise.
constexpr float large_divisor = 0x1p64f, small_divisor = 0x1p-64f;

bool contains(const std::vector<int>& all, int v) { return std::find(all.begin(), all.end(), v) != all.end(); }

}  // namespace

void nested_lowering::find_divisors() {
    if (!of.has_columns()) return;  // the sums are float32's
    for (const int v : of_elements) {
        const value& self = c.at(v);
        if (!is_op(self, builtin_op::divide) || self.type != dtype::float32) continue;
        const int by = self.in[1];
        if (c.at(by).what == value_kind::reduce || contains(of_elements, by)) continue;
        if (std::none_of(divisors.begin(), divisors.end(), [&](const divisor& d) { return d.value == by; }))
            divisors.push_back({by, {}, {}, none, none});
    }
}

/// Numbers of float16 hold no quotient for which a divisor's reciprocal would not do.
void nested_lowering::let_divisor(divisor& d) {
    const auto number = [&](float x) { return c.b.literal(dtype::float32, std::bit_cast<std::uint32_t>(x)); };
    const auto computed = [&](const op_row& row, const scalar& a, const scalar& b) {
        return c.b.operation(row, dtype::float32, dtype::float32, {a, b, {}});
    };
    scalar by = c.operand(d.value);
    if (c.k.precision == arithmetic::exact) {
        const auto exceeds = [&](const scalar& a, const scalar& b) {
            return c.b.operation(op::greater::row, dtype::bool_, dtype::float32, {a, b, {}});
        };
        const scalar size = c.b.operation(op::abs::row, dtype::float32, dtype::float32, {by, {}, {}});
        const scalar one = number(1);
        d.scale = c.b.let(c.unique("scale"), dtype::float32,
                          c.b.select(exceeds(size, number(large_divisor)), number(small_divisor),
                                     c.b.select(exceeds(number(small_divisor), size), number(large_divisor), one)));
        by = computed(op::multiply::row, by, d.scale);
    }
    d.factor = c.b.let(c.unique("factor"), dtype::float32, computed(op::divide::row, number(1), by));
}

/// Those of elements; without values, those of the block.
void nested_lowering::let_divisors_of(const std::vector<int>& values) {
    for (divisor& d : divisors) {
        const bool of_block = !contains(of_rows, d.value) && !contains(of_steps, d.value);
        if (values.empty() ? of_block : contains(values, d.value)) let_divisor(d);
    }
}

void nested_lowering::keep_divisors_of_row(const scalar& i, const scalar& h) {
    for (divisor& d : divisors) {
        if (!contains(of_rows, d.value)) continue;
        let_divisor(d);
        c.b.assign(c.b.element(d.factor_of_rows, {i, h}), d.factor);
        if (d.scale) c.b.assign(c.b.element(d.scale_of_rows, {i, h}), d.scale);
    }
}

void nested_lowering::take_divisors_of_row(const scalar& i, const scalar& h) {
    for (divisor& d : divisors) {
        if (!contains(of_rows, d.value)) continue;
        d.factor = c.b.element(d.factor_of_rows, {i, h});
        if (d.scale) d.scale = c.b.element(d.scale_of_rows, {i, h});
    }
}

/// Whether a value multiplies by the reciprocal of a divisor.
bool nested_lowering::is_quotient(int v) const {
    const value& self = c.at(v);
    return is_op(self, builtin_op::divide) && contains(of_elements, v) &&
           std::any_of(divisors.begin(), divisors.end(), [&](const divisor& d) { return d.value == self.in[1]; });
}

scalar nested_lowering::quotient(int v) {
    if (!is_quotient(v)) return {};
    const value& self = c.at(v);
    const auto d =
        std::find_if(divisors.begin(), divisors.end(), [&](const divisor& one) { return one.value == self.in[1]; });
    const auto times = [&](const scalar& a, const scalar& b) {
        return c.b.operation(op::multiply::row, dtype::float32, dtype::float32, {a, b, {}});
    };
    const scalar x = c.operand(self.in[0]);
    return times(d->scale ? times(x, d->scale) : x, d->factor);
}

scalar nested_lowering::exponential(int v) {
    const value& self = c.at(v);
    if (!of.has_columns() || !is_op(self, builtin_op::exp) || self.type != dtype::float32 || !contains(of_elements, v))
        return {};
    const scalar log2_of_e = c.b.literal(dtype::float32, std::bit_cast<std::uint32_t>(log2_of_e_of_weight));
    const scalar exponent = c.b.let(
        c.unique("log2_weight"), dtype::float32,
        c.b.operation(op::multiply::row, dtype::float32, dtype::float32, {c.operand(self.in[0]), log2_of_e, {}}));
    return c.b.operation(power_of_two, dtype::float32, dtype::float32, {exponent, {}, {}});
}

}  // namespace sinter::codegen::lower
