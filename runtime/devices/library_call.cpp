// Matrix products in words.
#include <runtime/devices/library_call.hpp>

#include <runtime/devices/device.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

std::shared_ptr<const library_call> library_calls::call_for(const gemm& g, const std::vector<int>& alignment) {
    for (const answer& known : answers_)
        if (known.product == g && known.alignment == alignment) return known.call;
    answers_.push_back({g, alignment, where_.library_for(g, alignment)});
    return answers_.back().call;
}

std::shared_ptr<const library_function> library_calls::function_for(const call_site& call) {
    if (where_.is_host() || call.callee->body->library == nullptr) return nullptr;
    for (const function_answer& known : functions_)
        if (known.call == call) return known.function;
    functions_.push_back({call, call.callee->body->library(where_, call)});
    return functions_.back().function;
}

std::string describe(const gemm& g) {
    std::string text = fmt::format("{} x {} x {}", g.rows, g.columns, g.depth);
    if (g.batch.extent > 1) text += fmt::format(", a batch of {}", g.batch.extent);
    for (const gemm_batch& b : g.batches) text += fmt::format(", {} calls", b.extent);
    text += fmt::format(", {}", name(g.a.type));
    if (g.d.type != g.a.type) text += fmt::format(" to {}", name(g.d.type));
    if (g.tf32) text += ", tf32";
    if (g.alpha >= 0) text += ", scaled";
    if (g.c.input >= 0) text += ", added to a matrix";
    if (g.bias >= 0) text += ", bias";
    return text;
}

}  // namespace sinter::codegen
