// Machine code as text.
#pragma once

#include <string>

namespace sinter::spoken {

/// By nvdisasm or cuobjdump, whichever is found on the PATH or in a CUDA toolkit. Throws sinter::error without them.
std::string disassembled(const std::string& cubin);

}  // namespace sinter::spoken
