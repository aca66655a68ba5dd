// From a kernel's class to its device program, and from there to its source.
#include <codegen/cuda/source.hpp>

#include <codegen/cuda/print.hpp>
#include <codegen/device/kernel_program.hpp>
#include <codegen/lower/lower.hpp>

namespace sinter::codegen {

rendered render(const kernel_class& c, const std::string& heading) {
    const auto program = std::make_shared<const kernel_program>(kernel_program{lower::lower(c)});
    const device::program& p = program->body;
    rendered source;
    source.text = cuda::print(p, (heading.empty() ? "" : heading + "\n\n") + describe_class(c.how));
    source.entry = cuda::entry_name;
    for (const device::kernel_parameter& one : p.parameters) source.parameters.push_back(one.what);
    source.program = program;
    return source;
}

}  // namespace sinter::codegen
