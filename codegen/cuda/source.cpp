// From a kernel's class to its device program, and from there to its source.
#include <codegen/cuda/source.hpp>

#include <codegen/cuda/print.hpp>
#include <codegen/device/program.hpp>
#include <codegen/device/shared_memory.hpp>
#include <codegen/lower/lower.hpp>

namespace sinter::codegen {

printed_kernel print_kernel(const kernel_class& c, const std::string& heading) {
    const auto program = std::make_shared<const device_ir::program>(lower::lower(c));
    printed_kernel source;
    source.text = cuda_source::print(*program, (heading.empty() ? "" : heading + "\n\n") + describe_class(c.how));
    source.entry = program->name;
    for (const device_ir::kernel_parameter& one : program->parameters) source.parameters.push_back(one.what);
    const device_ir::shared_layout shared = device_ir::shared_layout_of(*program);
    if (shared.is_dynamic()) source.shared_bytes = static_cast<unsigned>(shared.bytes);
    source.program = program;
    return source;
}

}  // namespace sinter::codegen
