// Compiles CUDA C++ source to a binary image by NVRTC, which is opened at run time.
#pragma once

#include <runtime/devices/device.hpp>

#include <string>

namespace sinter::codegen {

struct compiled {
    std::string image;  ///< a cubin; PTX if NVRTC has no cubin for the architecture, or PTX was asked for
    resources usage;    ///< unknown for PTX
    std::string log;    ///< warnings; empty if there are none
};

/// Compiles for compute capability arch / 10 . arch % 10. Thread-safe. Throws sinter::error: one line if NVRTC is
/// missing or does not know the architecture; one line, the whole log and the numbered source if it rejects the source.
compiled compile_cuda(const std::string& source, int arch, const compile_options& options = {}, bool ptx_only = false);

/// Whether NVRTC can be opened. Opens it.
bool nvrtc_available();
/// "13.0"; empty without NVRTC. Opens it.
std::string nvrtc_version();
/// Whether it compiles kernels that make tensor maps: 12.3 and newer; true without NVRTC, for kernels compiled before.
/// Opens it if its file's name does not tell.
bool nvrtc_makes_tensor_maps();
/// Everything besides the source that decides the result of compile_cuda: the NVRTC and the options. Does not open
/// NVRTC if its file can be found otherwise: a program whose kernels are all in the disk cache never needs it.
std::string nvrtc_toolchain(int arch);

}  // namespace sinter::codegen
