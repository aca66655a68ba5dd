// Contractions of run-time nodes, as sinter/contract.hpp, matmul.hpp and einsum.hpp do for types. The same constexpr
// functions determine the axes.
#include <sinter/einsum.hpp>
#include <sinter/error.hpp>
#include <sinter/matmul.hpp>
#include <tools/explain/reader.hpp>

#include <algorithm>

namespace sinter::spoken {
namespace {

using detail::axis_letters;
using detail::axis_places;

bool in_memory(const node& n) {
    switch (n.what) {
        case ir::kind::leaf: return true;
        case ir::kind::index_map: return n.in.size() == 1 && in_memory(*n.in[0]);
        case ir::kind::reshape: return n.in[0]->what == ir::kind::leaf;
        case ir::kind::materialize: return !is_storage_only(n.type);
        default: return false;
    }
}

/// An operand of a contraction, in memory, as detail::factor.
node_ref factor(const node_ref& a, dtype type) {
    if (a->type == type && in_memory(*a)) return a;
    const bool rounded = !is_storage_only(type) || a->what == ir::kind::cast;
    return stored(a->type == type && rounded ? a : cast(a, type), ir::product::none);
}

/// The last `count` of `rank` axes, as a mask.
std::uint32_t last_axes(int rank, int count) { return ((1u << count) - 1) << (rank - count); }

/// detail::contract: the sums of products of `a` and `b`, whose axes map by axes_a and axes_b to the result's `rank`
/// axes followed by `sums` summed ones.
node_ref contract(int rank, int sums, ir::product what, const node_ref& a, const int* axes_a, const node_ref& b,
                  const int* axes_b) {
    const dtype type = promote(a->type, b->type);
    const auto seen = [&](const node_ref& operand, const int* axes) {
        return spread(what == ir::product::none ? in_dtype(operand, type) : factor(operand, type), rank + sums, axes);
    };
    const node_ref left = seen(a, axes_a), right = seen(b, axes_b);
    if (sums == 0) return applied(op::multiply::row, {left, right});
    const reduce_options over{last_axes(rank + sums, sums), false, nullptr, nullptr};
    const node_ref folded =
        type == dtype::bool_ ? reduce(op::any::row, join(op::logical_and::row, type, {left, right}), over)
                             : in_dtype(reduce(op::sum::row, join(op::multiply::row, type, {left, right}), over), type);
    return what == ir::product::none ? folded : stored(folded, what);
}

node_ref matmul_of(const call& c) {
    c.takes(2, 2, {"precision"}, "matmul(x, y) or matmul(x, y, precision=tf32)");
    const node_ref a = c.array(0), b = c.array(1);
    if (a->rank == 0 || b->rank == 0)
        throw error("matmul: takes matrices and vectors; multiply by a single number with *");
    const detail::matmul_axes at(a->rank, b->rank);
    if (at.rank >= ir::max_rank) throw error("matmul: takes operands of at most 7 axes");
    const dtype type = promote(a->type, b->type);
    const syntax* const precision = c.option("precision");
    if (precision && precision->text != "tf32")
        throw problem(precision->at, "a product takes no other precision than precision=tf32");
    if (precision && type != dtype::float32 && type != dtype::complex64)
        throw problem(precision->at, "precision=tf32 is for products of float32 or complex64 operands");
    detail::check_matmul(a->shape.data(), a->rank, b->shape.data(), b->rank);
    const ir::product what = a->rank == 1 || b->rank == 1 || type == dtype::bool_ ? ir::product::none
                             : precision                                          ? ir::product::tf32
                                                                                  : ir::product::exact;
    return contract(at.rank, 1, what, a, at.a, b, at.b);
}

/// A node and its axis letters.
struct lettered {
    node_ref value;
    axis_letters axes;
};

axis_letters loops_of(const axis_letters& result, const axis_letters& operand) {
    int more = 0;
    for (int i = 0; i < operand.count; ++i) more += !result.has(operand.at[i]);
    if (result.count + more > ir::max_rank) throw error("einsum: a product has at most 8 axes");
    return detail::loop_letters(result, operand);
}

node_ref reduced_to(const lettered& from, const axis_letters& to) {
    const axis_letters loops = loops_of(to, from.axes);
    const node_ref seen = spread(from.value, loops.count, axis_places(from.axes, loops).at);
    const int sums = loops.count - to.count;
    if (sums == 0) return seen;
    return in_dtype(reduce(op::sum::row, seen, {last_axes(loops.count, sums), false, nullptr, nullptr}),
                    from.value->type);
}

lettered multiplied(const lettered& a, const lettered& b, const axis_letters& to) {
    const auto kept = [&](const lettered& of, const axis_letters& other) {
        const axis_letters axes = detail::needed(of.axes, other, to);
        return lettered{detail::same(of.axes, axes) ? of.value : reduced_to(of, axes), axes};
    };
    const lettered left = kept(a, b.axes), right = kept(b, a.axes);
    const axis_letters loops = loops_of(to, left.axes);
    const int sums = loops.count - to.count;
    const bool is_product =
        sums > 0 && detail::has_own(left.axes, right.axes) && detail::has_own(right.axes, left.axes);
    return {contract(to.count, sums, is_product ? ir::product::exact : ir::product::none, left.value,
                     axis_places(left.axes, loops).at, right.value, axis_places(right.axes, loops).at),
            to};
}

void check(const detail::subscripts& s, const call& c) {
    using fault = detail::subscript_fault;
    if (s.fault == fault::character)
        throw error("einsum: subscripts are letters, with commas between operands and -> before the result");
    if (s.fault == fault::too_many) throw error("einsum: an operand or result has at most 8 axes");
    if (s.fault == fault::result_repeats) throw error("einsum: the result names an axis twice");
    if (s.fault == fault::result_unknown) throw error("einsum: the result names an axis that no operand has");
    if (static_cast<std::size_t>(s.operands) != c.count())
        throw error("einsum: takes as many operands as its subscripts name, with commas between them");
}

node_ref einsum_of(const call& c) {
    c.takes(1, detail::subscripts::max_operands, {}, "einsum<\"ij,jk->ik\">(x, y)");
    const detail::subscripts s = detail::parse_subscripts(c.type_text().c_str());
    check(s, c);
    std::vector<lettered> operands;
    std::int64_t known[128];
    std::fill(std::begin(known), std::end(known), -1);
    for (int o = 0; o < s.operands; ++o) {
        const node_ref x = c.array(static_cast<std::size_t>(o));
        const axis_letters& axes = s.operand[o];
        if (x->rank != axes.count) throw error("einsum: needs one letter per axis of an operand");
        for (int i = 0; i < axes.count; ++i) {
            std::int64_t& extent = known[static_cast<int>(axes.at[i])];
            const std::int64_t own = x->shape[static_cast<std::size_t>(i)];
            if (extent >= 0 && extent != own) detail::throw_bad_einsum("einsum", axes.at[i], extent, own);
            extent = own;
        }
        operands.push_back({x, axes});
    }
    if (operands.size() == 1) return reduced_to(operands[0], s.result);
    lettered product = operands[0];
    for (int o = 1; o < s.operands; ++o) {
        const lettered& next = operands[static_cast<std::size_t>(o)];
        product = multiplied(product, next,
                             o + 1 == s.operands ? s.result : detail::between(s, product.axes, next.axes, o + 1));
    }
    return product.value;
}

}  // namespace

void add_products(function_table& all) {
    all.emplace("matmul", matmul_of);
    all.emplace("einsum", einsum_of);
    all.emplace("outer", [](const call& c) {
        c.takes(2, 2, {}, "outer(x, y)");
        const node_ref a = c.array(0), b = c.array(1);
        if (a->rank != 1 || b->rank != 1)
            throw error("outer: takes two vectors; for more axes write a(all, newaxis) * b");
        const int first[] = {0};
        return applied(op::multiply::row, {spread(a, 2, first), b});
    });
}

}  // namespace sinter::spoken
