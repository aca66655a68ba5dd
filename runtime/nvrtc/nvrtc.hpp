// CUDA C++ text to a binary image, by NVRTC, which is opened at run time.
#pragma once

#include <runtime/devices/device.hpp>

#include <string>

namespace sinter::codegen {

struct compiled {
    std::string image;  ///< a cubin; PTX where NVRTC knows no cubin for the architecture, or where PTX was asked for
    resources usage;    ///< not known of PTX
    std::string log;    ///< warnings; empty when there are none
};

/// Compiles for compute capability arch / 10 . arch % 10. Thread-safe. Throws sinter::error: one line for a missing
/// NVRTC or an architecture it does not know; one line, the whole log and the numbered source for a refused source.
compiled compile_cuda(const std::string& source, int arch, const compile_options& options = {}, bool ptx_only = false);

/// Whether NVRTC is here. Opens it.
bool nvrtc_available();
/// "13.0"; empty without NVRTC. Opens it.
std::string nvrtc_version();
/// Everything besides the source that decides what compile_cuda returns: which NVRTC, which options. Does not open
/// NVRTC where the file can be found otherwise: a program whose kernels are all in the disk cache never needs it.
std::string nvrtc_toolchain(int arch);

}  // namespace sinter::codegen
