// Runs calls of functions of whole arrays.
#include <runtime/launch/call_step.hpp>

#include <codegen/ir/element_functions.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/lower/launch_value.hpp>
#include <runtime/launch/named_launch.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

std::vector<kernel_request> requests_for(const call_launches& all) {
    std::vector<kernel_request> wanted;
    for (const call_launch& one : all.kernels) wanted.push_back({one.key, [&one] { return one.source({}); }});
    return wanted;
}

call_step::call_step(const loop_nest& k, device& where, std::shared_ptr<const library_function> library)
    : call_(*k.call), functions_(k.element_functions), where_(where), library_(std::move(library)) {
    if (where.is_host() || library_) return;
    auto& on = static_cast<kernel_device&>(where);
    fused_ = kernels_of_call(k, on.properties());
    const std::vector<kernel_request> wanted = requests_for(fused_.launches);
    make_kernels_ready(on, wanted);
    for (const kernel_request& one : wanted) ready_.push_back(&get_kernel(on, one));
}

void call_step::run(const call_pointers& at) const {
    if (!where_.is_host()) return run_kernels(at);
    const auto* const body = call_.callee->body;
    if (capture* const c = where_.recording())
        return c->record([call = call_, in = std::vector<const void*>(at.operands, at.operands + call_.operands.size()),
                          out = std::vector<void*>(at.results, at.results + call_.results.size())] {
            call.callee->body->host(call, in.data(), out.data());
        });
    body->host(call_, at.operands, at.results);
}

/// The arguments of one launch, and their addresses.
class call_step::argument_list {
public:
    argument_list(const call_step& of, const call_pointers& pointers, char* workspace)
        : step_(of), at_(pointers), workspace_(workspace) {}

    void** fill(const std::vector<call_argument>& arguments) {
        for (const call_argument& a : arguments) add(a);
        addresses_.resize(values_.size());
        for (std::size_t i = 0; i < values_.size(); ++i)
            addresses_[i] =
                wide_[i] != nullptr ? const_cast<ir::scalar_bits*>(wide_[i]) : static_cast<void*>(&values_[i]);
        return addresses_.data();
    }

private:
    template <class T>
    static std::uint64_t address(T* p) {
        return reinterpret_cast<std::uint64_t>(p);
    }

    void push(std::uint64_t value, const ir::scalar_bits* wide = nullptr) {
        values_.push_back(value);
        wide_.push_back(wide);
    }

    void add(const call_argument& a) {
        switch (a.what) {
            case call_argument::kind::operand:
                if (is_computed(step_.call_, a.index)) return add_function(operand_function(step_.call_, a.index));
                return push(address(at_.operands[a.index]));
            case call_argument::kind::result:
                if (is_consumed(step_.call_, a.index)) return add_function(result_function(step_.call_, a.index));
                return push(address(at_.results[a.index]));
            case call_argument::kind::workspace: return push(address(workspace_ + a.value));
            case call_argument::kind::number: return push(static_cast<std::uint64_t>(a.value));
            case call_argument::kind::null: return push(0);
        }
    }

    void add_function(int index) {
        const auto f = static_cast<std::size_t>(index);
        const loop_nest& function = step_.functions_[f];
        for (const parameter& p : step_.fused_.functions[f].values) {
            const auto i = static_cast<std::size_t>(p.index);
            switch (p.what) {
                case parameter::kind::input: push(address(at_.inputs[function.inputs[i].leaf])); break;
                case parameter::kind::output: push(address(at_.outputs[i])); break;
                case parameter::kind::scalar:
                    // of the program by address: a complex number is wider than other scalars
                    if (const int of_program = function.scalars[i]; of_program >= 0)
                        push(0, &at_.scalars[of_program]);
                    else
                        push(scalar_argument(function, i, at_.scalars).bits);
                    break;
                default: push(static_cast<std::uint64_t>(launch_value(function, step_.fused_.schedules[f], p)));
            }
        }
    }

    const call_step& step_;
    const call_pointers& at_;
    char* const workspace_;
    std::vector<std::uint64_t> values_;
    std::vector<const ir::scalar_bits*> wide_;
    std::vector<void*> addresses_;
};

void call_step::run_kernels(const call_pointers& at) const {
    auto& on = static_cast<kernel_device&>(where_);
    if (library_)
        return named_launch(
            on, [&] { return "the library's call for " + expression_text(call_); },
            [&] { library_->run(at.operands, at.results); });
    detail::storage_ref space;
    const call_launches& all = fused_.launches;
    if (all.workspace_bytes > 0) {
        space = make_storage_on(on, dtype::uint8, 1, &all.workspace_bytes);
        if (all.zeroed > 0) on.fill_zero(space->data, static_cast<std::size_t>(all.zeroed));
    }
    for (std::size_t k = 0; k < all.kernels.size(); ++k) {
        const call_launch& one = all.kernels[k];
        argument_list arguments(*this, at, space ? static_cast<char*>(space->data) : nullptr);
        void** const pointers = arguments.fill(one.arguments);
        named_launch(
            on, [&] { return fmt::format("kernel {} of {}", k, expression_text(call_)); },
            [&] { on.launch(ready_[k]->loaded, one.blocks, one.threads, one.shared_bytes, pointers); });
    }
}

}  // namespace sinter::codegen
