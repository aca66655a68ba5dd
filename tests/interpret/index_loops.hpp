// Index arithmetic of a warp, in the integer types of C++.
#pragma once

#include <tests/interpret/lanes.hpp>

#include <sinter/dtype.hpp>

namespace sinter::codegen::device_ir {
enum class arithmetic_kind : std::uint8_t;
}

namespace sinter::interpret {

/// out = a op b in each lane. Returns the active lanes for which the operation is undefined in C++: division by zero,
/// signed overflow.
using index_loop = lane_mask (*)(void* out, const void* a, const void* b, lane_mask active);

/// `computed`: the type of both operands, at least an int.
index_loop loop_of(codegen::device_ir::arithmetic_kind how, dtype computed);

/// Of two operands, as in C++: the wider type, of equal width the unsigned one; at least an int.
dtype common_type(dtype a, dtype b);

/// quotient(i, multiplier, shift) of kernels, in uint32 or uint64.
void divide_by_multiplying(dtype type, void* out, const void* i, const void* multiplier, const void* shift);

/// A lane's index, sign- or zero-extended.
std::int64_t index_at(dtype type, const char* lanes, int lane);

}  // namespace sinter::interpret
