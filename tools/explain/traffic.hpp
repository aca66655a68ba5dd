// The compulsory traffic of an expression: the minimum that every kernel for it must move.
#pragma once

#include <tools/explain/node.hpp>

namespace sinter::spoken {

/// The bytes of each operand and each result, counted once. An operand that only views read counts with the views'
/// bytes if they are fewer. Scalars are kernel arguments, and are not counted.
double compulsory_bytes(const lowered& expression);

}  // namespace sinter::spoken
