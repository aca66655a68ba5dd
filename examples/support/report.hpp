// The quickstart's output: headings with aligned columns.
#pragma once

#include <cstdio>
#include <sinter.hpp>
#include <string>
#include <vector>

namespace report {

struct timing {
    double first;                 ///< seconds of the first evaluation, including generation and compilation
    std::vector<double> seconds;  ///< seconds of later evaluations, ascending
};

/// Formats a number of bytes with about four digits: "800.0 MB".
inline std::string amount(std::int64_t bytes) {
    const char* unit = bytes < 1000 ? "B" : bytes < 1000000 ? "kB" : "MB";
    const double scale = bytes < 1000 ? 1 : bytes < 1000000 ? 1e3 : 1e6;
    char text[32];
    std::snprintf(text, sizeof text, "%.*f %-2s", bytes < 1000 ? 0 : 1, static_cast<double>(bytes) / scale, unit);
    return text;
}

template <int R>
std::string text(const sinter::shape<R>& s) {
    std::string list;
    for (std::int64_t n : s) list += (list.empty() ? "" : ", ") + std::to_string(n);
    return '(' + list + (R == 1 ? ",)" : ")");
}

inline std::string indented(const std::string& lines) {
    std::string out = "  ";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        out += lines[i];
        if (lines[i] == '\n' && i + 1 < lines.size() && lines[i + 1] != '\n') out += "  ";
    }
    return out;
}

template <int R>
void print_input(const char* type, const sinter::shape<R>& s, std::int64_t bytes, const std::string& origin, int axis) {
    std::printf("r = sqrt(sum(x * x, axis=%d))\n\n", axis);
    std::printf("  x            %s %s, %s, %s\n", type, text(s).c_str(), amount(bytes).c_str(), origin.c_str());
    std::printf("  device       %s\n", sinter::current_device().description().c_str());
    std::fflush(stdout);  // the next step may take a while
}

inline void print_kernels(const sinter::explanation& why) {
    std::printf("\nExpression\n\n%s", indented(why.tree).c_str());
    for (const sinter::kernel_report& kernel : why.kernels) {
        std::printf("\nKernel\n\n  made for     %s\n  schedule     %s\n", why.device.c_str(), kernel.schedule.c_str());
        if (kernel.registers >= 0)
            std::printf("  compiled     %d registers per thread, %d bytes spilled, %.1f kB\n", kernel.registers,
                        kernel.spill_bytes, static_cast<double>(kernel.image_bytes) / 1e3);
        std::printf("\n%s", indented(kernel.source).c_str());
    }
}

inline void print_costs(const sinter::explanation& why, const timing& t) {
    const double median = t.seconds[t.seconds.size() / 2];
    const double rate = static_cast<double>(why.bytes_fused) / median;
    const bool fused = sinter::current_fusion() == sinter::fusion::on;
    std::printf("\nCost           %12s    one kernel per operation\n\n", fused ? "fused" : "not fused");
    std::printf("  launches     %12d    %12d\n", why.launches, why.operations);
    std::printf("  bytes moved  %12s    %12s\n\n", amount(why.bytes_fused).c_str(), amount(why.bytes_unfused).c_str());
    std::printf("  first use    %9.3f ms    %s\n", t.first * 1e3,
                sinter::current_device().is_host() ? "with planning"
                                                   : "with generating the kernel, and compiling it if no cache has it");
    std::printf("  time         %9.3f ms    median of %zu, which took %.3f to %.3f ms\n", median * 1e3,
                t.seconds.size(), t.seconds.front() * 1e3, t.seconds.back() * 1e3);
    std::printf("  bandwidth    %7.1f GB/s    bytes moved over time, on %s\n", rate / 1e9,
                sinter::current_device().name().c_str());
}

/// Prints whether the greatest difference is within the rounding tolerance.
template <int R>
bool print_result(const char* type, const sinter::shape<R>& s, double difference, double tolerance) {
    const bool good = difference <= tolerance;
    std::printf("\nResult\n\n  r            %s %s\n", type, text(s).c_str());
    std::printf("  check        %s: max. relative difference %.1e over all %lld elements, from plain loops in double\n",
                good ? "good" : "WRONG", difference, static_cast<long long>(s.size()));
    return good;
}

}  // namespace report
