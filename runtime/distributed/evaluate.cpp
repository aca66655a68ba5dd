// Runs the stages on every member, and joins what they have of a reduction.
#include <runtime/distributed/evaluate.hpp>

#include <codegen/ir/print.hpp>
#include <runtime/distributed/stages.hpp>
#include <runtime/launch/checks.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <runtime/system/cancellation.hpp>
#include <runtime/system/kept_table.hpp>
#include <sinter/device.hpp>
#include <sinter/op/builtin.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace sinter::codegen {
namespace {

using parts = std::vector<detail::storage_ref>;  ///< of the local members

/// One array from every local member, for each root of a stage.
std::vector<parts> run(const mesh_device& mesh, stage& s, const std::vector<parts>& leaves,
                       const ir::scalar_bits* scalars) {
    std::vector<parts> made(s.results.size());
    for (std::size_t m = 0; m < mesh.local().size(); ++m) {
        const device_scope scope(sinter::device(*mesh.local()[m]));
        std::vector<extents> shapes;
        for (const stage_result& r : s.results)
            shapes.push_back(local_shape(r.shape, r.axis, mesh.first() + static_cast<int>(m), mesh.size()));
        std::vector<detail::evaluation_result> results(s.results.size());
        for (std::size_t r = 0; r < results.size(); ++r) {
            results[r].rank = s.results[r].rank;
            results[r].extents = shapes[r].data();
        }
        detail::evaluate(s.program, s.slot, {leaves[m].data(), scalars, s.integers[m].data()}, results.data());
        for (std::size_t r = 0; r < results.size(); ++r) made[r].push_back(std::move(results[r].made));
    }
    return made;
}

/// The program that folds the rows of a matrix by a reduction.
struct fold_program {
    ir::node nodes[2];
    int root = 1;
    ir::program program;
    detail::plan_slot slot;

    fold_program(const op_row* row, dtype type) {
        nodes[0].what = ir::kind::leaf;
        nodes[0].type = nodes[1].type = type;
        nodes[0].rank = 2;
        nodes[0].argument = 0;
        nodes[1].what = ir::kind::reduction;
        nodes[1].rank = 1;
        nodes[1].in[0] = 0;
        nodes[1].axes = 1;
        nodes[1].bits = 1;
        nodes[1].op = row;
        program = {nodes, 2, &root, 1, 1, 0, 0};
    }
};

fold_program& program_for(const op_row* row, dtype type) {
    static constinit kept_table<std::pair<const op_row*, dtype>, fold_program> programs;
    return programs.at({row, type}, row, type);
}

/// What the members have of a reduction, folded: every one gets what the first `holders` have, in the order of their
/// numbers, so that all have the same bits, and folds it by the reduction's own row, whatever that is.
parts fold(mesh_device& mesh, const stage_result& what, const parts& mine) {
    const std::int64_t count = size_of_shape(what.shape, what.rank);
    const std::size_t bytes = static_cast<std::size_t>(count) * size_of(what.type);
    const std::int64_t rows[] = {what.holders, count};
    parts gathered, folded;
    for (device* d : mesh.local()) gathered.push_back(make_storage_on(*d, what.type, 2, rows));
    std::vector<transfer> all;
    for (int from = 0; bytes > 0 && from < what.holders; ++from) {
        for (int to = 0; to < mesh.size(); ++to) {
            const int here = mesh.local_index(from), there = mesh.local_index(to);
            if (here < 0 && there < 0) continue;
            const void* const source = here < 0 ? nullptr : mine[static_cast<std::size_t>(here)]->data;
            void* const target = there < 0 ? nullptr
                                           : static_cast<char*>(gathered[static_cast<std::size_t>(there)]->data) +
                                                 static_cast<std::size_t>(from) * bytes;
            all.push_back({from, to, source, target, bytes});
        }
    }
    mesh.exchange(all);
    fold_program& f = program_for(what.joined, what.type);
    for (std::size_t m = 0; m < gathered.size(); ++m) {
        detail::evaluation_result result{1, rows + 1};
        detail::evaluate(f.program, f.slot, {&gathered[m], nullptr, nullptr}, &result);
        detail::storage& s = *result.made.get();  // nobody else has it: it becomes an array of the result's rank
        s.rank = static_cast<std::int8_t>(what.rank);
        std::copy_n(what.shape.begin(), ir::max_rank, s.extents);
        const extents strides = row_major(what.shape, what.rank);
        std::copy_n(strides.begin(), ir::max_rank, s.strides);
        folded.push_back(std::move(result.made));
    }
    return folded;
}

bool is_sum(const stage_result& r) { return r.joined->builtin == static_cast<int>(builtin_op::sum); }

/// Makes whole arrays of what members have: sums by the link where it can, in one go, and the rest by `fold`.
void join(mesh_device& mesh, const stage& s, std::vector<parts>& made) {
    std::vector<partial_sums> sums;
    for (std::size_t r = 0; r < made.size(); ++r) {
        const stage_result& what = s.results[r];
        const std::int64_t count = size_of_shape(what.shape, what.rank);
        if (mesh.size() == 1 || count == 0) continue;
        if (!is_sum(what) || !mesh.adds_up(what.type)) {
            made[r] = fold(mesh, what, made[r]);
            continue;
        }
        sums.push_back({{}, count, what.type});
        for (const detail::storage_ref& p : made[r]) sums.back().local.push_back(p->data);
    }
    if (!sums.empty()) mesh.all_reduce(sums);
}

/// That all processes evaluate this program of arrays that are split like these.
void agree(mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments) {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(program.hash)};
    for (int i = 0; i < program.leaves; ++i) {
        const detail::storage& s = *arguments.leaves[i].get();
        numbers.push_back(sharding_of(s).axis);
        numbers.insert(numbers.end(), s.extents, s.extents + s.rank);
    }
    numbers.insert(numbers.end(), arguments.integers, arguments.integers + program.integers);
    mesh.agree(numbers, [&] {
        std::string shapes;
        for (int i = 0; i < program.leaves; ++i) {
            const detail::storage& s = *arguments.leaves[i].get();
            const int axis = sharding_of(s).axis;
            shapes += fmt::format("{}{} {}", i > 0 ? ", " : "", name(s.type), shape_text(s.extents, s.rank));
            if (axis >= 0) shapes += fmt::format(" split along axis {}", axis);
        }
        return fmt::format("an expression of {}", shapes);
    });
}

}  // namespace

