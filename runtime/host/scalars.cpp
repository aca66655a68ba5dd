// Rows applied to C++ scalars, by the loops that host arrays use.
#include <runtime/host/instruction_set.hpp>
#include <sinter/op/scalars.hpp>

namespace sinter::detail {

void compute_on_host(const op_row& row, dtype type, void* out, const void* const* in) {
    codegen::loops_of(row, type, codegen::host_instruction_set()).map(out, in, 1);
}

}  // namespace sinter::detail
