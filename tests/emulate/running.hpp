// Runs a loop nest as the library would: schedule, source, image, launch. For tests that build loop nests by hand.
#pragma once

#include <codegen/cuda/source.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/workspace.hpp>
#include <sinter/error.hpp>
#include <tests/emulate/emulated_device.hpp>

#include <map>
#include <string>
#include <vector>

namespace sinter::emulate {

/// A kernel with its program, if there is one: then it is interpreted.
inline codegen::loaded_kernel* load_rendered(codegen::kernel_device& device, const codegen::printed_kernel& r) {
    if (r.program != nullptr) device.announce(r.text, r.program);
    return device.load(device.compile(r.text), r.entry);
}

/// Caches images by source, so kernels of one class compile once.
class kernel_runner {
public:
    explicit kernel_runner(codegen::kernel_device& device) : device_(device) {}

    /// Launches the kernel, optionally several times: a launch must leave its workspace ready for the next.
    /// The pointers are to the device's memory; offsets of inputs are already added.
    void run(const codegen::loop_nest& k, const codegen::schedule& s, const std::vector<const void*>& inputs,
             const std::vector<void*>& outputs, const std::vector<ir::scalar_bits>& scalars, int launches = 1) {
        const codegen::printed_kernel r = codegen::print_kernel(k, s, "a kernel built by hand");
        codegen::loaded_kernel*& loaded = loaded_[r.text];
        if (loaded == nullptr) loaded = load_rendered(device_, r);
        const std::size_t workspace_bytes = codegen::workspace_bytes(k, s);
        void* const workspace = device_.allocate(workspace_bytes);
        device_.fill_zero(workspace, workspace_bytes);
        std::vector<std::uint64_t> values(r.parameters.size());
        std::vector<void*> arguments;
        for (std::size_t p = 0; p < values.size(); ++p) {
            values[p] = argument(k, s, r.parameters[p], inputs, outputs, scalars, workspace);
            arguments.push_back(&values[p]);
        }
        try {
            for (int i = 0; i < launches; ++i)
                device_.launch(loaded, codegen::grid_size(k, s), s.block_threads, r.shared_bytes, arguments.data());
        } catch (const error& e) {
            throw error(std::string(e.what()) + "\n" + codegen::describe(s) + "\n" + r.text);
        }
        device_.deallocate(workspace, workspace_bytes);
    }

private:
    /// The argument's bytes, little-endian: a narrow parameter uses the first ones.
    static std::uint64_t argument(const codegen::loop_nest& k, const codegen::schedule& s, const codegen::parameter& p,
                                  const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
                                  const std::vector<ir::scalar_bits>& scalars, void* workspace) {
        const auto index = static_cast<std::size_t>(p.index);
        using kind = codegen::parameter::kind;
        switch (p.what) {
            case kind::output: return reinterpret_cast<std::uintptr_t>(outputs[index]);
            case kind::input: return reinterpret_cast<std::uintptr_t>(inputs[index]);
            case kind::scalar: return scalars[index].bits;
            case kind::workspace: return reinterpret_cast<std::uintptr_t>(workspace);
            default: return static_cast<std::uint64_t>(codegen::launch_value(k, s, p));
        }
    }

    codegen::kernel_device& device_;
    std::map<std::string, codegen::loaded_kernel*> loaded_;
};

}  // namespace sinter::emulate
