// Makes plans: loads the compiler's output and binds it to the shapes.
#include <runtime/launch/plan.hpp>

#include <codegen/analysis/aliasing.hpp>
#include <codegen/analysis/alignment.hpp>
#include <codegen/cuda/approximate.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/scalar_identity.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/workspace.hpp>
#include <codegen/schedule/target_presets.hpp>
#include <codegen/support/thread_cached.hpp>
#include <runtime/cache/embedded.hpp>
#include <runtime/launch/tune.hpp>
#include <runtime/nvrtc/nvrtc.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

/// Sets the launch parameters that follow from the shapes.
void bind_parameters(plan_step& step, const schedule& s) {
    const loop_nest& k = step.body;
    for (const parameter& p : step.ready->parameters)
        step.fixed.push_back(static_cast<std::uint64_t>(launch_value(k, s, p)));
    step.shape.grid.x = grid_size(k, s);
    step.shape.block.x = s.block_threads;
    step.shape.shared_bytes = step.ready->shared_bytes;
    step.shape.blocks_meet = s.grid_barrier;
}

/// A step that a kernel of ours computes, with its schedule.
struct kernel_step {
    std::size_t step;
    schedule how;
};

/// Makes the kernels of all steps ready to launch. Missing ones are compiled concurrently, since compilation dominates
/// the time of a first evaluation.
void prepare(std::vector<plan_step>& steps, const std::vector<kernel_step>& ours, kernel_device& where) {
    if (ours.size() > 1) {
        std::vector<kernel_request> wanted;
        for (const kernel_step& s : ours) wanted.push_back(request_for(steps[s.step].body, s.how));
        make_kernels_ready(where, wanted);
    }
    for (const kernel_step& s : ours) take_schedule(steps[s.step], s.how, where);
}

void record_call(const loop_nest& k, int arch, const device_properties& m) {
    for (const call_launch& one : kernels_of_call(k, m).launches.kernels) {
        const printed_kernel r = one.source({});
        record_kernel(arch, r.entry, r.text, {});
    }
}

/// Records the kernels for a GPU. Returns whether a call has element functions.
bool record(const evaluation& e, const target& gpu) {
    bool has_functions = false;
    for (const compiled_kernel& k : compile(e, gpu, {e.mode, e.fast_math}).kernels) {
        if (stores_nothing(k.body)) continue;
        has_functions = has_functions || !k.body.element_functions.empty();
        if (k.body.call) record_call(k.body, gpu.device.arch, gpu.device);
        if (!k.chosen) continue;
        if (k.chosen->tensor.persistent_blocks > 0) require_tensor_maps(nvrtc_makes_tensor_maps(), nvrtc_version());
        const printed_kernel r = print_kernel(k.body, *k.chosen, expression_text(k.body));
        record_kernel(gpu.device.arch, r.entry, r.text, {compile_flags(k.body.precision), ""});
    }
    return has_functions;
}

/// On the host, in a run that records kernels: compiles the kernels that GPUs would run. What is fused with a call
/// depends on whether the GPU has a library for it, so both are compiled.
void record_for_gpus(const evaluation& e, const target& host) {
    for (const int arch : wanted_record().archs) {
        target gpu{false, preset_of(arch), host.library, {}};
        if (!record(e, gpu)) continue;
        gpu.library_function = [](const call_site& call) { return call.callee->body->library != nullptr; };
        record(e, gpu);
    }
}

/// What computes a call in place of kernels, or null.
std::shared_ptr<const library_function> library_of(const loop_nest& k, library_calls& calls) {
    return k.element_functions.empty() ? calls.function_for(*k.call) : nullptr;
}

/// Owned arrays share their memory entirely or not at all. External memory may overlap other memory at any distance,
/// which decides whether a result may be written over it, so that distance is part of the signature.
void sign_distance(const detail::storage& s, const detail::evaluation_result& r, signature& into) {
    const detail::storage* to = destination_of(r);
    if (!to || (s.owned && to->owned)) return;
    constexpr std::int64_t apart = std::numeric_limits<std::int64_t>::min();
    into.push_back(shares_memory(s, r) ? static_cast<const char*>(s.data) - static_cast<const char*>(to->data) : apart);
}

}  // namespace

kernel_request request_for(const loop_nest& k, const schedule& s) {
    return {
        class_key(k, s), [&k, &s] { return print_kernel(k, s, expression_text(k)); }, {compile_flags(k.precision), ""}};
}

