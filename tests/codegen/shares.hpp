// Which kernels are compiled for which generation of GPUs.
#pragma once

#include <cstddef>

namespace sinter::codegen::testing {

/// Compiling is slow and generations differ little: for an H200 every text is compiled, for sm_75, sm_80 and the newest
/// a third of them each.
inline bool is_compiled_for(int arch, std::size_t text) {
    return arch == 90 || text % 3 == (arch == 75 ? 0u : arch == 80 ? 1u : 2u);
}

}  // namespace sinter::codegen::testing
