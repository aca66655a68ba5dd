// explain() and source(): the compiler's output in words, figures and pictures.
#include <codegen/explain/explain.hpp>

#include <codegen/analysis/aliasing.hpp>
#include <codegen/cost/call_cost.hpp>
#include <codegen/cost/launch_time.hpp>
#include <codegen/cost/traffic.hpp>
#include <codegen/cuda/approximate.hpp>
#include <codegen/cuda/source.hpp>
#include <codegen/driver/pipeline.hpp>
#include <codegen/explain/fusion_remarks.hpp>
#include <codegen/explain/picture.hpp>
#include <codegen/explain/source_map.hpp>
#include <codegen/explain/words.hpp>
#include <codegen/functions/fused_call.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/factor_parts.hpp>
#include <codegen/schedule/footprint.hpp>
#include <codegen/schedule/online.hpp>
#include <codegen/schedule/tensor.hpp>
#include <codegen/transforms/pass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sinter {
namespace codegen {
namespace {

/// Of a kernel that multiplies float32 numbers on tensor cores.
std::string parts_in_words(const compiled_kernel& k) {
    if (k.chosen->form != schedule_form::tensor) return "";
    const std::optional<online_sums> sums = online_sums_of(k.body);
    if (!sums || !has_split_factors(k.body, *sums)) return "";
    return "; a float32 number is multiplied as the sum of " + std::to_string(max_parts) + " bfloat16 numbers";
}

/// Sets the schedule in words and the source.
void describe_kernel(const compiled_kernel& k, const explanation_sources& from, kernel_report& r) {
    if (k.product) {
        const std::string call = from.library_call(k.body, *k.product, k.alignment);
        r.schedule = "library: " + call;
        r.source = "// " + r.expression + ": " + call + '\n';
        return;
    }
    const bool measured = from.was_measured && from.was_measured(k.body, k.alignment);
    r.schedule = codegen::describe(*k.chosen) + parts_in_words(k) + (measured ? was_measured : "");
    r.source = print_kernel(k.body, *k.chosen, r.expression).text;
}

/// Describes a function of whole arrays and its launches. Its arrays count once, however often kernels access them.
kernel_report report_of_call(const loop_nest& k, const device_properties& m) {
    kernel_report r;
    r.expression = expression_text(k);
    r.bytes = bytes_of_call(k);
    r.operations = operations_of_functions(k);
    const call_launches all = stores_nothing(k) ? call_launches{} : kernels_of_call(k, m).launches;
    r.schedule = fmt::format("a function of whole arrays: {} kernels in sequence", all.kernels.size());
    std::set<std::string> written;
    for (const call_launch& one : all.kernels) {
        if (written.insert(one.key).second) r.source += (r.source.empty() ? "" : "\n") + one.source({}).text;
        r.blocks = std::max(r.blocks, one.blocks);
        r.threads_per_block = std::max(r.threads_per_block, one.threads);
    }
    const double moving = static_cast<double>(r.bytes) / m.bytes_per_second;
    r.predicted_seconds = moving + static_cast<double>(all.kernels.size()) * launch_seconds;
    r.bound_by = moving < launch_seconds ? "the launch" : "bytes";
    r.values.push_back({r.expression, name(k.outputs[0]), {}});
    r.line_values.assign(lines_of(r.source).size(), 0);
    return r;
}

/// Sets the predicted time and what it consists of.
void set_time(const compiled_kernel& s, const schedule& chosen, const device_properties& m, kernel_report& r) {
    if (!s.product) {
        const launch_time time = time_of_launch(s.body, chosen, m);
        r.predicted_seconds = time.total;
        r.bound_by = time.bound_by();
        return;
    }
    kernel_time time = time_of(s.body, chosen, m);
    if (is_half(s.product->a.type)) time.computing = library_seconds(*s.product, m) - launch_seconds;
    r.predicted_seconds = time.total();
    r.bound_by = time.busy() < launch_seconds ? "the launch" : time.moving > time.computing ? "bytes" : "arithmetic";
}

kernel_report report(const compiled_kernel& s, const device_properties& m, const explanation_sources& from) {
    if (s.body.call) return report_of_call(s.body, m);
    kernel_report r;
    r.expression = expression_text(s.body);
    describe_kernel(s, from, r);
    const schedule chosen = s.chosen.value_or(schedule{});
    r.bytes = bytes_moved(s.body, chosen, m);
    r.operations = operations_of(s.body);
    set_time(s, chosen, m, r);
    r.values = values_of(s.body);
    r.line_values = source_map_of(s.body, r.source);
    r.compile_flags = compile_flags(s.body.precision);
    if (s.product) return r;
    r.blocks = grid_size(s.body, chosen);
    r.threads_per_block = chosen.block_threads;
    std::int64_t written = 0;
    for (std::size_t o = 0; o < s.body.outputs.size(); ++o) written += bytes_written(s.body, o);
    r.picture = path_picture(s.body, chosen, r.bytes - written, written) + threads_picture(chosen);
    return r;
}

void add_usage(kernel_report& r, const device_properties& m, const kernel_usage& usage) {
    r.registers = usage.registers;
    r.spill_bytes = usage.spill_bytes;
    r.shared_bytes = usage.shared_bytes;
    r.image_bytes = usage.image_bytes;
    constexpr int register_unit = 8;  // allocation unit of registers per thread, on every architecture
    const auto a_thread = static_cast<int>(round_up(std::max(1, r.registers), register_unit));
    const architecture& limits = architecture_of(m.arch);
    int blocks = std::min({m.threads_per_multiprocessor / r.threads_per_block,
                           registers_of_multiprocessor / (a_thread * r.threads_per_block), limits.blocks});
    if (const int shared = r.shared_bytes + limits.reserved_kilobytes * 1024; shared > 0)
        blocks = std::min(blocks, limits.shared_kilobytes * 1024 / shared);
    r.occupancy = static_cast<double>(blocks * r.threads_per_block) / m.threads_per_multiprocessor;
}

/// Mask of the results that are computed by reductions over a kernel's groups.
std::uint32_t folded_results(const compiled_program& p) {
    std::uint32_t folded = 0;
    for (const compiled_kernel& k : p.kernels)
        for (const kernel_store& s : k.body.stores) {
            const auto output = static_cast<std::size_t>(s.output);
            if (s.loop == kernel_level && output < k.body.results.size() && k.body.results[output] >= 0)
                folded |= 1u << k.body.results[output];
        }
    return folded;
}

/// The calls that have element functions.
std::vector<call_site> fused_calls(const compiled_program& p) {
    std::vector<call_site> calls;
    for (const compiled_kernel& k : p.kernels)
        if (!k.body.element_functions.empty()) calls.push_back(*k.body.call);
    return calls;
}

/// Numbers arrays and scalars by their first use, as kernels do. Only for printing.
void number_by_first_use(graph& g) {
    std::map<int, int> arrays, scalars;
    for (graph_node& n : g.nodes) {
        if (n.what != ir::kind::leaf && n.what != ir::kind::scalar) continue;
        std::map<int, int>& numbers = n.what == ir::kind::leaf ? arrays : scalars;
        n.argument = numbers.emplace(n.argument, static_cast<int>(numbers.size())).first->second;
    }
}

}  // namespace

explanation explain(const bindings& b, const target& to, const compile_settings& how, const explanation_sources& from) {
    graph whole = bind(*b.program, b.arguments);
    unify_inputs(whole);
    number_by_first_use(whole);
    const device_properties& m = to.device;
    explanation e;
    graph merged = whole;
    e.tree = print_tree(whole, number_values(merged));
    e.nodes = nodes_of(whole);
    for (const graph_root& r : whole.roots) e.roots.push_back(r.node);
    e.bytes_per_second = m.bytes_per_second;
    e.operations_per_second = m.operations_per_second;
    e.device = fmt::format("{}, sm_{}, {} multiprocessors", m.name, m.arch, m.multiprocessors);
    compile_settings traced = how;
    traced.trace = &e.passes;
    const compiled_program fused = compile(b, to, traced);
    for (const compiled_kernel& k : fused.kernels) {
        kernel_report& r = e.kernels.emplace_back(report(k, m, from));
        if (!k.product && !k.body.call && from.usage) add_usage(r, m, from.usage(r));
    }
    compile_settings unfused = how;
    unfused.mode = fusion::off;
    for (const compiled_kernel& k : compile(b, to, unfused).kernels) e.unfused.push_back(report(k, m, from));
    e.launches = static_cast<int>(e.kernels.size());
    if (how.mode == fusion::on && e.launches > 1)
        e.reasons = why_not_fused(fused.cut, folded_results(fused), fused_calls(fused));
    e.operations = static_cast<int>(e.unfused.size());
    for (const kernel_report& k : e.kernels) e.bytes_fused += k.bytes;
    for (const kernel_report& k : e.unfused) e.bytes_unfused += k.bytes;
    return e;
}

std::string source(const bindings& b, const target& to, const compile_settings& how, const explanation_sources& from) {
    std::string text;
    for (const compiled_kernel& k : compile(b, to, how).kernels) {
        kernel_report r;
        if (k.body.call) {
            r = report_of_call(k.body, to.device);
        } else {
            r.expression = expression_text(k.body);
            describe_kernel(k, from, r);
        }
        text += (text.empty() ? "" : "\n") + r.source;
    }
    return text;
}

}  // namespace codegen

std::string explanation::text() const {
    using codegen::megabytes;
    std::string out = "expression\n" + tree;
    out += fmt::format("\nlaunches   {} (unfused: {})\nbytes      {} (unfused: {})\ndevice     {}\n", launches,
                       operations, megabytes(bytes_fused), megabytes(bytes_unfused), device);
    for (const std::string& reason : reasons) out += "\nnot one kernel: " + reason + '\n';
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const kernel_report& k = kernels[i];
        out += fmt::format(
            "\nkernel {} of {}\n  schedule   {}\n  predicted  {:.4f} ms for {} and {} operations, bound by {}\n", i + 1,
            kernels.size(), k.schedule, k.predicted_seconds * 1e3, megabytes(k.bytes),
            codegen::count_in_words(k.operations), k.bound_by);
        if (k.registers >= 0)
            out += fmt::format(
                "  compiled   {} registers per thread, {} bytes spilled, {} bytes of code, occupancy of at most {:.0f} "
                "%\n",
                k.registers, k.spill_bytes, k.image_bytes, k.occupancy * 100);
        out += "\n" + k.source;
    }
    return out;
}

}  // namespace sinter
