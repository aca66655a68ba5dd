// Where a NaN or an infinity in a result comes from.
#pragma once

#include <runtime/launch/probe.hpp>

#include <string>

namespace sinter::codegen {

/// In words, beginning with ";": the first operation, on the way to the element at `at` of a result, that made a NaN or
/// an infinity of finite operands, with their values; or the operand that has it. Nothing where that cannot be found.
std::string origin_of(const probe& p, int result, const extents& at);

}  // namespace sinter::codegen
