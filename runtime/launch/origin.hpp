// Finds where a NaN or an infinity in a result comes from.
#pragma once

#include <runtime/launch/probe.hpp>

#include <string>

namespace sinter::codegen {

/// A phrase that begins with ";": the operation on the way to the element at `at` of a result that made a NaN or an
/// infinity of finite operands, with their values; or the operand that contains it. Empty if unknown.
std::string origin_of(const probe& p, int result, const extents& at);

}  // namespace sinter::codegen
