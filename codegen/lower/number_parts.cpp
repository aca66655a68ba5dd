// The first part of a number is its first 16 bits: rounded, numbers near the greatest would become infinite. What is
// left has 16 significant bits, of which the second part takes the first 8. So the parts have the number as their sum
// unless they are smaller than bfloat16's least number, 2^-133. The row's instruction has no space, at which lines
// of a kernel's text may be broken.
#include <codegen/lower/number_parts.hpp>

#include <sinter/op/functions.hpp>
#include <sinter/op/loops.hpp>

#include <bit>
#include <cstdint>

namespace sinter::codegen::lower {

namespace {

/// NaN stays NaN, whichever bits say which.
template <class T>
T upper_half_of(T x) {
    if constexpr (sizeof(T) == sizeof(float)) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
        return std::bit_cast<T>(is_nan ? bits : bits & 0xffff0000u);
    } else {
        return x;
    }
}

SINTER_DETAIL_BODY(upper_half_body, upper_half_of(T(x)));

constexpr op_row upper_half{"upper_half",
                            "[](T a) { T b=a; asm(\"and.b32\\t%0,%0,0xffff0000;\":\"+f\"(b)); return a!=a?a:b; }(x)",
                            nullptr,
                            1,
                            dtype_rule::floating,
                            false,
                            false,
                            -1,
                            &detail::make_map_loops<upper_half_body, dtype_rule::floating, 1>};

}  // namespace

void assign_parts(lowering& c, const scalar& x, int parts, const std::function<scalar(int)>& to) {
    scalar left = x;
    for (int p = 0; p < parts; ++p) {
        const bool is_last = p + 1 == parts;
        const scalar part = is_last
                                ? left
                                : c.b.let(c.unique("part"), dtype::float32,
                                          c.b.operation(upper_half, dtype::float32, dtype::float32, {left, {}, {}}));
        c.b.assign(to(p), c.b.cast(dtype::bfloat16, part));
        if (is_last) return;
        left = c.b.let(c.unique("left"), dtype::float32,
                       c.b.operation(op::subtract::row, dtype::float32, dtype::float32, {left, part, {}}));
    }
}

scalar with_lesser_parts(lowering& c, const scalar& sum, const scalar& lesser) {
    const scalar is_number = c.b.operation(op::isfinite::row, dtype::bool_, dtype::float32, {sum, {}, {}});
    return c.b.select(is_number, c.b.operation(op::add::row, dtype::float32, dtype::float32, {sum, lesser, {}}), sum);
}

}  // namespace sinter::codegen::lower
