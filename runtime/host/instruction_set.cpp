// Run-time choice of the host's instruction set.
#include <runtime/host/instruction_set.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/system/environment.hpp>

#include <atomic>
#include <string>

namespace sinter::codegen {
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
    return created_once(chosen, [] { return new instruction_set(choose()); });
}

}  // namespace sinter::codegen
