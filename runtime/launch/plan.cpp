// Makes plans.
#include <codegen/ir/mentions.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/render/approximate.hpp>
#include <codegen/schedule/known_machines.hpp>
#include <runtime/cache/embedded.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/launch/tune.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

/// Whether two accesses, with equal strides and `apart` elements between them, ever meet at different indices. Exact
/// where each stride spans all faster axes, as in an array and its slices; otherwise it errs towards meeting.
bool may_meet(const kernel& k, const layout& l, std::int64_t apart) {
    std::vector<int> axes;
    for (int a = 0; a < static_cast<int>(k.extents.size()); ++a)
        if (l.stride[a] != 0 && k.extents[a] > 1) axes.push_back(a);
    std::sort(axes.begin(), axes.end(), [&](int a, int b) { return std::abs(l.stride[a]) > std::abs(l.stride[b]); });
    std::vector<std::int64_t> reach(axes.size() + 1, 0);  // of the axes from here on
    for (std::size_t i = axes.size(); i-- > 0;)
        reach[i] = reach[i + 1] + std::abs(l.stride[axes[i]]) * (k.extents[axes[i]] - 1);
    const auto meets = [&](const auto& self, std::size_t i, std::int64_t left) -> bool {
        if (std::abs(left) > reach[i]) return false;
        if (i == axes.size()) return true;
        const std::int64_t stride = std::abs(l.stride[axes[i]]), steps = k.extents[axes[i]] - 1;
        for (std::int64_t n : {left / stride - 1, left / stride, left / stride + 1})
            if (std::abs(n) <= steps && self(self, i + 1, left - n * stride)) return true;
        return false;
    };
    return meets(meets, 0, apart);
}

/// Whether a kernel loads from memory that result `r` is written to.
bool reads_result(const kernel& k, const evaluation& e, int r) {
    return std::any_of(k.inputs.begin(), k.inputs.end(), [&](const kernel_input& in) {
        return in.leaf < e.program->leaves && shares_memory(*e.arguments.leaves[in.leaf].get(), e.results[r]);
    });
}

/// Whether a group of threads has loaded all that it loads at group level before it stores: its stores are at that
/// level, too, so that no other threads of the group wait for them with work of their own.
bool stores_at_the_end(const kernel& k) {
    return std::all_of(k.stores.begin(), k.stores.end(), [](const kernel_store& s) { return s.loop == group_level; });
}

/// Whether a kernel may write its output `o`, result `r`, over a leaf that it reads: it reads each of the leaf's
/// elements exactly where, and by those threads by which, it stores the result's, or none of those that it stores.
bool overwrites_safely(const kernel& k, const evaluation& e, std::size_t o, int r) {
    const kernel_store& store = k.stores[o];
    const detail::evaluation_result& result = e.results[r];
    const std::int64_t offset = result.into ? result.into->offset : 0;
    const void* data = result.into ? result.into->whole->data : (*result.target)->data;
    return std::all_of(k.values.begin(), k.values.end(), [&](const value& v) {
        if (v.what != value_kind::load || k.inputs[v.input].leaf >= e.program->leaves) return true;
        const kernel_input& in = k.inputs[v.input];
        if (in.leaf != e.shared_leaf[r] && !shares_memory(*e.arguments.leaves[in.leaf].get(), result)) return true;
        if (v.in[0] >= 0 || v.at != store.at || e.arguments.leaves[in.leaf]->data != data) return false;
        if (in.offset == offset) return k.loops.empty() || (v.loop == group_level && stores_at_the_end(k));
        return !may_meet(k, k.layouts[store.at], in.offset - offset);
    });
}

/// Whether result `r` may be written over the leaves that share its memory: the kernel that makes it allows it, and no
/// later one reads them.
bool overwrites_safely(const std::vector<kernel>& kernels, const evaluation& e, int r) {
    bool made = false;
    for (const kernel& k : kernels) {
        if (made && reads_result(k, e, r)) return false;
        const auto at = std::find(k.results.begin(), k.results.end(), r);
        if (at == k.results.end()) continue;
        if (!overwrites_safely(k, e, static_cast<std::size_t>(at - k.results.begin()), r)) return false;
        made = true;
    }
    return true;
}

/// Fills in what the shapes decide of a launch.
void bind_parameters(plan_step& step, const schedule& s) {
    const kernel& k = step.body;
    for (const parameter& p : step.ready->parameters)
        step.fixed.push_back(static_cast<std::uint64_t>(launch_value(k, s, p)));
    step.shape.grid.x = grid_size(k, s);
    step.shape.block.x = s.block;
    step.shape.shared_bytes = step.ready->shared_bytes;
    step.shape.blocks_meet = s.grid_barrier;
}

schedule schedule_of(const kernel& k, const evaluation& e, const std::vector<int>& alignment) {
    auto& where = static_cast<kernel_device&>(*e.where);
    return e.tune ? tuned_schedule(k, e, where, alignment) : choose_schedule(k, where.properties(), alignment);
}

