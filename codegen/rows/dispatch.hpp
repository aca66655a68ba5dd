// The loops of the rows and of conversions, compiled for several instruction sets.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen {

/// The x86-64 levels that the loops are compiled for. `baseline` is the compiler's default on any other architecture.
enum class instruction_set : std::uint8_t { baseline, v3, v4 };

/// Whether the loops of one instruction set were built and can run here.
bool is_available(instruction_set isa);

/// The loops of a row whose body computes in T = type. Throws sinter::error where the row has none.
detail::host_loops loops_of(const op_row& row, dtype type, instruction_set isa = instruction_set::baseline);

/// The loop that converts in[0], of type `from`, into `to`. A floating value beyond an integer type's range gives the
/// nearest of it, and NaN gives 0; a conversion to bool compares with zero.
detail::map_loop cast_loop(dtype to, dtype from, instruction_set isa = instruction_set::baseline);

/// The loop that computes two of the table's operators in `type`, of which the second one reads what the first one
/// gives: in[0] and in[1] are the first one's operands, in[2] is the second one's other one. Null where there is none.
detail::map_loop pair_loop(int first, int second, dtype type, bool is_second_operand, instruction_set isa);

// What loops.cpp, casts.cpp and pairs.cpp define, once for each instruction set that the build compiles them for.
detail::host_loops builtin_loops_baseline(int builtin, dtype type);
detail::host_loops builtin_loops_v3(int builtin, dtype type);
detail::host_loops builtin_loops_v4(int builtin, dtype type);
detail::map_loop cast_loop_baseline(dtype to, dtype from);
detail::map_loop cast_loop_v3(dtype to, dtype from);
detail::map_loop cast_loop_v4(dtype to, dtype from);
detail::map_loop pair_loop_baseline(int first, int second, dtype type, bool is_second_operand);
detail::map_loop pair_loop_v3(int first, int second, dtype type, bool is_second_operand);
detail::map_loop pair_loop_v4(int first, int second, dtype type, bool is_second_operand);

/// The form of such a function for an instruction set; for one that the build lacks, the baseline's.
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
