// One function per strategy: it emits the kernel's device program.
#pragma once

#include <codegen/lower/lowering.hpp>

namespace sinter::codegen::lower {

void lower_elementwise(lowering& c);
void lower_tiled(lowering& c);
void lower_stencil(lowering& c);
void lower_channels(lowering& c);
void lower_windows(lowering& c);
void lower_rows(lowering& c);
void lower_columns(lowering& c);
void lower_contraction(lowering& c);
void lower_tensor(lowering& c);
void lower_online(lowering& c);
void lower_nested(lowering& c);

}  // namespace sinter::codegen::lower
