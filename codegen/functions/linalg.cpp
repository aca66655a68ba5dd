// Linear algebra: shapes and dtypes of results.
#include <codegen/functions/linalg.hpp>

#include <codegen/ir/print.hpp>
#include <sinter/called_as.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

std::string shape_of(const call_array& a) { return shape_text(a.shape.data(), a.rank); }

std::int64_t& last(call_array& a, int from_end) { return a.shape[static_cast<std::size_t>(a.rank - from_end)]; }

void check_square(const char* function, const call_array& a) {
    const matrices m = matrices_of(a);
    if (m.rows != m.columns)
        throw error(
            fmt::format("{}: the matrices of an operand of shape {} are not square: its last two extents must "
                        "be equal",
                        sinter::detail::called(function), shape_of(a)));
}

/// An array with the same batches, of vectors of `length` elements.
call_array vectors_of(const call_array& a, std::int64_t length) {
    call_array made = a;
    --made.rank;
    made.shape[static_cast<std::size_t>(made.rank)] = 0;
    last(made, 1) = length;
    return made;
}

call_array with_matrices(call_array made, std::int64_t rows, std::int64_t columns) {
    last(made, 2) = rows;
    last(made, 1) = columns;
    return made;
}

call_array with_type(call_array made, dtype type) {
    made.type = type;
    return made;
}

[[noreturn]] void throw_bad_solve(const call_array& a, const call_array& b) {
    throw error(
        fmt::format("solve: shapes {} and {} do not fit: the last extent but one of the second must be the last "
                    "of the first, and the axes before those must broadcast",
                    shape_of(a), shape_of(b)));
}

}  // namespace

matrices matrices_of(const call_array& a) {
    matrices m{1, a.shape[static_cast<std::size_t>(a.rank - 2)], a.shape[static_cast<std::size_t>(a.rank - 1)]};
    for (int i = 0; i < a.rank - 2; ++i) m.count *= a.shape[static_cast<std::size_t>(i)];
    return m;
}

batch_axes batches_of_solve(const call_array& a, const call_array& b) {
    batch_axes all;
    std::int64_t step_a = matrices_of(a).elements(), step_b = matrices_of(b).elements();
    for (int i = 0; i < std::max(a.rank, b.rank) - 2; ++i) {
        const auto extent = [i](const call_array& of) {
            return i < of.rank - 2 ? of.shape[static_cast<std::size_t>(of.rank - 3 - i)] : 1;
        };
        const std::int64_t of_a = extent(a), of_b = extent(b);
        if (of_a != of_b && of_a != 1 && of_b != 1) throw_bad_solve(a, b);
        batch_axis& to = all[static_cast<std::size_t>(max_batch_axes - 1 - i)];
        to = {of_a == 1 ? of_b : of_a, of_a == 1 ? 0 : step_a, of_b == 1 ? 0 : step_b};
        step_a *= of_a;
        step_b *= of_b;
    }
    return all;
}

call_array solved_array(const call_arrays& operands, const call_integers&, int) {
    const call_array &a = operands[0], &b = operands[1];
    check_square("solve", a);
    if (matrices_of(a).columns != matrices_of(b).rows) throw_bad_solve(a, b);
    const batch_axes batches = batches_of_solve(a, b);
    call_array made = a.rank > b.rank ? a : b;
    for (int i = 0; i < made.rank - 2; ++i)
        made.shape[static_cast<std::size_t>(i)] =
            batches[static_cast<std::size_t>(max_batch_axes - (made.rank - 2) + i)].extent;
    return with_matrices(made, matrices_of(b).rows, matrices_of(b).columns);
}

call_array inverted_array(const call_arrays& operands, const call_integers&, int) {
    check_square("inv", operands[0]);
    return operands[0];
}

call_array cholesky_array(const call_arrays& operands, const call_integers&, int) {
    check_square("cholesky", operands[0]);
    return operands[0];
}

call_array lu_array(const call_arrays& operands, const call_integers&, int result) {
    const call_array& a = operands[0];
    return result == 0 ? a : with_type(vectors_of(a, matrices_of(a).shorter()), dtype::int64);
}

call_array det_array(const call_arrays& operands, const call_integers&, int result) {
    check_square("det", operands[0]);
    call_array made = operands[0];
    last(made, 1) = last(made, 2) = 0;
    made.rank -= 2;
    return result == 2 ? with_type(made, real_of(made.type)) : made;
}

call_array qr_array(const call_arrays& operands, const call_integers& integers, int result) {
    const call_array& a = operands[0];
    const matrices m = matrices_of(a);
    const std::int64_t kept = integers[0] != 0 ? m.rows : m.shorter();
    return result == 0 ? with_matrices(a, m.rows, kept) : with_matrices(a, kept, m.columns);
}

call_array eigh_array(const call_arrays& operands, const call_integers&, int result) {
    const call_array& a = operands[0];
    check_square("eigh", a);
    return result == 1 ? a : with_type(vectors_of(a, matrices_of(a).rows), real_of(a.type));
}

call_array svd_array(const call_arrays& operands, const call_integers& integers, int result) {
    const call_array& a = operands[0];
    const matrices m = matrices_of(a);
    const bool full = integers[0] != 0;
    if (result == 1) return with_type(vectors_of(a, m.shorter()), real_of(a.type));
    return result == 0 ? with_matrices(a, m.rows, full ? m.rows : m.shorter())
                       : with_matrices(a, full ? m.columns : m.shorter(), m.columns);
}

call_array eig_array(const call_arrays& operands, const call_integers&, int result) {
    const call_array& a = operands[0];
    check_square("eig", a);
    return with_type(result == 1 ? a : vectors_of(a, matrices_of(a).rows), complex_of(a.type));
}

}  // namespace sinter::codegen
