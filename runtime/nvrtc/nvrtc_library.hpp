// Finds and opens the NVRTC library. For codegen/compile alone.
#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

namespace sinter::codegen {

struct nvrtc_library {
    decltype(&::nvrtcGetErrorString) get_error_string;
    decltype(&::nvrtcVersion) version;
    decltype(&::nvrtcGetNumSupportedArchs) get_num_supported_archs;
    decltype(&::nvrtcGetSupportedArchs) get_supported_archs;
    decltype(&::nvrtcCreateProgram) create_program;
    decltype(&::nvrtcDestroyProgram) destroy_program;
    decltype(&::nvrtcCompileProgram) compile_program;
    decltype(&::nvrtcGetPTXSize) get_ptx_size;
    decltype(&::nvrtcGetPTX) get_ptx;
    decltype(&::nvrtcGetCUBINSize) get_cubin_size;
    decltype(&::nvrtcGetCUBIN) get_cubin;
    decltype(&::nvrtcGetProgramLogSize) get_program_log_size;
    decltype(&::nvrtcGetProgramLog) get_program_log;

    std::string path;          ///< as it was opened
    std::string version_text;  ///< "13.0"
    std::vector<int> archs;    ///< 10 * major + minor, rising
};

/// Null where none was found. Searched once in a process.
const nvrtc_library* find_nvrtc();
/// Throws where none was found, with the cure.
const nvrtc_library& require_nvrtc();

/// Names the NVRTC that find_nvrtc opens, by its file rather than by opening it.
const std::string& nvrtc_identity();

}  // namespace sinter::codegen