std::vector<sharded_result> evaluate_parts(mesh_device& mesh, const ir::program& program,
                                           const detail::arguments_view& arguments) {
    refuse_in_capture("evaluations of sharded arrays");
    std::vector<parts> leaves(mesh.local().size());
    for (int i = 0; i < program.leaves; ++i)
        for (std::size_t m = 0; m < leaves.size(); ++m)
            leaves[m].push_back(sharding_of(*arguments.leaves[i].get()).parts[m]);
    // The members of other processes would wait for one that is cancelled.
    cancellation_point().check();
    const detail::scoped<const detail::cancellation*> never(chosen_cancellation, nullptr);
    std::vector<sharded_result> results;
    const stages& all = stages_of(mesh, program, arguments);
    if (all.front()->results.front().joined != nullptr) agree(mesh, program, arguments);
    for (const std::unique_ptr<stage>& s : all) {
        std::vector<parts> made = run(mesh, *s, leaves, arguments.scalars);
        if (s->results.front().joined != nullptr) {
            join(mesh, *s, made);
            for (const parts& whole : made)
                for (std::size_t m = 0; m < leaves.size(); ++m) leaves[m].push_back(whole[m]);
        } else {
            for (std::size_t r = 0; r < made.size(); ++r) results.push_back({s->results[r].axis, std::move(made[r])});
        }
    }
    return results;
}

sharded_result evaluate_checked(mesh_device& mesh, const ir::program& program, const detail::arguments_view& arguments,
                                const std::int64_t* shape) {
    const int checks = current_checks();
    const unchecked_scope own;
    if (checks & check_bounds) check_indices(program, arguments);
    sharded_result r = std::move(evaluate_parts(mesh, program, arguments).front());
    if (checks & check_nan) {
        // Every process has the whole result, and throws as the others do: none is left waiting.
        detail::evaluation_result whole{r.parts.front()->rank, shape};
        whole.made = redistribute(mesh, r.parts, shape, r.axis, -1, true).front();
        check_results(program, arguments, &whole);
    }
    return r;
}

void mesh_device::evaluate_over_members(const ir::program& program, const detail::arguments_view& arguments,
                                        detail::evaluation_result* results) {
    std::vector<sharded_result> all = evaluate_parts(*this, program, arguments);
    for (std::size_t r = 0; r < all.size(); ++r)
        results[r].made = redistribute(*this, all[r].parts, results[r].extents, all[r].axis, -1, true).front();
}

}  // namespace sinter::codegen
