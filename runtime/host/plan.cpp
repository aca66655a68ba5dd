// Plans of the host for the instruction set of this machine, each with a number of its own.
#include <codegen/host/plan.hpp>
#include <runtime/host/evaluate.hpp>
#include <runtime/host/instruction_set.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace sinter::codegen {

host_plan plan_on_host(const kernel& k) {
    static std::atomic<std::uint64_t> last{0};
    auto p = std::make_shared<blocked::plan>(blocked::make_plan(k, host_instruction_set()));
    p->number = ++last;
    return p;
}

}  // namespace sinter::codegen
