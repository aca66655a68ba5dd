// Fourier transforms on the host.
#pragma once

#include <codegen/ir/call.hpp>

namespace sinter::codegen {

void fft_on_host(const call_site& call, const void* const* operands, void* const* results);

}  // namespace sinter::codegen
