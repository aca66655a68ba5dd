// The machines that kernels are made for where there is none: the most common of each architecture.
#include <codegen/schedule/target_presets.hpp>

#include <codegen/schedule/architecture.hpp>

#include <sinter/error.hpp>

namespace sinter::codegen {

device_properties preset_of(int arch) {
    // NVIDIA's data sheets, except the H200's memory and L2 cache: these are what its driver reports (3.2 GHz, 6144
    // bits), so that the preset is the default of `device_properties`. The bandwidth of a copy is 87 %, as measured on
    // an H200.
    constexpr struct {
        int arch;
        const char* name;
        int multiprocessors;
        double l2_megabytes, gigabytes_per_second, teraflops;
    } known[] = {
        {75, "T4", 40, 4, 320, 8.1},
        {80, "A100", 108, 40, 1555, 19.5},
        {86, "A10", 72, 6, 600, 31.2},
        {89, "L40S", 142, 96, 864, 91.6},
        {90, "H200", 132, 60, 4910, 67},
        {100, "B200", 148, 126, 8000, 75},
        {120, "RTX 5090", 170, 96, 1792, 104.8},
    };
    for (const auto& k : known) {
        if (k.arch != arch) continue;
        device_properties m;
        m.name = std::string(k.name) + " (data sheet)";
        m.arch = arch;
        m.multiprocessors = k.multiprocessors;
        const architecture& a = architecture_of(arch);
        m.threads_per_multiprocessor = a.threads;
        m.dynamic_shared_per_block = static_cast<std::size_t>(a.shared_kilobytes - a.reserved_kilobytes) << 10;
        m.l2_bytes = static_cast<std::size_t>(k.l2_megabytes * (1 << 20));
        m.bytes_per_second = 0.87e9 * k.gigabytes_per_second;
        m.operations_per_second = k.teraflops / 2 * 1e12;  // data sheets count a multiply-add as two
        return m;
    }
    std::string all;
    for (const auto& k : known) all += (all.empty() ? "sm_" : ", sm_") + std::to_string(k.arch);
    throw error("there is no target of architecture sm_" + std::to_string(arch) + "; use one of " + all);
}

}  // namespace sinter::codegen
