// Disassembles machine code.
#pragma once

#include <string>

namespace sinter::spoken {

/// Uses nvdisasm or cuobjdump from the PATH or a CUDA toolkit. Throws sinter::error if neither is found.
std::string disassembled(const std::string& cubin);

}  // namespace sinter::spoken
