// The loops of the rows and of conversions, compiled for several instruction sets.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen {

/// The x86-64 levels for which loops are compiled. `baseline`: the compiler's default, the only one on other
/// architectures.
enum class instruction_set : std::uint8_t { baseline, v3, v4 };

/// Whether the loops for an instruction set were built and this processor can run them.
bool is_available(instruction_set isa);

/// The loops of a row whose body computes in T = type. Throws sinter::error if the row has none for this dtype.
detail::host_loops loops_of(const op_row& row, dtype type, instruction_set isa = instruction_set::baseline);

/// The loop that converts in[0], of type `from`, into `to`. Out-of-range floating values saturate to the integer type's
/// limits, and NaN becomes 0; a conversion to bool compares with zero.
detail::map_loop cast_loop(dtype to, dtype from, instruction_set isa = instruction_set::baseline);

/// The loop that applies two of the table's operators in `type`, the second to the first one's result: in[0] and in[1]
/// are the first one's operands, in[2] is the second one's other operand. Null if there is none.
detail::map_loop pair_loop(int first, int second, dtype type, bool is_second_operand, instruction_set isa);

/// Elements of a reduction by key, in order: `width` neighbouring values each. Strides are from an element to the next.
struct keyed_elements {
    const std::int64_t* keys = nullptr;  ///< each one's group: 0 to groups - 1; any other is none
    std::size_t key_stride = 1;
    bool own_keys = false;  ///< each of the neighbours has a key of its own, next to the others'
    std::size_t value_stride = 1;
    std::int64_t groups = 0;
    std::size_t count = 0, width = 1;
};
/// In how many tables an element's position may choose one: an addition does not wait for the one before it then.
inline constexpr std::size_t max_key_tables = 4;
/// Folds neighbour j of element i into column j of its group's row in table i % tables. Tables have `groups` rows of
/// `width` columns. More tables than one, which are max_key_tables: only for a width of 1.
using keyed_fold = void (*)(void* to, std::size_t tables, const void* values, const keyed_elements& elements);
/// The fold of one of the table's public reductions with accumulators of `type`. Null if there is none.
keyed_fold keyed_fold_of(int builtin, dtype type, instruction_set isa);

// Defined by loops.cpp, casts.cpp, pairs.cpp and keyed_folds.cpp, once per instruction set of the build.
detail::host_loops builtin_loops_baseline(int builtin, dtype type);
detail::host_loops builtin_loops_v3(int builtin, dtype type);
detail::host_loops builtin_loops_v4(int builtin, dtype type);
detail::map_loop cast_loop_baseline(dtype to, dtype from);
detail::map_loop cast_loop_v3(dtype to, dtype from);
detail::map_loop cast_loop_v4(dtype to, dtype from);
detail::map_loop pair_loop_baseline(int first, int second, dtype type, bool is_second_operand);
detail::map_loop pair_loop_v3(int first, int second, dtype type, bool is_second_operand);
detail::map_loop pair_loop_v4(int first, int second, dtype type, bool is_second_operand);
keyed_fold keyed_fold_loop_baseline(int builtin, dtype type);
keyed_fold keyed_fold_loop_v3(int builtin, dtype type);
keyed_fold keyed_fold_loop_v4(int builtin, dtype type);

/// The variant of a function for an instruction set; the baseline's if the build lacks it.
template <class Function>
Function form_for(instruction_set isa, Function baseline, Function v3, Function v4) {
    return isa == instruction_set::v4 ? v4 : isa == instruction_set::v3 ? v3 : baseline;
}
#if defined(SINTER_HAVE_V3) && defined(SINTER_HAVE_V4)
#define SINTER_FORM_FOR(isa, function) form_for(isa, function##_baseline, function##_v3, function##_v4)
#else
#define SINTER_FORM_FOR(isa, function) form_for(isa, function##_baseline, function##_baseline, function##_baseline)
#endif

}  // namespace sinter::codegen
