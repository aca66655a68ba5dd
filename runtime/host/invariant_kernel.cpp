// Evaluates the parts of a kernel that is cut at its loop-invariant values.
#include <runtime/host/invariant_kernel.hpp>

#include <codegen/host/keyed_reduction.hpp>
#include <codegen/ir/round.hpp>
#include <runtime/host/instruction_set.hpp>
#include <runtime/host/pooled.hpp>

#include <optional>
#include <utility>

namespace sinter::codegen {

std::shared_ptr<const invariant_kernel> invariant_kernel::of(const loop_nest& k, compiled_loops when) {
    const std::optional<blocked::invariant_cut> found = blocked::cut_invariant_values(k);
    if (!found || blocked::find_keyed_reduction(k, blocked::make_plan(k, host_instruction_set()))) return nullptr;
    return std::make_shared<const invariant_kernel>(*found, when);
}

invariant_kernel::invariant_kernel(const blocked::invariant_cut& what, compiled_loops when) : rest_(what.rest, when) {
    own_inputs_ = what.rest.inputs.size();
    for (const blocked::invariant_cut::part& p : what.parts) {
        std::vector<std::int64_t> arrays;
        for (const dtype type : p.body.outputs) {
            const std::int64_t bytes = p.elements * static_cast<std::int64_t>(size_of(type));
            arrays.push_back(std::exchange(bytes_, bytes_ + round_up(bytes, blocked::alignment)));
            --own_inputs_;
        }
        parts_.push_back(std::unique_ptr<const part>(new part{host_kernel(p.body, when), std::move(arrays)}));
    }
}

void invariant_kernel::run(const void* const* inputs, void* const* outputs, const ir::scalar_bits* scalars) const {
    const pooled<std::byte> memory(bytes_);
    std::vector<const void*> read(inputs, inputs + own_inputs_);
    for (const std::unique_ptr<const part>& p : parts_) {
        std::vector<void*> made;
        for (const std::int64_t offset : p->arrays) made.push_back(memory.get() + offset);
        evaluate_on_host(p->body, inputs, made.data(), scalars);
        read.insert(read.end(), made.begin(), made.end());
    }
    evaluate_on_host(rest_, read.data(), outputs, scalars);
}

}  // namespace sinter::codegen
