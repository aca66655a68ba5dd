// Exchanges the members' partial reductions and scans, and combines them by the op's row.
#include <runtime/distributed/join.hpp>

#include <runtime/memory/storage.hpp>
#include <runtime/system/memo_table.hpp>
#include <sinter/device.hpp>
#include <sinter/op/builtin.hpp>
#include <sinter/op/functions.hpp>
#include <sinter/wrap.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace sinter::codegen {
namespace {

using detail::storage_ref;

/// The program that reduces the rows of a matrix.
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

/// The program that combines two arrays of equal rank, which broadcast.
struct pair_program {
    ir::node nodes[3];
    int root = 2;
    ir::program program;
    detail::plan_slot slot;

    pair_program(const op_row* row, dtype type, int rank) {
        for (int i = 0; i < 3; ++i) {
            nodes[i].what = i < 2 ? ir::kind::leaf : ir::kind::elementwise;
            nodes[i].type = type;
            nodes[i].rank = static_cast<std::int8_t>(rank);
        }
        nodes[0].argument = 0;
        nodes[1].argument = 1;
        nodes[2].in[0] = 0;
        nodes[2].in[1] = 1;
        nodes[2].op = row;
        program = {nodes, 3, &root, 1, 2, 0, 0};
    }
};

/// Changes the extents of a storage without other references.
void take_shape(detail::storage& s, int rank, const extents& shape) {
    s.rank = static_cast<std::int8_t>(rank);
    std::copy_n(shape.begin(), ir::max_rank, s.extents);
    const extents strides = row_major(shape, rank);
    std::copy_n(strides.begin(), ir::max_rank, s.strides);
}

/// Reduces the rows of a matrix to an array of the given extents.
storage_ref fold_rows(const op_row* row, const storage_ref& rows, int rank, const extents& shape) {
    static constinit memo_table<std::pair<const op_row*, dtype>, fold_program> programs;
    fold_program& f = programs.at({row, rows->type}, row, rows->type);
    const std::int64_t count = rows->extents[1];
    detail::evaluation_result result{1, &count};
    detail::evaluate(f.program, f.slot, {&rows, nullptr, nullptr}, &result);
    take_shape(*result.made.get(), rank, shape);
    return std::move(result.made);
}

/// All-gathers rows: every local member receives the rows of all members in order, `rows` of each.
local_arrays exchange_rows(mesh_device& mesh, dtype type, std::int64_t count, const std::vector<int>& rows,
                           const local_arrays& mine) {
    const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
    const std::int64_t shape[] = {std::accumulate(rows.begin(), rows.end(), std::int64_t{0}), count};
    local_arrays gathered;
    for (device* d : mesh.local()) gathered.push_back(make_storage_on(*d, type, 2, shape));
    std::vector<transfer> all;
    std::size_t first = 0;
    for (int from = 0; from < mesh.size(); ++from) {
        const auto own = static_cast<std::size_t>(rows[as_size(from)]);
        for (int to = 0; bytes * own > 0 && to < mesh.size(); ++to) {
            const int here = mesh.local_index(from), there = mesh.local_index(to);
            if (here < 0 && there < 0) continue;
            const void* const source = here < 0 ? nullptr : mine[as_size(here)]->data;
            void* const target =
                there < 0 ? nullptr : static_cast<char*>(gathered[as_size(there)]->data) + first * bytes;
            all.push_back({from, to, source, target, own * bytes});
        }
        first += own;
    }
    mesh.exchange(all);
    return gathered;
}

/// One row for each member among the holders, none for the others.
std::vector<int> rows_of(const std::vector<int>& holders, int members) {
    std::vector<int> rows(as_size(members), 0);
    for (const int h : holders) rows[as_size(h)] = 1;
    return rows;
}

/// Reduces the rows of all members on each member.
local_arrays fold_members(mesh_device& mesh, const stage_result& what, const std::vector<int>& rows,
                          const local_arrays& mine) {
    const array_layout& a = what.array;
    const local_arrays gathered = exchange_rows(mesh, a.type, size_of_shape(a.shape, a.rank), rows, mine);
    local_arrays folded;
    for (const storage_ref& all : gathered) folded.push_back(fold_rows(what.op, all, a.rank, a.shape));
    return folded;
}

/// Reduce-scatter: each member receives its part of the holders' arrays, and reduces it.
local_arrays fold_parts(mesh_device& mesh, const stage_result& what, const local_arrays& mine) {
    const array_layout& a = what.array;
    const box whole = box_of(a, -1, interval{});
    std::vector<transfer> all;
    local_arrays gathered, sources;
    for (int to = 0; to < mesh.size(); ++to) {
        const int there = mesh.local_index(to);
        const box part = box_of(a, to, mesh.size());
        const extents own = local_shape(a, to, mesh.size());
        const std::int64_t shape[] = {static_cast<std::int64_t>(what.holders.size()), size_of_shape(own, a.rank)};
        const std::size_t bytes = static_cast<std::size_t>(shape[1]) * size_of(a.type);
        if (there >= 0) gathered.push_back(make_storage_on(*mesh.local()[as_size(there)], a.type, 2, shape));
        for (std::size_t h = 0; bytes > 0 && h < what.holders.size(); ++h) {
            const int here = mesh.local_index(what.holders[h]);
            if (here < 0 && there < 0) continue;
            if (here >= 0) sources.push_back(packed_block(mine[as_size(here)], whole, part));
            void* const target = there < 0 ? nullptr : static_cast<char*>(gathered.back()->data) + h * bytes;
            all.push_back({what.holders[h], to, here < 0 ? nullptr : sources.back()->data, target, bytes});
        }
    }
    mesh.exchange(all);
    local_arrays folded;
    for (std::size_t m = 0; m < gathered.size(); ++m)
        folded.push_back(
            fold_rows(what.op, gathered[m], a.rank, local_shape(a, mesh.first() + static_cast<int>(m), mesh.size())));
    return folded;
}

bool is_sum(const stage_result& r) { return r.op->builtin == static_cast<int>(builtin_op::sum); }

}  // namespace