/// A step that this device's kernels do, as a schedule says.
struct kernel_step {
    std::size_t step;
    schedule how;
};

/// Makes the kernels of all steps ready to launch: those that are to be compiled at once, since they are most of the
/// time that a first evaluation takes.
void prepare(std::vector<plan_step>& steps, const std::vector<kernel_step>& ours, kernel_device& where) {
    if (ours.size() > 1) {
        std::vector<kernel_request> wanted;
        for (const kernel_step& s : ours) wanted.push_back(request_for(steps[s.step].body, s.how));
        make_kernels_ready(where, wanted);
    }
    for (const kernel_step& s : ours) take_schedule(steps[s.step], s.how, where);
}

/// Whether the device's library does the work of a step.
bool take_library(plan_step& step, const evaluation& e, library_calls& calls, const std::vector<int>& alignment) {
    const std::optional<gemm> product = as_gemm(step.body);
    if (!product) return false;
    step.product = *product;
    step.library = calls.call_for(*product, alignment);
    if (step.library != nullptr && e.tune && !e.where->is_host())
        step.library = tuned_call(step, e, static_cast<kernel_device&>(*e.where));
    return step.library != nullptr;
}

/// On the host, in a run that is to record kernels: compiles what GPUs would run.
void record(const std::vector<kernel>& kernels, const evaluation& e, bool by_detour) {
    for (const int arch : wanted_record().archs) {
        const machine m = machine_of(arch);
        const std::vector<kernel> merged =
            e.mode == fusion::on ? merge_kernels(kernels, e.program->leaves, m) : kernels;
        for (const kernel& k : merged) {
            if (stores_nothing(k)) continue;
            const schedule s =
                choose_schedule(k, m, alignments(k, *e.program, e.arguments, by_detour ? nullptr : e.results));
            const rendered r = render(k, s, expression_text(k));
            record_kernel(arch, r.entry, r.text, {compile_flags(k.precision), ""});
        }
    }
}

constexpr int best_alignment = 16;  // what the widest access needs, and what every allocation has

int alignment_of(std::uintptr_t address) {
    return static_cast<int>(
        std::min<std::uintptr_t>(best_alignment, address == 0 ? best_alignment : address & (~address + 1)));
}

std::uintptr_t address_of(const detail::storage_ref& s) { return reinterpret_cast<std::uintptr_t>(s->data); }

/// Of a region's first element.
std::uintptr_t address_of(const detail::region& r) {
    return reinterpret_cast<std::uintptr_t>(r.whole->data) +
           static_cast<std::uintptr_t>(r.offset) * size_of(r.whole->type);
}

/// The lowest byte of a storage's elements, and the one behind the highest.
std::pair<const char*, const char*> bytes_of(const detail::storage& s) {
    const char* low = static_cast<const char*>(s.data);
    const char* high = low;
    const auto size = static_cast<std::int64_t>(size_of(s.type));
    for (int a = 0; a < s.rank; ++a) {
        if (s.extents[a] == 0) return {low, low};
        (s.strides[a] < 0 ? low : high) += s.strides[a] * (s.extents[a] - 1) * size;
    }
    return {low, high + size};
}

const detail::storage* target_of(const detail::evaluation_result& r) {
    return r.into ? r.into->whole : r.target ? r.target->get() : nullptr;
}

/// Arrays that are owned share their memory or do not; memory from outside may lie across other memory by any distance,
/// and that decides whether a result may be written over it.
void sign_distance(const detail::storage& s, const detail::evaluation_result& r, signature& into) {
    const detail::storage* to = target_of(r);
    if (!to || (s.owned && to->owned)) return;
    constexpr std::int64_t apart = std::numeric_limits<std::int64_t>::min();
    into.push_back(shares_memory(s, r) ? static_cast<const char*>(s.data) - static_cast<const char*>(to->data) : apart);
}

}  // namespace

kernel_request request_for(const kernel& k, const schedule& s) {
    return {render_key(k, s), [&k, &s] { return render(k, s, expression_text(k)); }, {compile_flags(k.precision), ""}};
}

void take_schedule(plan_step& step, const schedule& s, kernel_device& where) {
    const kernel& k = step.body;
    step.ready = &get_kernel(where, request_for(k, s));
    bind_parameters(step, s);
    if (const std::size_t bytes = workspace_bytes(k, s); bytes > 0)
        step.scratch = std::make_unique<workspace>(where, bytes);
}

library_choice library_of(library_calls& calls, const ir::program& program, const detail::arguments_view& arguments) {
    return [&calls, &program, arguments](const kernel& k) {
        const std::optional<gemm> product = as_gemm(k);
        return product && calls.call_for(*product, alignments(k, program, arguments)) != nullptr;
    };
}

