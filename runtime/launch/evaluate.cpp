// Evaluation: finds the plan for the operands' shapes, allocates the results, and runs the plan's kernels.
#include <codegen/analysis/aliasing.hpp>
#include <codegen/ir/element_functions.hpp>
#include <runtime/launch/checks.hpp>
#include <runtime/launch/evaluate_once.hpp>
#include <runtime/launch/launch_step.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/launch/plan_table.hpp>
#include <runtime/memory/copy.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <runtime/system/cancellation.hpp>
#include <runtime/system/launch_log.hpp>
#include <runtime/system/profiler_range.hpp>
#include <runtime/system/small_vector.hpp>
#include <sinter/array.hpp>
#include <sinter/fast_math.hpp>
#include <sinter/tune.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sinter {
namespace codegen {
namespace {

void expect_same(device& one, device& other) {
    if (&one == &other) return;
    if (one.as_mesh() || other.as_mesh())
        throw error(
            fmt::format("the operands are on {} and on {}; replicate(mesh, x) puts an array on every member of a "
                        "mesh, gather(x) makes one array of a sharded one",
                        one.name(), other.name()));
    throw error(fmt::format("the operands are on two devices, {} and {}; move one with x.to(device)", one.name(),
                            other.name()));
}

/// The device of an evaluation: that of its operands, else of its destination, else the current one.
device& common_device(const ir::program& program, const detail::arguments_view& arguments,
                      const detail::evaluation_result* results) {
    device* where = program.leaves > 0 ? arguments.leaves[0]->where : nullptr;
    for (int i = 1; i < program.leaves; ++i) expect_same(*where, *arguments.leaves[i]->where);
    for (int r = 0; r < program.root_count; ++r) {
        if (!results[r].into) continue;
        if (where) expect_same(*where, *results[r].into->whole->where);
        where = results[r].into->whole->where;
    }
    return where ? *where : current_device().get();
}

/// Whether storage has the result's extents, dtype and device.
bool fits(const detail::storage& s, dtype type, int rank, const std::int64_t* shape, const device& where) {
    return s.where == &where && s.type == type && s.rank == rank && s.owned &&
           std::equal(shape, shape + rank, s.extents);
}

struct buffers {
    const ir::program& program;
    const detail::arguments_view& arguments;
    const std::vector<detail::storage_ref>& temporaries;

