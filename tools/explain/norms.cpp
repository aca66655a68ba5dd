// Vector and matrix norms, as in sinter/op/composite/norm.hpp.
#include <sinter/error.hpp>
#include <sinter/op/composite.hpp>
#include <tools/explain/reader.hpp>

namespace sinter::spoken {
namespace {

node_ref sizes_of(const node_ref& x) {
    if (!is_complex(x->type)) return applied(op::abs::row, {x});
    return applied(op::hypot::row, {applied(op::real::row, {x}), applied(op::imag::row, {x})});
}

node_ref squares_of(const node_ref& x) {
    if (!is_complex(x->type)) return applied(op::square::row, {x});
    return applied(op::add::row, {applied(op::square::row, {applied(op::real::row, {x})}),
                                  applied(op::square::row, {applied(op::imag::row, {x})})});
}

node_ref root_of_squares(const node_ref& x, const reduce_options& over) {
    return applied(op::sqrt::row, {reduce(op::sum::row, squares_of(x), over)});
}

/// The maximum of nonnegative elements; 0 for none.
node_ref greatest(const node_ref& x, reduce_options over) {
    static const number nothing{dtype::int32, 0, 0};
    over.initial = &nothing;
    return reduce(op::max::row, x, over);
}

/// The source text of ord=; "" without one.
std::string order_of(const syntax* order) {
    if (order == nullptr) return "";
    return order->what == syntax::kind::prefix ? order->text + order->parts[0].text : order->text;
}

node_ref vector_norm(const call& c, const node_ref& x, const std::string& order, const reduce_options& over) {
    if (order == "fro") throw error("norm: the Frobenius norm is for matrices, along two axes");
    if (order == "inf") return greatest(sizes_of(x), over);
    if (order == "-inf") return reduce(op::min::row, sizes_of(x), over);
    if (order == "0_c") {
        const argument zero = number{dtype::int32, 0, 0};
        return reduce(op::sum::row, in_dtype(applied(op::not_equal::row, {x, zero}), real_of(x->type)), over);
    }
    if (order == "1_c") return reduce(op::sum::row, sizes_of(x), over);
    if (order == "2_c") return root_of_squares(x, over);
    const double p = c.real_option("ord", 2);
    if (p == 0 || p - p != 0) sinter::detail::throw_bad_ord(p);
    const node_ref powers = applied(op::pow::row, {sizes_of(x), number{dtype::float64, 0, p}});
    return applied(op::pow::row, {reduce(op::sum::row, powers, over), number{dtype::float64, 0, 1 / p}});
}

/// The first (0) or second (1) of the two axes that a matrix norm names.
int named_axis(const call& c, std::size_t which, int rank) {
    const syntax* const axes = c.option("axis");
    const auto axis = axes == nullptr ? static_cast<int>(which) : static_cast<int>(read_integer(axes->parts.at(which)));
    return axis < 0 ? axis + rank : axis;
}

node_ref matrix_norm(const call& c, const node_ref& x, const std::string& order, const reduce_options& over) {
    if (order == "fro") return root_of_squares(x, over);
    const bool of_rows = order == "inf" || order == "-inf";
    if (!of_rows && order != "1_c" && order != "-1_c")
        throw problem(c.option("ord")->at, "the norms of a matrix have ord=1_c, -1_c, inf, -inf or fro");
    const int summed = named_axis(c, of_rows ? 1 : 0, x->rank);
    const node_ref sums = reduce(op::sum::row, sizes_of(x), {1u << summed, true, nullptr, nullptr});
    return order[0] == '-' ? reduce(op::min::row, sums, over) : greatest(sums, over);
}

node_ref norm_of(const call& c) {
    c.takes(1, 1, {"axis", "keepdims", "ord"}, "norm(x, axis=1, keepdims, ord=1_c)");
    const node_ref given = c.array(0);
    const node_ref x = in_dtype(given, sinter::detail::compute_dtype(dtype_rule::analytic, {given->type, false}));
    const reduce_options over{c.axes(x->rank), c.has("keepdims"), nullptr, nullptr};
    const std::string order = order_of(c.option("ord"));
    if (order.empty()) return root_of_squares(x, over);
    const int count = __builtin_popcount(over.axes);
    if (count > 2) throw error("norm: ord= is for vectors and matrices: name one axis or two");
    return count == 2 ? matrix_norm(c, x, order, over) : vector_norm(c, x, order, over);
}

}  // namespace

void add_norms(function_table& all) { all.emplace("norm", norm_of); }

}  // namespace sinter::spoken