std::vector<int> alignments(const kernel& k, const ir::program& program, const detail::arguments_view& arguments,
                            const detail::evaluation_result* results) {
    std::vector<int> all;
    for (const kernel_input& in : k.inputs) {
        const std::uintptr_t base = in.leaf < program.leaves ? address_of(arguments.leaves[in.leaf]) : 0;
        all.push_back(alignment_of(base + static_cast<std::uintptr_t>(in.offset) * size_of(in.type)));
    }
    for (std::size_t o = 0; o < k.outputs.size(); ++o) {
        const bool is_result = !k.results.empty() && k.results[o] >= 0;
        const detail::region* into = results && is_result ? results[k.results[o]].into : nullptr;
        all.push_back(into ? alignment_of(address_of(*into)) : best_alignment);
    }
    return all;
}

void sign(const evaluation& e, signature& into) {
    into.clear();
    into.push_back(reinterpret_cast<std::int64_t>(e.where));
    into.push_back((static_cast<std::int64_t>(e.mode) * 2 + e.fast_math) * 2 + e.tune);
    for (int r = 0; r < e.program->root_count; ++r) {
        const detail::region* region = e.results[r].into;
        into.push_back(e.shared_leaf[r] * 32 + (region ? alignment_of(address_of(*region)) : 0));
        if (!region) continue;
        into.push_back(region->offset);
        into.insert(into.end(), region->strides, region->strides + e.results[r].rank);
    }
    for (int i = 0; i < e.program->leaves; ++i) {
        const detail::storage& s = *e.arguments.leaves[i].get();
        int same = 0;
        while (e.arguments.leaves[same]->data != s.data) ++same;
        into.push_back((same * 2 + s.owned) * 32 + alignment_of(reinterpret_cast<std::uintptr_t>(s.data)));
        for (int a = 0; a < s.rank; ++a) into.push_back(s.extents[a]);
        if (!s.owned)
            for (int a = 0; a < s.rank; ++a) into.push_back(s.strides[a]);
        for (int r = 0; r < e.program->root_count; ++r) sign_distance(s, e.results[r], into);
    }
    into.insert(into.end(), e.arguments.integers, e.arguments.integers + e.program->integers);
    if (e.program->scalars > 1) {
        thread_local std::vector<int> mentions;
        first_mentions(e.arguments.scalars, e.program->scalars, mentions);
        into.insert(into.end(), mentions.begin(), mentions.end());
    }
}

bool shares_memory(const detail::storage& s, const detail::evaluation_result& r) {
    const detail::storage* other = target_of(r);
    if (!other || !other->data || !s.data) return false;
    if (&s == other) return true;
    if (s.owned && other->owned) return false;
    const auto mine = bytes_of(s), theirs = bytes_of(*other);
    return mine.first < theirs.second && theirs.first < mine.second;
}

bool stores_nothing(const kernel& k) {
    return std::all_of(k.output_shapes.begin(), k.output_shapes.end(),
                       [](const dense_shape& s) { return size_of_shape(s.shape, s.rank) == 0; });
}

plan make_plan(const evaluation& e) {
    plan p;
    result_strides strides{};
    for (int r = 0; r < e.program->root_count; ++r)
        if (e.results[r].into) strides[r] = e.results[r].into->strides;
    library_calls calls(*e.where);
    const library_choice library = library_of(calls, *e.program, e.arguments);
    const auto make = [&] {
        std::vector<kernel> all = make_kernels(*e.program, e.arguments, nullptr, strides, e.mode, library);
        if (e.where->is_host() || e.mode == fusion::off) return all;
        return merge_kernels(std::move(all), e.program->leaves, static_cast<kernel_device&>(*e.where).properties());
    };
    std::vector<kernel> kernels = make();
    for (int r = 0; r < e.program->root_count; ++r) {
        if (e.shared_leaf[r] < 0) continue;
        const bool safe = overwrites_safely(kernels, e, r);
        (safe ? p.in_place : p.by_detour) |= 1u << r;
        strides[r] = safe ? strides[r] : nullptr;
    }
    if (p.by_detour != 0) kernels = make();
    for (kernel& k : kernels) {
        choose_precision(k, e.fast_math);
        for (kernel_input& in : k.inputs)
            for (int r : k.results)
                if (r >= 0 && (p.in_place >> r & 1) && in.leaf < e.program->leaves)
                    in.may_alias_output =
                        in.may_alias_output || shares_memory(*e.arguments.leaves[in.leaf].get(), e.results[r]);
    }
    if (e.where->is_host() && !wanted_record().file.empty()) record(kernels, e, p.by_detour != 0);
    std::vector<kernel_step> ours;
    for (kernel& k : kernels) {
        plan_step& step = p.steps.emplace_back();
        step.body = std::move(k);
        if (stores_nothing(step.body)) continue;
        const std::vector<int> alignment =
            alignments(step.body, *e.program, e.arguments, p.by_detour == 0 ? e.results : nullptr);
        if (take_library(step, e, calls, alignment)) continue;
        if (e.where->is_host())
            step.on_host = plan_on_host(step.body);
        else
            ours.push_back({p.steps.size() - 1, schedule_of(step.body, e, alignment)});
    }
    if (!ours.empty()) prepare(p.steps, ours, static_cast<kernel_device&>(*e.where));
    return p;
}

}  // namespace sinter::codegen
