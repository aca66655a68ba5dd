// explain() and source(): the pipeline up to the launch, with a record of what it decided.
#include <codegen/explain/explain.hpp>
#include <codegen/explain/links.hpp>
#include <codegen/explain/picture.hpp>
#include <codegen/explain/reasons.hpp>
#include <codegen/explain/traffic.hpp>
#include <codegen/explain/words.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/render/approximate.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/launch/tune.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter/device.hpp>
#include <sinter/explain.hpp>
#include <sinter/fast_math.hpp>
#include <sinter/tune.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter {
namespace codegen {
namespace {

device& device_of(const ir::program& program, const detail::arguments_view& arguments) {
    return program.leaves > 0 ? *arguments.leaves[0]->where : current_device().get();
}

/// The GPU that an explanation is for: the operands', the current one, or the assumed one.
machine machine_for(const ir::program& program, const detail::arguments_view& arguments) {
    const device& where = device_of(program, arguments);
    return where.is_host() ? machine{} : where.properties();
}

struct scheduled {
    kernel body;
    schedule chosen;
    std::string description;
    std::string source;
    bool by_library = false;
};

constexpr const char* was_measured = "; the fastest of those measured";

/// Whether an evaluation would now take what was found by measuring on the machine.
bool remembers(const machine& m, const device& where) {
    return current_tuning() && !where.is_host() && m.name == where.properties().name;
}

/// The schedule that an evaluation would take now, and whether it was measured.
std::pair<schedule, bool> schedule_for(const kernel& k, const machine& m, device& where,
                                       const std::vector<int>& alignment) {
    if (remembers(m, where))
        if (const auto kept = kept_schedule(k, static_cast<kernel_device&>(where), alignment)) return {*kept, true};
    return {choose_schedule(k, m, alignment), false};
}

/// The same of a call, in words.
std::string words_for(const kernel& k, const std::shared_ptr<const library_call>& call, const machine& m,
                      device& where) {
    if (remembers(m, where))
        if (const auto kept = kept_call(k, call, static_cast<kernel_device&>(where)))
            return kept->describe() + was_measured;
    return call->describe();
}

std::vector<scheduled> schedule_all(const ir::program& program, const detail::arguments_view& arguments,
                                    const machine& m, fusion mode, std::string* trace = nullptr) {
    device& where = device_of(program, arguments);
    library_calls calls(where);
    const library_choice library = where.is_host() ? library_choice{} : library_of(calls, program, arguments);
    std::vector<kernel> kernels = make_kernels(program, arguments, trace, {}, mode, library);
    if (mode == fusion::on) kernels = merge_kernels(std::move(kernels), program.leaves, m);
    std::vector<scheduled> all;
    for (kernel& k : kernels) {
        choose_precision(k, current_fast_math());
        if (const std::optional<gemm> product = as_gemm(k)) {
            const std::string call =
                words_for(k, calls.call_for(*product, alignments(k, program, arguments)), m, where);
            std::string text = "// " + expression_text(k) + ": " + call + '\n';
            all.push_back({std::move(k), {}, "library: " + call, std::move(text), true});
            continue;
        }
        const auto [s, measured] = schedule_for(k, m, where, alignments(k, program, arguments));
        std::string text = render(k, s, expression_text(k)).text;
        all.push_back({std::move(k), s, describe(s) + (measured ? was_measured : ""), std::move(text)});
    }
    return all;
}

kernel_report report(const scheduled& s, const machine& m) {
    kernel_report r;
    r.expression = expression_text(s.body);
    r.schedule = s.description;
    r.source = s.source;
    r.bytes = bytes_moved(s.body, s.chosen, m);
    r.operations = operations_of(s.body);
    const double moving = static_cast<double>(r.bytes) / m.bytes_per_second;
    const double computing = instructions_of(s.body, m) / m.operations_per_second;
    const double waiting = waiting_seconds(s.body, s.chosen, m), busy = std::max(moving, computing);
    r.predicted_seconds = launch_seconds + busy + waiting;
    r.bound_by = std::max(busy, waiting) < launch_seconds ? "the launch"
                 : waiting > busy                         ? "barriers"
                 : moving > computing                     ? "bytes"
                                                          : "arithmetic";
    r.values = values_of(s.body);
    r.line_values = links_of(s.body, s.source);
    r.compile_flags = compile_flags(s.body.precision);
    if (s.by_library) return r;
    r.blocks = grid_size(s.body, s.chosen);
    r.threads_a_block = s.chosen.block;
    std::int64_t written = 0;
    for (std::size_t o = 0; o < s.body.outputs.size(); ++o) written += bytes_written(s.body, o);
    r.picture = path_picture(s.body, s.chosen, r.bytes - written, written) + threads_picture(s.chosen);
    return r;
}

/// What the blocks of a multiprocessor share. CUDA C++ Programming Guide, compute capabilities.
struct multiprocessor_limits {
    int blocks, shared_kilobytes, reserved_kilobytes;  ///< the last for each block
};
constexpr multiprocessor_limits limits_of(int arch) {
    switch (arch) {
        case 75: return {16, 64, 0};
        case 86: return {16, 100, 1};
        case 89:
        case 120: return {24, 100, 1};
        case 80: return {32, 164, 1};
        default: return {32, 228, 1};
    }
}

/// What the compiler says of a kernel, where there is one.
void add_usage(kernel_report& r, const machine& m) {
    if (!nvrtc_available()) return;
    const compiled c = compile_cuda(r.source, m.arch, {r.compile_flags, ""});
    r.registers = c.usage.registers;
    r.spill_bytes = c.usage.spill_bytes;
    r.shared_bytes = c.usage.shared_bytes;
    constexpr int register_unit = 8;  // of a thread, on every architecture
    const auto a_thread = static_cast<int>(round_up(std::max(1, r.registers), register_unit));
    const multiprocessor_limits limits = limits_of(m.arch);
    int blocks = std::min({m.threads_per_multiprocessor / r.threads_a_block,
                           registers_of_multiprocessor / (a_thread * r.threads_a_block), limits.blocks});
    if (const int shared = r.shared_bytes + limits.reserved_kilobytes * 1024; shared > 0)
        blocks = std::min(blocks, limits.shared_kilobytes * 1024 / shared);
    r.occupancy = static_cast<double>(blocks * r.threads_a_block) / m.threads_per_multiprocessor;
    r.image_bytes = static_cast<std::int64_t>(c.image.size());
}

}  // namespace

explanation explain_for(const machine& m, const ir::program& program, const detail::arguments_view& arguments) {
    graph whole = bind(program, arguments);
    alias(whole);
    explanation e;
    e.tree = print_tree(whole);
    e.nodes = nodes_of(whole);
    for (const graph_root& r : whole.roots) e.roots.push_back(r.node);
    e.bytes_per_second = m.bytes_per_second;
    e.operations_per_second = m.operations_per_second;
    e.device = fmt::format("{}, sm_{}, {} multiprocessors", m.name, m.arch, m.multiprocessors);
    for (const scheduled& s : schedule_all(program, arguments, m, current_fusion(), &e.passes)) {
        e.kernels.push_back(report(s, m));
        if (!s.by_library) add_usage(e.kernels.back(), m);
    }
    for (const scheduled& s : schedule_all(program, arguments, m, fusion::off)) e.unfused.push_back(report(s, m));
    e.launches = static_cast<int>(e.kernels.size());
    if (current_fusion() == fusion::on && e.launches > 1) e.reasons = why_not_fused(cut_program(program, arguments));
    e.operations = static_cast<int>(e.unfused.size());
    for (const kernel_report& k : e.kernels) e.bytes_fused += k.bytes;
    for (const kernel_report& k : e.unfused) e.bytes_unfused += k.bytes;
    return e;
}

std::string source_for(const machine& m, const ir::program& program, const detail::arguments_view& arguments) {
    std::string text;
    for (const scheduled& s : schedule_all(program, arguments, m, current_fusion()))
        text += (text.empty() ? "" : "\n") + s.source;
    return text;
}

}  // namespace codegen

