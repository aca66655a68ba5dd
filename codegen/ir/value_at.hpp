// A loop nest's value by its number.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <cstddef>

namespace sinter::codegen {

inline const value& value_at(const loop_nest& k, int v) { return k.values[static_cast<std::size_t>(v)]; }

}  // namespace sinter::codegen
