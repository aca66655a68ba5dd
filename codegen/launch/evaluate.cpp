// Evaluation: finds the plan for the operands' shapes, makes the result's storage, and runs the plan's kernels.
#include <codegen/host/evaluate.hpp>
#include <codegen/launch/plan.hpp>
#include <codegen/launch/plan_table.hpp>
#include <codegen/launch/storage.hpp>
#include <sinter/array.hpp>

#include <fmt/format.h>

namespace sinter {
namespace codegen {
namespace {

/// The device an expression runs on: its operands', or the current one if it has none.
device& common_device(const ir::program& program, const detail::arguments_view& arguments) {
    if (program.leaves == 0) return current_device().get();
    device* where = arguments.leaves[0]->where;
    for (int i = 1; i < program.leaves; ++i) {
        device* other = arguments.leaves[i]->where;
        if (other != where)
            throw error(fmt::format("the operands are on two devices, {} and {}; move one with x.to(device)",
                                    where->name(), other->name()));
    }
    return *where;
}

/// Whether storage has the extents and the dtype of the result.
bool fits(const detail::storage& s, dtype type, int rank, const std::int64_t* shape, const device& where) {
    return s.where == &where && s.type == type && s.rank == rank && s.owned &&
           std::equal(shape, shape + rank, s.extents);
}

struct buffers {
    const ir::program& program;
    const detail::arguments_view& arguments;
    const std::vector<detail::storage_ref>& temporaries;

    void* input(const kernel_input& in) const {
        const detail::storage_ref& s = in.leaf < program.leaves
                                           ? arguments.leaves[in.leaf]
                                           : temporaries[static_cast<std::size_t>(in.leaf - program.leaves)];
        return static_cast<char*>(s->data) + in.offset * static_cast<std::int64_t>(size_of(in.type));
    }
};

void run_on_host(const plan_step& step, const buffers& b, void* output) {
    const kernel& k = step.body;
    std::vector<const void*> inputs;
    for (const kernel_input& in : k.inputs) inputs.push_back(b.input(in));
    std::vector<ir::scalar_bits> scalars;
    for (std::size_t s = 0; s < k.scalars.size(); ++s) scalars.push_back(scalar_argument(k, s, b.arguments.scalars));
    void* outputs[] = {output};
    evaluate_on_host(k, inputs.data(), outputs, scalars.data());
}

void launch(const plan_step& step, const buffers& b, void* output, kernel_device& where) {
    const std::size_t count = step.parameters.size();
    constexpr std::size_t usual = 64;  // the stack serves all but huge kernels
    std::uint64_t usual_values[usual];
    void* usual_pointers[usual];
    std::vector<std::uint64_t> many_values(count > usual ? count : 0);
    std::vector<void*> many_pointers(count > usual ? count : 0);
    std::uint64_t* values = count > usual ? many_values.data() : usual_values;
    void** pointers = count > usual ? many_pointers.data() : usual_pointers;

    for (std::size_t i = 0; i < count; ++i) {
        const parameter& p = step.parameters[i];
        switch (p.what) {
            case parameter::kind::output: values[i] = reinterpret_cast<std::uint64_t>(output); break;
            case parameter::kind::input:
                values[i] =
                    reinterpret_cast<std::uint64_t>(b.input(step.body.inputs[static_cast<std::size_t>(p.index)]));
                break;
            case parameter::kind::scalar:
                values[i] = scalar_argument(step.body, static_cast<std::size_t>(p.index), b.arguments.scalars).bits;
                break;
            case parameter::kind::workspace: values[i] = reinterpret_cast<std::uint64_t>(step.workspace->data); break;
            default: values[i] = step.fixed[i]; break;
        }
        pointers[i] = &values[i];
    }
    if (step.grid > 0) where.launch(step.ready->loaded, step.grid, step.block, step.shared_bytes, pointers);
}

void run(const plan& p, const buffers& b, std::vector<detail::storage_ref>& temporaries, device& where, void* result) {
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        const plan_step& step = p.steps[i];
        void* output = result;
        if (i + 1 < p.steps.size()) {
            const dense_shape& s = step.body.output_shapes[0];
            temporaries.push_back(make_storage_on(where, step.body.outputs[0], s.rank, s.shape.data()));
            output = temporaries.back()->data;
        }
        if (!output) continue;  // nothing to store
        if (where.is_host())
            run_on_host(step, b, output);
        else
            launch(step, b, output, static_cast<kernel_device&>(where));
    }
}

}  // namespace
}  // namespace codegen

namespace detail {

storage_ref evaluate(const ir::program& program, plan_slot& slot, const arguments_view& arguments, int rank,
                     const std::int64_t* extents, const storage_ref* target) {
    codegen::device& where = codegen::common_device(program, arguments);
    const dtype type = program.nodes[program.node_count - 1].type;
    codegen::evaluation e{&program, arguments, &where, target, -1};
    if (target && !codegen::fits(*target->get(), type, rank, extents, where)) e.target = nullptr;
    for (int i = 0; e.target && i < program.leaves && e.target_leaf < 0; ++i)
        if (arguments.leaves[i].get() == target->get()) e.target_leaf = i;

    const codegen::plan& p = codegen::find_plan(slot, e);
    const bool reuse = e.target && (e.target_leaf < 0 || p.in_place);
    storage_ref result = reuse ? *e.target : codegen::make_storage_on(where, type, rank, extents);
    std::vector<storage_ref> temporaries;
    codegen::run(p, {program, arguments, temporaries}, temporaries, where, result->data);
    return result;
}

}  // namespace detail
}  // namespace sinter
