// Runs calls of functions of whole arrays.
#include <runtime/launch/call_step.hpp>

#include <codegen/ir/element_functions.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/lower/launch_value.hpp>
#include <runtime/launch/named_launch.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/system/small_vector.hpp>

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
    argument_list(const call_step& of, const std::vector<call_argument>& arguments, const call_pointers& pointers,
                  char* workspace)
        : step_(of),
          at_(pointers),
          workspace_(workspace),
          count_(of.count(arguments)),
          values_(count_),
          addresses_(count_) {
        for (const call_argument& a : arguments) add(a);
    }

    void** addresses() { return addresses_.data(); }

private:
    template <class T>
    static std::uint64_t address(T* p) {
        return reinterpret_cast<std::uint64_t>(p);
    }

    void push(std::uint64_t value) {
        values_[next_] = value;
        addresses_[next_] = &values_[next_];
        ++next_;
    }

    void add(const call_argument& a) {
        if (const int function = step_.function_of(a); function >= 0) return add_function(function);
        switch (a.what) {
            case call_argument::kind::operand: return push(address(at_.operands[a.index]));
            case call_argument::kind::result: return push(address(at_.results[a.index]));
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
                        addresses_[next_++] = const_cast<ir::scalar_bits*>(&at_.scalars[of_program]);
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
    const std::size_t count_;
    small_vector<std::uint64_t, 16> values_;
    small_vector<void*, 16> addresses_;
    std::size_t next_ = 0;
};

std::size_t call_step::count(const std::vector<call_argument>& arguments) const {
    std::size_t all = 0;
    for (const call_argument& a : arguments) {
        const int function = function_of(a);
        all += function < 0 ? 1 : fused_.functions[static_cast<std::size_t>(function)].values.size();
    }
    return all;
}

int call_step::function_of(const call_argument& a) const {
    if (a.what == call_argument::kind::operand && is_computed(call_, a.index)) return operand_function(call_, a.index);
    if (a.what == call_argument::kind::result && is_consumed(call_, a.index)) return result_function(call_, a.index);
    return -1;
}

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
        argument_list arguments(*this, one.arguments, at, space ? static_cast<char*>(space->data) : nullptr);
        named_launch(
            on, [&] { return fmt::format("kernel {} of {}", k, expression_text(call_)); },
            [&] { on.launch(ready_[k]->loaded, one.blocks, one.threads, one.shared_bytes, arguments.addresses()); });
    }
}

}  // namespace sinter::codegen