const op_row* combining_row(const op_row& reduction) {
    switch (static_cast<builtin_op>(reduction.builtin)) {
        case builtin_op::sum: return &op::add::row;
        case builtin_op::prod: return &op::multiply::row;
        case builtin_op::max: return &op::maximum::row;
        case builtin_op::min: return &op::minimum::row;
        case builtin_op::any: return &op::logical_or::row;
        case builtin_op::all: return &op::logical_and::row;
        default: return nullptr;
    }
}

storage_ref stack_pieces(device& where, const stage_result& what, const std::vector<storage_ref>& pieces) {
    const array_layout& a = what.array;
    const std::int64_t rows[] = {static_cast<std::int64_t>(pieces.size()), size_of_shape(a.shape, a.rank)};
    storage_ref all = make_storage_on(where, a.type, 2, rows);
    const std::size_t bytes = static_cast<std::size_t>(rows[1]) * size_of(a.type);
    for (std::size_t p = 0; p < pieces.size(); ++p)
        where.copy_within(static_cast<char*>(all->data) + p * bytes, pieces[p]->data, bytes);
    return all;
}

storage_ref fold_pieces(const stage_result& what, const std::vector<storage_ref>& pieces) {
    if (pieces.size() == 1) return pieces.front();
    return fold_rows(what.op, stack_pieces(*pieces.front()->where, what, pieces), what.array.rank, what.array.shape);
}

void join_reductions(mesh_device& mesh, const stage& s, std::vector<local_arrays>& made) {
    std::vector<partial_sums> sums;
    for (std::size_t r = 0; r < made.size(); ++r) {
        const stage_result& what = s.results[r];
        const std::int64_t count = size_of_shape(what.array.shape, what.array.rank);
        if (!s.blocks.empty()) {
            made[r] = fold_members(mesh, what, s.blocks, made[r]);
            continue;
        }
        if (mesh.size() == 1 || count == 0) continue;
        if (what.array.axis >= 0) {
            made[r] = fold_parts(mesh, what, made[r]);
            continue;
        }
        if (!is_sum(what) || !mesh.adds_up(what.array.type)) {
            made[r] = fold_members(mesh, what, rows_of(what.holders, mesh.size()), made[r]);
            continue;
        }
        sums.push_back({{}, count, what.array.type});
        for (const storage_ref& p : made[r]) sums.back().local.push_back(p->data);
    }
    if (!sums.empty()) mesh.all_reduce(sums);
}

local_arrays join_scan(mesh_device& mesh, const stage_result& what, const local_arrays& own,
                       const local_arrays& totals) {
    const array_layout& a = what.array;
    extents shape = a.shape;
    shape[as_size(a.axis)] = 1;
    const std::int64_t count = size_of_shape(shape, a.rank);
    if (mesh.size() == 1 || count == 0) return own;
    // Members without elements are the last ones.
    const std::int64_t extent = a.shape[as_size(a.axis)];
    std::vector<int> holders(static_cast<std::size_t>(std::min<std::int64_t>(mesh.size(), extent)));
    for (std::size_t h = 0; h < holders.size(); ++h) holders[h] = static_cast<int>(h);
    const local_arrays gathered = exchange_rows(mesh, a.type, count, rows_of(holders, mesh.size()), totals);

    static constinit memo_table<std::tuple<const op_row*, dtype, int>, pair_program> programs;
    const op_row* const row = combining_row(*what.op);
    pair_program& p = programs.at({row, a.type, a.rank}, row, a.type, a.rank);
    local_arrays all;
    for (std::size_t m = 0; m < own.size(); ++m) {
        const int member = mesh.first() + static_cast<int>(m), last = static_cast<int>(holders.size());
        const int first = what.reverse ? member + 1 : 0, end = what.reverse ? last : std::min(member, last);
        if (first >= end || member >= last) {
            all.push_back(own[m]);
            continue;
        }
        const std::int64_t rows[] = {end - first, count};
        const storage_ref before = detail::wrap_memory(
            {static_cast<char*>(gathered[m]->data) + static_cast<std::size_t>(first * count) * size_of(a.type), a.type,
             gathered[m]->where, false},
            2, rows, nullptr);
        const storage_ref leaves[] = {fold_rows(what.op, before, a.rank, shape), own[m]};
        const extents part = local_shape(a, member, mesh.size());
        detail::evaluation_result result{a.rank, part.data()};
        detail::evaluate(p.program, p.slot, {leaves, nullptr, nullptr}, &result);
        all.push_back(std::move(result.made));
    }
    return all;
}

}  // namespace sinter::codegen