    const detail::storage_ref& storage(const kernel_input& in) const {
        return in.leaf < program.leaves ? arguments.leaves[in.leaf]
                                        : temporaries[static_cast<std::size_t>(in.leaf - program.leaves)];
    }
    void* input(const kernel_input& in) const {
        return static_cast<char*>(storage(in)->data) + in.offset * static_cast<std::int64_t>(size_of(in.type));
    }
};

void run_on_host(const plan_step& step, const buffers& b, void* const* outputs, device& where) {
    const loop_nest& k = step.body;
    if (logs_launches()) [[unlikely]]
        log_launch(where.name(),
                   (runs_compiled_loops(*step.on_host) ? "compiled loops of " : "the loops of ") + expression_text(k));
    small_vector<const void*, 64> inputs(k.inputs.size());
    small_vector<ir::scalar_bits, 4> scalars(k.scalars.size());
    for (std::size_t i = 0; i < k.inputs.size(); ++i) inputs[i] = b.input(k.inputs[i]);
    for (std::size_t s = 0; s < k.scalars.size(); ++s) scalars[s] = scalar_argument(k, s, b.arguments.scalars);
    if (capture* const c = where.recording())
        return c->record([p = step.on_host, in = std::vector<const void*>(inputs.begin(), inputs.end()),
                          out = std::vector<void*>(outputs, outputs + k.outputs.size()),
                          values = std::vector<ir::scalar_bits>(scalars.begin(), scalars.end())] {
            evaluate_on_host(*p, in.data(), out.data(), values.data());
        });
    evaluate_on_host(*step.on_host, inputs.data(), outputs, scalars.data());
}

/// Copies operands in external memory that is not row-major, then runs the call.
void run_call(const plan_step& step, const buffers& b, void* const* outputs) {
    const call_site& call = *step.body.call;
    detail::storage_ref rows[ir::max_operands];
    const void* operands[ir::max_operands] = {};
    for (int o = 0; o < static_cast<int>(call.operands.size()); ++o) {
        if (is_computed(call, o)) continue;
        rows[o] = detail::dense(b.storage(step.body.inputs[static_cast<std::size_t>(array_input(call, o))]));
        operands[o] = rows[o]->data;
    }
    void* results[ir::max_call_results] = {};
    for (std::size_t o = 0; o < call.outputs.size(); ++o)
        if (!is_consumed(call, call.outputs[o])) results[call.outputs[o]] = outputs[o];
    small_vector<const void*, 64> inputs(step.body.inputs.size());
    for (std::size_t i = 0; i < step.body.inputs.size(); ++i) inputs[i] = b.input(step.body.inputs[i]);
    step.call->run({operands, results, inputs.data(), outputs, b.arguments.scalars});
}

void run(const plan& p, const buffers& b, std::vector<detail::storage_ref>& temporaries, device& where,
         void* const* outputs_of_results, const detail::evaluation_result* results) {
    const cancellation_point stop;
    for (const plan_step& step : p.steps) {
        stop.check();
        void* outputs[ir::max_roots];
        for (std::size_t o = 0; o < step.body.outputs.size(); ++o) {
            if (!step.body.results.empty() && step.body.results[o] >= 0) {
                outputs[o] = outputs_of_results[step.body.results[o]];
                if (step.body.read_later >> o & 1) temporaries.push_back(results[step.body.results[o]].made);
                continue;
            }
            const dense_shape& s = step.body.output_shapes[o];
            temporaries.push_back(make_storage_on(where, step.body.outputs[o], s.rank, s.shape.data()));
            outputs[o] = temporaries.back()->data;
        }
        if (stores_nothing(step.body)) continue;
        const auto input = [&](const kernel_input& in) { return b.input(in); };
        if (step.call)
            run_call(step, b, outputs);
        else if (step.library)
            call_library(step, input, b.arguments.scalars, outputs, where);
        else if (where.is_host())
            run_on_host(step, b, outputs, where);
        else
            launch_step(step, input, b.arguments.scalars, outputs, static_cast<kernel_device&>(where));
    }
}

}  // namespace

evaluation make_evaluation(const ir::program& program, const detail::arguments_view& arguments,
                           detail::evaluation_result* results) {
    require_operands(program, arguments);
    evaluation e{{&program, arguments, results},
                 &common_device(program, arguments, results),
                 current_fusion(),
                 current_fast_math(),
                 current_tuning()};
    for (int r = 0; r < program.root_count; ++r) {
        detail::evaluation_result& to = results[r];
        if (to.into && !to.into->whole->writable)
            throw error("assignment: the array wraps read-only memory; assign to a copy: copy(a)");
        const dtype type = program.nodes[program.roots[r]].type;
        if (to.target && !fits(*to.target->get(), type, to.rank, to.extents, *e.where)) to.target = nullptr;
        e.shared_leaf[r] = shared_leaf(e, r);
    }
    return e;
}

}  // namespace codegen