namespace detail {

explanation explain(const ir::program& program, const arguments_view& arguments) {
    codegen::require_operands(program, arguments);
    return codegen::explain_for(codegen::machine_for(program, arguments), program, arguments);
}

std::string source(const ir::program& program, const arguments_view& arguments) {
    codegen::require_operands(program, arguments);
    return codegen::source_for(codegen::machine_for(program, arguments), program, arguments);
}

}  // namespace detail

std::string explanation::text() const {
    using codegen::megabytes;
    std::string out = "expression\n" + tree;
    out += fmt::format("\nlaunches   {} (unfused: {})\nbytes      {} (unfused: {})\ndevice     {}\n", launches,
                       operations, megabytes(bytes_fused), megabytes(bytes_unfused), device);
    for (const std::string& reason : reasons) out += "\nnot one kernel: " + reason + '\n';
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const kernel_report& k = kernels[i];
        out += fmt::format(
            "\nkernel {} of {}\n  schedule   {}\n  predicted  {:.4f} ms for {} and {:.4g} operations, bound by {}\n",
            i + 1, kernels.size(), k.schedule, k.predicted_seconds * 1e3, megabytes(k.bytes), k.operations, k.bound_by);
        if (k.registers >= 0)
            out += fmt::format(
                "  compiled   {} registers a thread, {} bytes spilled, {} bytes of code; at most {:.0f} % of a "
                "multiprocessor's threads at once\n",
                k.registers, k.spill_bytes, k.image_bytes, k.occupancy * 100);
        out += "\n" + k.source;
    }
    return out;
}

}  // namespace sinter
