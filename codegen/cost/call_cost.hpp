// What a call moves, and what its element functions cost.
#pragma once

#include <codegen/schedule/schedule.hpp>

namespace sinter::codegen {

/// Bytes of device memory that a call moves: each array counts once, however often kernels access it.
std::int64_t bytes_of_call(const loop_nest& call);

/// Bytes that the functions move beyond those of the arrays for which they stand; may be negative.
std::int64_t bytes_of_functions(const loop_nest& call);

/// The ops that they evaluate for each element once.
double operations_of_functions(const loop_nest& call);

/// The time that they add to a call whose kernels access arrays in their place; may be negative.
double seconds_of_functions(const loop_nest& call, const device_properties& m);

}  // namespace sinter::codegen
