// Conversions of choices between two numbers, as astype<std::uint8_t>(where(x > 127, 255, 0)): a choice between the
// converted numbers is as narrow as its result.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <optional>

namespace sinter::codegen::blocked {

/// The kernel with its conversions of such choices moved into them; nothing if it has none.
std::optional<loop_nest> with_cast_choices(const loop_nest& k);

}  // namespace sinter::codegen::blocked
