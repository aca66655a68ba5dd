// Makes plans.
#include <codegen/ir/print.hpp>
#include <codegen/launch/plan.hpp>
#include <codegen/launch/storage.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Whether the result may be written over leaf `leaf`: one elementwise kernel that reads each of the leaf's elements
/// exactly where it stores the result's.
bool overwrites_safely(const kernel& k, int leaf) {
    if (!k.loops.empty()) return false;
    return std::all_of(k.values.begin(), k.values.end(), [&](const value& v) {
        if (v.what != value_kind::load || k.inputs[v.input].leaf != leaf) return true;
        return k.inputs[v.input].offset == 0 && v.in[0] < 0 && v.at == k.stores[0].at;
    });
}

/// Fills in what the shapes decide of a launch.
void bind_parameters(plan_step& step, const schedule& s) {
    const kernel& k = step.body;
    for (const parameter& p : step.parameters) {
        std::int64_t value = 0;
        switch (p.what) {
            case parameter::kind::extent: value = k.extents[p.index]; break;
            case parameter::kind::groups: value = outer_size(k); break;
            case parameter::kind::trips: value = trip_count(k, k.loops[p.index]); break;
            case parameter::kind::stride: value = k.layouts[p.index].stride[p.axis]; break;
            case parameter::kind::parts: value = s.split; break;
            default: break;
        }
        step.fixed.push_back(static_cast<std::uint64_t>(value));
    }
    step.grid = grid_size(k, s);
    step.block = s.block;
}

void prepare(plan_step& step, const evaluation& e, kernel_device& where) {
    kernel& k = step.body;
    const schedule s = choose_schedule(k, where.properties(), alignments(k, *e.program, e.arguments));
    rendered r = render(k, s, expression_text(k));
    step.ready = &get_kernel(where, render_key(k, s), r.entry, [&] { return r.text; });
    step.parameters = std::move(r.parameters);
    step.shared_bytes = r.shared_bytes;
    bind_parameters(step, s);
    const auto workspace = static_cast<std::int64_t>(workspace_bytes(k, s));
    if (workspace > 0) {
        step.workspace = make_storage_on(where, dtype::uint8, 1, &workspace);
        where.fill_zero(step.workspace->data, step.workspace->bytes);
    }
}

constexpr int best_alignment = 16;  // what the widest access needs, and what every allocation has

int alignment_of(std::uintptr_t address) {
    return static_cast<int>(
        std::min<std::uintptr_t>(best_alignment, address == 0 ? best_alignment : address & (~address + 1)));
}

std::uintptr_t address_of(const detail::storage_ref& s) { return reinterpret_cast<std::uintptr_t>(s->data); }

}  // namespace

std::vector<int> alignments(const kernel& k, const ir::program& program, const detail::arguments_view& arguments) {
    std::vector<int> all;
    for (const kernel_input& in : k.inputs) {
        const std::uintptr_t base = in.leaf < program.leaves ? address_of(arguments.leaves[in.leaf]) : 0;
        all.push_back(alignment_of(base + static_cast<std::uintptr_t>(in.offset) * size_of(in.type)));
    }
    all.resize(all.size() + k.outputs.size(), best_alignment);
    return all;
}

void sign(const evaluation& e, signature& into) {
    into.clear();
    into.push_back(reinterpret_cast<std::int64_t>(e.where));
    into.push_back(e.target_leaf);
    for (int i = 0; i < e.program->leaves; ++i) {
        const detail::storage& s = *e.arguments.leaves[i].get();
        int same = 0;
        while (e.arguments.leaves[same]->data != s.data) ++same;
        into.push_back(same * 32 + alignment_of(reinterpret_cast<std::uintptr_t>(s.data)));
        for (int a = 0; a < s.rank; ++a) into.push_back(s.extents[a]);
        if (!s.owned)
            for (int a = 0; a < s.rank; ++a) into.push_back(s.strides[a]);
    }
    into.insert(into.end(), e.arguments.integers, e.arguments.integers + e.program->integers);
}

plan make_plan(const evaluation& e) {
    plan p;
    std::vector<kernel> kernels = make_kernels(*e.program, e.arguments);
    if (e.target_leaf >= 0 && kernels.size() == 1 && overwrites_safely(kernels[0], e.target_leaf)) {
        p.in_place = true;
        for (kernel_input& in : kernels[0].inputs) in.may_alias_output = in.leaf == e.target_leaf;
    }
    for (kernel& k : kernels) {
        plan_step step;
        step.body = std::move(k);
        if (!e.where->is_host()) prepare(step, e, static_cast<kernel_device&>(*e.where));
        p.steps.push_back(std::move(step));
    }
    return p;
}

}  // namespace sinter::codegen
