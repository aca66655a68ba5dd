// Run-time choice of the host's instruction set.
#include <codegen/kept.hpp>
#include <codegen/rows/dispatch.hpp>
#include <runtime/system/environment.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>

#include <string>

namespace sinter::codegen {

bool is_available(instruction_set isa) {
    switch (isa) {
        case instruction_set::baseline: return true;
        case instruction_set::v3:
#if defined(SINTER_HAVE_V3)
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
            return false;
#endif
        case instruction_set::v4:
#if defined(SINTER_HAVE_V4)
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx2") &&
                   __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
            return false;
#endif
    }
    return false;
}

namespace {

instruction_set choose() {
    instruction_set widest = instruction_set::baseline;
    for (const instruction_set isa : {instruction_set::v3, instruction_set::v4})
        if (is_available(isa)) widest = isa;
    const std::string name = environment("SINTER_ISA");
    if (name.empty()) return widest;
    if (name != "baseline" && name != "v3" && name != "v4")
        refuse_environment("SINTER_ISA", name, "use baseline, v3 or v4");
    const instruction_set isa = name == "baseline" ? instruction_set::baseline
                                : name == "v3"     ? instruction_set::v3
                                                   : instruction_set::v4;
    if (!is_available(isa)) refuse_environment("SINTER_ISA", name, "this machine or this build lacks it; use baseline");
    return isa;
}

}  // namespace

instruction_set host_instruction_set() {
    static constinit std::atomic<const instruction_set*> chosen{nullptr};
    return kept(chosen, [] { return new instruction_set(choose()); });
}

detail::host_loops loops_of(const op_row& row, dtype type, instruction_set isa) {
    if (row.builtin == text_row)
        throw error(
            fmt::format("{}(\"{}\"): the host cannot compile text; declare the function by SINTER_UNARY, "
                        "SINTER_BINARY, SINTER_TERNARY or SINTER_REDUCTION",
                        row.name, row.body));
    const detail::host_loops loops =
        row.host != nullptr ? row.host(type) : SINTER_FORM_FOR(isa, builtin_loops)(row.builtin, type);
    if (loops.map == nullptr)
        throw error(fmt::format("'{}' does not compute in {}: convert its operands with astype", row.name, name(type)));
    return loops;
}

detail::host_loops loops_of(const op_row& row, dtype type) { return loops_of(row, type, host_instruction_set()); }

detail::map_loop cast_loop(dtype to, dtype from, instruction_set isa) {
    return SINTER_FORM_FOR(isa, cast_loop)(to, from);
}

detail::map_loop cast_loop(dtype to, dtype from) { return cast_loop(to, from, host_instruction_set()); }

}  // namespace sinter::codegen
