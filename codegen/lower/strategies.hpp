// One function per strategy of schedules: it writes the kernel's device program.
#pragma once

#include <codegen/lower/lowering.hpp>

namespace sinter::codegen::lower {

void lower_elementwise(lowering& c);
void lower_tiled(lowering& c);
void lower_stencil(lowering& c);
void lower_rows(lowering& c);
void lower_columns(lowering& c);
void lower_product(lowering& c);

}  // namespace sinter::codegen::lower
