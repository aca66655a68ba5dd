// The public interface of a runnable kernel.
#include <tests/interpret/interpreter.hpp>

#include <tests/interpret/code.hpp>

#include <codegen/device/program.hpp>
#include <codegen/device/shared_memory.hpp>

namespace sinter::interpret {

std::shared_ptr<const kernel> kernel::of(const std::shared_ptr<const codegen::device_ir::program>& program,
                                         const std::string& heading) {
    auto ready = code::of(program, heading);
    if (ready == nullptr) return nullptr;
    auto made = std::make_shared<kernel>();
    for (std::size_t i = 0; i < ready->parameters.size(); ++i) {
        made->parameter_bytes.push_back(ready->parameters[i].bytes);
        const parameter_code& p = ready->parameters[i];
        if (!p.is_pointer) continue;
        const array_code& a = ready->arrays[static_cast<std::size_t>(p.of)];
        if (!a.read_only) made->written.push_back(i);
        if (p.is_output) made->results.emplace_back(i, a.type);
    }
    made->block_threads = program->block_threads;
    made->cluster = program->cluster;
    const codegen::device_ir::shared_layout shared = codegen::device_ir::shared_layout_of(*program);
    (shared.is_dynamic() ? made->dynamic_shared_bytes : made->shared_bytes) = shared.bytes;
    made->ready = std::move(ready);
    return made;
}

}  // namespace sinter::interpret
