// Finds and opens the NVRTC library. Internal to runtime/nvrtc.
#pragma once

#include <nvrtc.h>

#include <optional>
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
    std::vector<int> archs;    ///< 10 * major + minor, ascending
};

/// Null if none was found. Searched once per process.
const nvrtc_library* find_nvrtc();
/// Throws if none was found; the message says what to install.
const nvrtc_library& require_nvrtc();

/// Identifies the NVRTC that find_nvrtc opens, by its file rather than by opening it.
const std::string& nvrtc_identity();

/// Whether a file's name, as "libnvrtc.so.12.4.127", says that it is this version or newer; nothing if it does not
/// tell.
std::optional<bool> name_is_at_least(const std::string& file_name, int major, int minor);
/// The same of the NVRTC that find_nvrtc opens, which is opened if its name does not tell; true if there is none.
bool nvrtc_is_at_least(int major, int minor);

}  // namespace sinter::codegen
