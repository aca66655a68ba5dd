// Kernels of rows whose blocks also fold columns, and the kernels that fold the blocks' results.
#pragma once

#include <codegen/schedule/column_folds.hpp>
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <cstdint>
#include <optional>

namespace sinter::codegen::testing {

/// sum(x, axis=1) of a matrix, leaf 0: stored as leaf 1.
inline loop_nest sums_of_rows(std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int l = b.loop({n});
    b.store(b.reduce("sum", b.load(b.input(dtype::float32), {{r, n}, {b.inner(l), 1}}, l), l), {{r, 1}});
    return b.k;
}

/// max(x / y, axis=0) of the matrix, leaf 0, and of a number per row, leaf 1.
inline loop_nest largest_shares(std::int64_t rows, std::int64_t n) {
    kernel_builder b;
    const int c = b.outer(n);
    const int l = b.loop({rows});
    const int x = b.load(b.input(dtype::float32), {{c, 1}, {b.inner(l), n}}, l);
    const int y = b.load(b.input(dtype::float32), {{b.inner(l), 1}}, l);
    b.store(b.op("negative", {b.reduce("max", b.op("divide", {x, y}, l), l)}), {{c, 1}});
    return b.k;
}

/// The first of the kernels that have the sums of rows and the largest shares of columns, and the other one.
inline std::optional<folded_columns> sums_and_largest_shares(std::int64_t rows, std::int64_t n,
                                                             const device_properties& m = {}) {
    std::optional<folded_columns> both = fold_columns(sums_of_rows(rows, n), largest_shares(rows, n), {1}, 2);
    if (both && has_column_folds_schedule(both->rows, m)) both->divide_among(blocks_for_column_folds(both->rows, m));
    return both;
}

}  // namespace sinter::codegen::testing
