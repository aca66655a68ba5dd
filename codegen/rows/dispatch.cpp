// Dispatches to the loops of an instruction set.
#include <codegen/rows/dispatch.hpp>

#include <codegen/rows/column_folds.hpp>
#include <codegen/rows/copies.hpp>
#include <codegen/rows/divisions.hpp>
#include <codegen/rows/extremes.hpp>
#include <codegen/rows/widened_sums.hpp>
#include <codegen/support/printable.hpp>

#include <sinter/error.hpp>
#include <sinter/op/builtin.hpp>

#include <fmt/format.h>

#include <string_view>

namespace sinter::codegen {

bool is_available(instruction_set isa) {
    switch (isa) {
        case instruction_set::baseline: return true;
        case instruction_set::v3:
#if defined(SINTER_HAVE_V3)
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
            return false;
#endif
        case instruction_set::v4:
#if defined(SINTER_HAVE_V4)
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx2") &&
                   __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
            return false;
#endif
    }
    return false;
}

detail::host_loops loops_of(const op_row& row, dtype type, instruction_set isa) {
    if (row.builtin == text_row)
        throw error(
            fmt::format("{}(\"{}\"): the host cannot compile text; declare the function by SINTER_UNARY, "
                        "SINTER_BINARY, SINTER_TERNARY or SINTER_REDUCTION",
                        row.name, printable(row.body, 80)));
    const detail::host_loops loops =
        row.host != nullptr ? row.host(type) : SINTER_FORM_FOR(isa, builtin_loops)(row.builtin, type);
    if (loops.map == nullptr)
        throw error(fmt::format("'{}' does not compute in {}: convert its operands with astype", row.name, name(type)));
    return loops;
}

detail::map_loop cast_loop(dtype to, dtype from, instruction_set isa) {
    return SINTER_FORM_FOR(isa, cast_loop)(to, from);
}

detail::map_loop pair_loop(int first, int second, dtype type, bool is_second_operand, instruction_set isa) {
    return SINTER_FORM_FOR(isa, pair_loop)(first, second, type, is_second_operand);
}

keyed_fold keyed_fold_of(int builtin, dtype type, instruction_set isa) {
    return SINTER_FORM_FOR(isa, keyed_fold_loop)(builtin, type);
}

column_fold column_fold_of(int builtin, dtype type, instruction_set isa) {
    return SINTER_FORM_FOR(isa, column_fold_loop)(builtin, type);
}

detail::map_loop division_by_one_number(const op_row& row, dtype type, instruction_set isa) {
    const bool remainder = row.builtin == static_cast<int>(builtin_op::remainder);
    if (!remainder && row.builtin != static_cast<int>(builtin_op::floor_divide)) return nullptr;
    return SINTER_FORM_FOR(isa, division_loop)(remainder, type);
}

detail::fold_loop widened_sum_of(const op_row& row, dtype accumulator, dtype from, instruction_set isa) {
    const bool wide = row.builtin == static_cast<int>(builtin_op::sum) && from != accumulator &&
                      (accumulator == dtype::int64 || accumulator == dtype::uint64);
    const bool narrow = row.builtin == -1 && row.rule == dtype_rule::integral &&
                        row.body == std::string_view("x + y") && accumulator == dtype::int32;
    return wide || narrow ? SINTER_FORM_FOR(isa, widened_sum_loop)(accumulator, from) : nullptr;
}

extreme_fold extreme_fold_of(const extreme_kind& kind, dtype type, instruction_set isa) {
    return SINTER_FORM_FOR(isa, extreme_loop)(kind, type);
}

plane_copy plane_copy_of(std::size_t element_size, instruction_set isa) {
    return SINTER_FORM_FOR(isa, plane_copy_loop)(element_size);
}

}  // namespace sinter::codegen
