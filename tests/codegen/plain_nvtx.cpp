// A profiler for one test: the library that NVTX opens (NVTX_INJECTION64_PATH), which keeps the names of ranges.
#include <string>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace {

std::string names;
int depth = 0;
char domain;

nvtxDomainHandle_t create(const char* name) {
    names += std::string(name) + ':';
    return reinterpret_cast<nvtxDomainHandle_t>(&domain);
}

int push(nvtxDomainHandle_t, const nvtxEventAttributes_t* range) {
    names += std::string(range->message.ascii) + ';';
    return depth++;
}

int pop(nvtxDomainHandle_t) { return --depth; }

template <class Function>
void replace(NvtxFunctionTable table, unsigned place, Function function) {
    *table[place] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

/// "Sinter:first range;second range;", and "!" where a range has not ended.
extern "C" const char* ranges() {
    static std::string all;
    return (all = depth == 0 ? names : names + '!').c_str();
}

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
    const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (callbacks == nullptr || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
    replace(table, NVTX_CBID_CORE2_DomainCreateA, create);
    replace(table, NVTX_CBID_CORE2_DomainRangePushEx, push);
    replace(table, NVTX_CBID_CORE2_DomainRangePop, pop);
    return 1;
}

#else

extern "C" const char* ranges() { return ""; }

#endif
