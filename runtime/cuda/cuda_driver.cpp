// Opens libcuda.so.1 and initialises the driver.
#include <runtime/cuda/cuda_driver.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/system/shared_library.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

namespace {

struct attempt {
    driver functions;
    std::string failure;
};

attempt open() {
    attempt a;
    void* const library = open_library("libcuda.so.1");
    if (library == nullptr) {
        a.failure = "no CUDA driver (libcuda.so.1 was not found): install NVIDIA's driver, or use host()";
        return a;
    }
#define SINTER_GET(member, symbol, function)                                                                     \
    if (!find_function(library, symbol, a.functions.member)) {                                                   \
        a.failure =                                                                                              \
            "the CUDA driver is too old (it lacks " symbol "): install one for CUDA 12 or newer, or use host()"; \
        return a;                                                                                                \
    }
    SINTER_CUDA_FUNCTIONS(SINTER_GET)
#undef SINTER_GET
    driver& d = a.functions;
    find_function(library, "cuFuncGetParamInfo", d.func_get_param_info);  // missing in older drivers
    if (const CUresult r = d.init(0); r != CUDA_SUCCESS) {
        a.failure = fmt::format(
            "the CUDA driver did not start: {}; check that nvidia-smi lists a device, or use host()", describe(d, r));
    } else if (const CUresult c = d.device_get_count(&d.devices); c != CUDA_SUCCESS || d.devices == 0) {
        a.failure = "the CUDA driver shows no device: check CUDA_VISIBLE_DEVICES, or use host()";
    } else {
        d.driver_get_version(&d.version);
    }
    return a;
}

const attempt& opened() {
    static constinit std::atomic<const attempt*> a{nullptr};
    return created_once(a, [] { return new attempt(open()); });
}

}  // namespace

const driver* cuda_driver() noexcept try {
    return opened().failure.empty() ? &opened().functions : nullptr;
} catch (...) {
    return nullptr;
}

const std::string& cuda_driver_missing() { return opened().failure; }

std::string describe(const driver& d, CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    d.get_error_name(result, &name);
    d.get_error_string(result, &text);
    if (name == nullptr) return fmt::format("CUDA error {}", static_cast<int>(result));
    return fmt::format("{} ({})", name, text == nullptr ? "unknown error" : text);
}

}  // namespace sinter::codegen
