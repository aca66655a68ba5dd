// Functions with bodies: let, map_slices, custom and custom_reduce.
#include <sinter/custom.hpp>
#include <sinter/error.hpp>
#include <sinter/let.hpp>
#include <sinter/map_slices.hpp>
#include <tools/explain/reader.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::spoken {
namespace {

using detail::axis_letters;

node_ref let_of(const call& c) {
    c.takes(2, 2, {}, "let(value, [](auto x) { return x / sum(x); })");
    node value = *c.array(0);
    value.named = true;
    const node_ref name = std::make_shared<const node>(std::move(value));
    const node_ref body = c.result_of(1, {name});
    if (body == name) return name;
    node whole = *body;
    whole.before.insert(whole.before.begin(), name);
    return std::make_shared<const node>(std::move(whole));
}

detail::subscripts signature_of(const call& c) {
    using fault = detail::subscript_fault;
    const detail::subscripts s = detail::parse_signature(c.type_text().c_str());
    if (s.fault == fault::character || s.fault == fault::too_many)
        throw error("map_slices: the signature names axes by letters: \"(m,n),(n,p)->(m,p)\"");
    if (s.fault == fault::result_repeats) throw error("map_slices: the signature names an axis twice in one operand");
    if (s.fault == fault::result_unknown) throw error("map_slices: the result names an axis that no operand has");
    if (static_cast<std::size_t>(s.operands) + 1 != c.count())
        throw error("map_slices: takes as many operands as its signature names");
    return s;
}

/// detail::result_slices: extracts the axes that the result names, in its order.
node_ref result_slices(const node_ref& from, int batch, const axis_letters& all, const axis_letters& result) {
    const bool kept = from->rank == batch + all.count;
    if (!kept && from->rank != batch + result.count)
        throw error("map_slices: the function must return all axes of its operands, or those of the result");
    const axis_letters own = kept ? all : detail::needed(all, {}, result);
    node view;
    view.what = ir::kind::index_map;
    view.type = from->type;
    view.rank = batch + result.count;
    for (int i = 0; i < from->rank; ++i) {
        const std::int64_t extent = from->shape[static_cast<std::size_t>(i)];
        const bool stays = i < batch || result.has(own.at[i - batch]);
        const int to = !stays ? -1 : i < batch ? i : batch + result.position(own.at[i - batch]);
        if (!stays && extent != 1) detail::throw_unreduced_slices(own.at[i - batch], extent);
        view.integers.insert(view.integers.end(), {to, 0, stays ? 1 : 0});
        if (stays) view.shape[static_cast<std::size_t>(to)] = extent;
    }
    view.integers.insert(view.integers.end(), view.shape.begin(), view.shape.begin() + view.rank);
    view.in = {from};
    return std::make_shared<const node>(std::move(view));
}

node_ref map_slices_of(const call& c) {
    c.takes(2, detail::subscripts::max_operands + 1, {},
            "map_slices<\"(n)->()\">([](auto x) { return sum(x, axis=-1); }, x)");
    const detail::subscripts s = signature_of(c);
    std::vector<node_ref> operands;
    std::int64_t known[128];
    std::fill(std::begin(known), std::end(known), -1);
    int batch = 0;
    for (int o = 0; o < s.operands; ++o) {
        operands.push_back(c.array(static_cast<std::size_t>(o) + 1));
        const node& x = *operands.back();
        const axis_letters& letters = s.operand[o];
        if (x.rank < letters.count) throw error("map_slices: an operand has fewer axes than its slices");
        batch = std::max(batch, x.rank - letters.count);
        for (int i = 0; i < letters.count; ++i) {
            std::int64_t& extent = known[static_cast<int>(letters.at[i])];
            const std::int64_t own = x.shape[static_cast<std::size_t>(x.rank - letters.count + i)];
            if (extent >= 0 && extent != own) detail::throw_bad_einsum("map_slices", letters.at[i], extent, own);
            extent = own;
        }
    }
    const axis_letters all = detail::all_letters(s);
    if (batch + all.count > ir::max_rank)
        throw error("map_slices: the slices and leading axes together have more than 8 axes");
    for (int o = 0; o < s.operands; ++o) {
        node_ref& x = operands[static_cast<std::size_t>(o)];
        x = spread(x, batch + all.count, detail::slice_places(x->rank, s.operand[o], all, batch).at);
    }
    return result_slices(c.result_of(0, operands), batch, all, s.result);
}

/// A node with a run-time op: the row is an integer argument, as in the templates.
node_ref with_row(const node_ref& n, const op_row* row) {
    node made = *n;
    made.integers = {reinterpret_cast<std::int64_t>(row)};
    return std::make_shared<const node>(std::move(made));
}

node_ref custom_of(const call& c) {
    c.takes(2, ir::max_operands + 1, {}, "custom<float>(\"x * x + y\", x, y)");
    const std::string& body = c.string(0);
    const dtype type = c.type(dtype::float32);
    std::vector<node_ref> in;
    for (std::size_t i = 1; i < c.count(); ++i) in.push_back(in_dtype(c.value(i), type));
    const op_row* const placeholders[] = {&detail::map_placeholder<1>, &detail::map_placeholder<2>,
                                          &detail::map_placeholder<3>};
    const op_row* const row = detail::map_of_text(body, static_cast<int>(in.size()));
    return with_row(join(*placeholders[in.size() - 1], type, in), row);
}

node_ref custom_reduce_of(const call& c) {
    c.takes(3, 3, {"axis", "keepdims"}, "custom_reduce<float>(\"x * y\", \"T(1)\", x, axis=1)");
    const op_row* const row = detail::fold_of_text(c.string(0), c.string(1));
    const node_ref x = in_dtype(c.array(2), c.type(dtype::float32));
    return with_row(reduce(detail::fold_placeholder, x, {c.axes(x->rank), c.has("keepdims"), nullptr, nullptr}), row);
}

}  // namespace

void add_bodies(function_table& all) {
    all.emplace("let", let_of);
    all.emplace("map_slices", map_slices_of);
    all.emplace("custom", custom_of);
    all.emplace("custom_reduce", custom_reduce_of);
}

}  // namespace sinter::spoken
