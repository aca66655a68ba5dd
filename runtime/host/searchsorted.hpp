// Searching in a sorted array, and interpolation, on the host.
#pragma once

#include <codegen/ir/call.hpp>

namespace sinter::codegen {

/// The functions that codegen/functions/searchsorted.hpp describes.
void search_on_host(const call_site& call, const void* const* operands, void* const* results);
void interpolate_on_host(const call_site& call, const void* const* operands, void* const* results);

}  // namespace sinter::codegen
