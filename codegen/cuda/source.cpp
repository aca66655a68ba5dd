// From a kernel's class to its device program, and from there to its source.
#include <codegen/cuda/source.hpp>

#include <codegen/cuda/print.hpp>
#include <codegen/lower/lower.hpp>

namespace sinter::codegen {

rendered render(const kernel_class& c, const std::string& heading) {
    const device::program p = lower::lower(c);
    rendered source;
    source.text = cuda::print(p, (heading.empty() ? "" : heading + "\n\n") + describe_class(c.how));
    source.entry = cuda::entry_name;
    for (const device::kernel_parameter& one : p.parameters) source.parameters.push_back(one.what);
    return source;
}

}  // namespace sinter::codegen