void take_schedule(plan_step& step, const schedule& s, kernel_device& where) {
    const loop_nest& k = step.body;
    step.ready = &get_kernel(where, request_for(k, s));
    bind_parameters(step, s);
    if (const std::size_t bytes = workspace_bytes(k, s); bytes > 0)
        step.scratch = std::make_unique<workspace>(where, bytes);
}

target target_of(device& where, library_calls& calls) {
    target to;
    to.is_host = where.is_host();
    if (!to.is_host) to.device = where.properties();
    to.library = [&calls](const gemm& g, const std::vector<int>& alignment) {
        return calls.call_for(g, alignment) != nullptr;
    };
    to.library_function = [&calls](const call_site& call) { return calls.function_for(call) != nullptr; };
    return to;
}

void sign(const evaluation& e, signature& into) {
    into.clear();
    into.push_back(reinterpret_cast<std::int64_t>(e.where));
    into.push_back((static_cast<std::int64_t>(e.mode) * 2 + e.fast_math) * 2 + e.tune);
    for (int r = 0; r < e.program->root_count; ++r) {
        const detail::region* region = e.results[r].into;
        into.push_back(e.shared_leaf[r] * 32 + (region ? alignment_of(*region) : 0));
        if (!region) continue;
        into.push_back(region->offset);
        into.insert(into.end(), region->strides, region->strides + e.results[r].rank);
    }
    for (int i = 0; i < e.program->leaves; ++i) {
        const detail::storage& s = *e.arguments.leaves[i].get();
        int same = 0;
        while (e.arguments.leaves[same]->data != s.data) ++same;
        into.push_back((same * 2 + s.owned) * 32 + alignment_of(s));
        for (int a = 0; a < s.rank; ++a) into.push_back(s.extents[a]);
        if (!s.owned)
            for (int a = 0; a < s.rank; ++a) into.push_back(s.strides[a]);
        for (int r = 0; r < e.program->root_count; ++r) sign_distance(s, e.results[r], into);
    }
    into.insert(into.end(), e.arguments.integers, e.arguments.integers + e.program->integers);
    if (e.program->scalars > 1) {
        const thread_cached<std::vector<int>> mentions;
        identical_scalars(e.arguments.scalars, e.program->scalars, *mentions);
        into.insert(into.end(), mentions->begin(), mentions->end());
    }
    std::uint64_t zeros = 0;
    for (int i = 0; i < e.program->scalars; ++i) {
        zeros = zeros << 1 | is_zero(e.arguments.scalars[i]);
        if (i % 64 == 63 || i + 1 == e.program->scalars) {
            into.push_back(static_cast<std::int64_t>(zeros));
            zeros = 0;
        }
        const op_row* const reader = e.arguments.scalars[i].reader;
        if (reader != nullptr) [[unlikely]]
            into.insert(into.end(), {i, reinterpret_cast<std::int64_t>(reader)});
    }
}

plan make_plan(const evaluation& e) {
    library_calls calls(*e.where);
    const target to = target_of(*e.where, calls);
    compile_settings how{e.mode, e.fast_math};
    if (e.tune && !to.is_host)
        how.choose = [&e](const loop_nest& k, const std::vector<int>& alignment) {
            return tuned_schedule(k, e, static_cast<kernel_device&>(*e.where), alignment);
        };
    compiled_program compiled = compile(e, to, how);
    if (to.is_host && !wanted_record().file.empty()) record_for_gpus(e, to);
    plan p;
    p.in_place = compiled.in_place;
    p.needs_staging = compiled.needs_staging;
    p.early = compiled.early;
    std::vector<kernel_step> ours;
    for (compiled_kernel& k : compiled.kernels) {
        plan_step& step = p.steps.emplace_back();
        step.body = std::move(k.body);
        if (stores_nothing(step.body)) continue;
        if (step.body.call) {
            step.call = std::make_unique<const call_step>(step.body, *e.where, library_of(step.body, calls));
        } else if (k.product) {
            step.product = *k.product;
            step.library = calls.call_for(step.product, k.alignment);
            if (e.tune && !to.is_host) step.library = tuned_call(step, e, static_cast<kernel_device&>(*e.where));
        } else if (k.chosen) {
            ours.push_back({p.steps.size() - 1, *k.chosen});
        } else {
            step.on_host = plan_on_host(step.body);
        }
    }
    if (!ours.empty()) prepare(p.steps, ours, static_cast<kernel_device&>(*e.where));
    return p;
}

}  // namespace sinter::codegen
