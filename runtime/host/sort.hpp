// Sorting rows on the host.
#pragma once

#include <codegen/ir/call.hpp>

namespace sinter::codegen {

// The functions that codegen/functions/sort.hpp describes.
void sort_on_host(const call_site& call, const void* const* operands, void* const* results);
void select_on_host(const call_site& call, const void* const* operands, void* const* results);

}  // namespace sinter::codegen
