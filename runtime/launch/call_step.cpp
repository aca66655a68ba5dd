// Runs calls of functions of whole arrays.
#include <runtime/launch/call_step.hpp>

#include <codegen/ir/print.hpp>
#include <runtime/launch/named_launch.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/system/small_vector.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

std::vector<kernel_request> requests_for(const call_launches& all) {
    std::vector<kernel_request> wanted;
    for (const call_launch& one : all.kernels) wanted.push_back({one.key, one.source});
    return wanted;
}

call_step::call_step(const call_site& call, device& where) : call_(call), where_(where) {
    if (where.is_host()) return;
    if (call.callee->body->library) library_ = call.callee->body->library(where, call);
    if (library_) return;
    auto& on = static_cast<kernel_device&>(where);
    launches_ = call.callee->body->kernels(call, on.properties());
    const std::vector<kernel_request> wanted = requests_for(launches_);
    make_kernels_ready(on, wanted);
    for (const kernel_request& one : wanted) ready_.push_back(&get_kernel(on, one));
}

void call_step::run(const void* const* operands, void* const* results) const {
    if (!where_.is_host()) return run_kernels(operands, results);
    const auto* const body = call_.callee->body;
    if (capture* const c = where_.recording())
        return c->record([call = call_, in = std::vector<const void*>(operands, operands + call_.operands.size()),
                          out = std::vector<void*>(results, results + call_.results.size())] {
            call.callee->body->host(call, in.data(), out.data());
        });
    body->host(call_, operands, results);
}

void call_step::run_kernels(const void* const* operands, void* const* results) const {
    auto& on = static_cast<kernel_device&>(where_);
    if (library_)
        return named_launch(
            on, [&] { return "the library's call for " + expression_text(call_); },
            [&] { library_->run(operands, results); });
    detail::storage_ref space;
    if (launches_.workspace_bytes > 0) {
        space = make_storage_on(on, dtype::uint8, 1, &launches_.workspace_bytes);
        if (launches_.zeroed > 0) on.fill_zero(space->data, static_cast<std::size_t>(launches_.zeroed));
    }
    for (std::size_t k = 0; k < launches_.kernels.size(); ++k) {
        const call_launch& one = launches_.kernels[k];
        small_vector<std::uint64_t, 16> values(one.arguments.size());
        small_vector<void*, 16> pointers(one.arguments.size());
        for (std::size_t i = 0; i < one.arguments.size(); ++i) {
            const call_argument& a = one.arguments[i];
            switch (a.what) {
                case call_argument::kind::operand:
                    values[i] = reinterpret_cast<std::uint64_t>(operands[a.index]);
                    break;
                case call_argument::kind::result: values[i] = reinterpret_cast<std::uint64_t>(results[a.index]); break;
                case call_argument::kind::workspace:
                    values[i] = reinterpret_cast<std::uint64_t>(static_cast<char*>(space->data) + a.value);
                    break;
                case call_argument::kind::number: values[i] = static_cast<std::uint64_t>(a.value); break;
                case call_argument::kind::null: values[i] = 0; break;
            }
            pointers[i] = &values[i];
        }
        named_launch(
            on, [&] { return fmt::format("kernel {} of {}", k, expression_text(call_)); },
            [&] { on.launch(ready_[k]->loaded, one.blocks, one.threads, one.shared_bytes, pointers.data()); });
    }
}

}  // namespace sinter::codegen