namespace detail {

namespace {

void run_plan(const codegen::plan& p, codegen::device& where, const ir::program& program,
              const arguments_view& arguments, evaluation_result* results) {
    // An evaluation that fails leaves its targets unchanged: errors occur before a step writes anything, since only the
    // last step may overwrite existing memory. A recorded step writes nothing yet.
    const std::uint32_t elsewhere = p.needs_staging | (where.recording() == nullptr ? p.early : 0);
    for (int i = 0; i < program.leaves; ++i) codegen::order_read(*arguments.leaves[i].get());
    void* outputs[ir::max_roots];
    for (int r = 0; r < program.root_count; ++r) {
        evaluation_result& to = results[r];
        const dtype type = program.nodes[program.roots[r]].type;
        const bool direct = !(elsewhere >> r & 1);
        if (to.into && direct) {
            codegen::order_write(*to.into->whole);
            outputs[r] =
                static_cast<char*>(to.into->whole->data) + to.into->offset * static_cast<std::int64_t>(size_of(type));
            continue;
        }
        if (to.target && direct) {
            to.made = *to.target;
            codegen::order_write(*to.made.get());
        } else if (!to.made) {
            to.made = codegen::make_storage_on(where, type, to.rank, to.extents);
        }
        outputs[r] = to.made->data;
    }
    std::vector<storage_ref> temporaries;
    const codegen::profiler_range range(
        [&p] { return p.steps.empty() ? std::string() : codegen::expression_text(p.steps.back().body); });
    codegen::run(p, {program, arguments, temporaries}, temporaries, where, outputs, results);
    for (int r = 0; r < program.root_count; ++r)
        if (results[r].into && (elsewhere >> r & 1)) codegen::copy_elements(results[r].made, results[r]);
}

/// Allocates new arrays. Before planning, whose time may depend on the extents, so that extents for which there is no
/// memory are refused at once. Planning refuses 2^63 - 1 elements or more: it names the function that makes them.
void make_new_arrays(const ir::program& program, codegen::device& where, evaluation_result* results) {
    for (int r = 0; r < program.root_count; ++r) {
        evaluation_result& to = results[r];
        if (to.into || to.target || product_of(to.extents, to.rank) < 0) continue;
        to.made = codegen::make_storage_on(where, program.nodes[program.roots[r]].type, to.rank, to.extents);
    }
}

void evaluate_now(const ir::program& program, plan_slot& slot, const arguments_view& arguments,
                  evaluation_result* results) {
    const codegen::evaluation e = codegen::make_evaluation(program, arguments, results);
    if (e.where->as_mesh()) [[unlikely]]
        return e.where->evaluate_over_members(program, arguments, results);
    make_new_arrays(program, *e.where, results);
    run_plan(*codegen::find_plan(slot, e), *e.where, program, arguments, results);
}

/// Copies a result into the array that it replaces, whose memory a graph may refer to. Returns whether it fits.
bool put_into_target(const storage_ref& made, evaluation_result& to) {
    if (!to.target) return false;
    const storage& s = *to.target->get();
    if (!codegen::fits(s, made->type, made->rank, made->extents, *made->where)) return false;
    codegen::order_read(*made.get());
    codegen::order_write(*to.target->get());
    if (s.bytes > 0) s.where->copy_within(s.data, made->data, s.bytes);
    to.made = *to.target;
    return true;
}

/// Evaluates into fresh memory, which `checks` may search. Existing destinations are written last, when all else has
/// succeeded.
void evaluate_apart(const ir::program& program, plan_slot& slot, const arguments_view& arguments,
                    evaluation_result* results, int checks) {
    const codegen::unchecked_scope own;
    codegen::cancellation_point().check();
    if (checks & codegen::check_bounds) codegen::check_indices(program, arguments);
    evaluation_result fresh[ir::max_roots];
    for (int r = 0; r < program.root_count; ++r) {
        fresh[r].rank = results[r].rank;
        fresh[r].extents = results[r].extents;
    }
    {
        const region* const into = results[0].into;
        const device_scope where(into != nullptr ? device(*into->whole->where) : current_device());
        evaluate_now(program, slot, arguments, fresh);
        // The last step may be one that cannot be interrupted, such as a library's.
        codegen::cancellation_point().check();
        if (checks & codegen::check_nan) codegen::check_results(program, arguments, fresh);
    }
    const scoped<const cancellation*> never(codegen::chosen_cancellation, nullptr);
    for (int r = 0; r < program.root_count; ++r) {
        if (results[r].into != nullptr)
            codegen::copy_elements(fresh[r].made, results[r]);
        else if (checks == 0 || !put_into_target(fresh[r].made, results[r]))
            results[r].made = std::move(fresh[r].made);
    }
}

}  // namespace

void evaluate(const ir::program& program, plan_slot& slot, const arguments_view& arguments,
              evaluation_result* results) {
    const int checks = codegen::current_checks() & (codegen::check_nan | codegen::check_bounds);
    const bool apart = codegen::chosen_cancellation != nullptr || checks != 0;
    if (apart && codegen::chosen_stream.recording == nullptr) [[unlikely]]
        return evaluate_apart(program, slot, arguments, results, checks);
    evaluate_now(program, slot, arguments, results);
}

storage_ref unshared(const storage_ref& s, int shares) {
    if (s->references.load(std::memory_order_acquire) <= 1 + shares) return s;
    return unshared(s);
}

}  // namespace detail

namespace codegen {

void evaluate_once(const ir::program& program, const detail::arguments_view& arguments,
                   detail::evaluation_result* results) {
    const unchecked_scope own;
    evaluation e = make_evaluation(program, arguments, results);
    e.tune = false;
    detail::run_plan(make_plan(e), *e.where, program, arguments, results);
}

}  // namespace codegen
}  // namespace sinter
