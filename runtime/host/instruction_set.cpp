// Run-time choice of the host's instruction set.
#include <runtime/host/instruction_set.hpp>

#include <runtime/system/environment.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <string>

namespace sinter::codegen {
namespace {

instruction_set choose() {
    instruction_set widest = instruction_set::baseline;
    for (const instruction_set isa : {instruction_set::v3, instruction_set::v4})
        if (is_available(isa)) widest = isa;
    const std::string name = environment("SINTER_ISA");
    if (name.empty()) return widest;
    const instruction_set isa =
        name == "baseline" ? instruction_set::baseline
        : name == "v3"     ? instruction_set::v3
        : name == "v4"     ? instruction_set::v4
                           : throw error(fmt::format("SINTER_ISA is '{}': set it to baseline, v3 or v4", name));
    if (!is_available(isa))
        throw error(fmt::format("SINTER_ISA is '{}', which this machine or this build lacks: unset it", name));
    return isa;
}

}  // namespace

instruction_set host_instruction_set() {
    static const instruction_set chosen = choose();
    return chosen;
}

}  // namespace sinter::codegen
