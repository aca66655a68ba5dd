// Kernels that gather rows of an array, or join rows of two.
#pragma once

#include <sinter/gather.hpp>
#include <tests/codegen/kernel_builder.hpp>

namespace sinter::codegen::testing {

/// take(x, i, axis=0) of rows of n floats: scaled, or summed along each row, or over groups of 10 rows.
enum class gathered { elements, rows, columns };
inline loop_nest gathered_rows(gathered as, std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int index = b.input(dtype::int64), table = b.input(dtype::float32);
    const int r = b.outer(as == gathered::columns ? rows / 10 : rows);
    const int c = as == gathered::rows ? -1 : b.outer(n);
    const int l = as == gathered::elements ? group_level : b.loop({as == gathered::rows ? n : 10});
    const int at = as == gathered::columns ? l : group_level;
    const int element = as == gathered::rows ? b.inner(l) : c;
    const int i = as == gathered::columns ? b.load(index, {{r, 10}, {b.inner(l), 1}}, l) : b.load(index, {{r, 1}});
    const int displacement = b.op("multiply", {i, b.constant(n)}, at);
    const int x = b.gather(table, {{element, 1}}, displacement, l);
    if (as == gathered::elements) {
        b.store(b.op("multiply", {x, b.scalar(dtype::float32)}), {{r, n}, {c, 1}});
        return b.k;
    }
    const int total = b.reduce("sum", x, l);
    b.store(total, as == gathered::rows ? kernel_builder::strides{{r, 1}} : kernel_builder::strides{{r, n}, {c, 1}});
    return b.k;
}

/// concat(x, y, axis=1) of rows of `first` and `second` floats.
inline loop_nest joined_rows(std::int64_t rows, std::int64_t first, std::int64_t second) {
    kernel_builder b;
    const int r = b.outer(rows), c = b.outer(first + second);
    const int i = b.index({{c, 1}}), end = b.number(first);
    const op_row& part = detail::index_of_part_row::row;
    const int in_first = b.op(part, {i, b.number(0), end});
    const int in_second = b.op(part, {i, end, b.number(second)});
    const int x = b.gather(b.input(dtype::float32), {{r, first}}, in_first);
    const int y = b.gather(b.input(dtype::float32), {{r, second}}, in_second);
    b.store(b.op("where", {b.op("less", {i, end}), x, y}), {{r, first + second}, {c, 1}});
    return b.k;
}

}  // namespace sinter::codegen::testing
