// The functions over axes that are composed of rows: their templates, instantiated for every dtype.
#include <sinter/error.hpp>
#include <sinter/op/composite.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/recipe.hpp>

namespace sinter::spoken {
namespace {

enum class takes_complex : bool { no, yes };

enum class takes_mask : bool { no, yes };

/// f(x, options...) with axis=, and with keepdims and where= if the call says so.
template <takes_complex Complex, takes_mask Masked = takes_mask::no, class F>
node_ref over_axes(const call& c, F f) {
    const node_ref x = c.array(0);
    const std::uint32_t axes = c.axes(x->rank);
    cooking how{{x}, true, axes, c.has("keepdims")};
    if (c.has("where")) {
        how.operands.push_back(c.array_option("where"));
        check_mask(c.name().c_str(), *how.operands[1], *x);
    }
    const recipe r = sinter::detail::with_dtype(x->type, [&]<dtype D>() -> recipe {
        if constexpr (is_complex(D) && Complex == takes_complex::no) {
            throw error(c.name() + ": takes no complex operands; real(z), imag(z), abs(z) and arg(z) are real");
        } else {
            const auto stand_in = collapsed_stand_in<D>(*x, axes);
            if constexpr (Masked == takes_mask::yes) {
                const array<bool, 2> mask(imagined(dtype::bool_, 2, {stand_in.shape()[0], stand_in.shape()[1]}, 1));
                if (how.operands.size() == 2) return recipe_of(f(stand_in, axis=1, where=mask), stand_in, mask);
            }
            return recipe_of(f(stand_in, axis=1), stand_in);
        }
    });
    return cook(r, how);
}

template <takes_complex Complex = takes_complex::no, class F>
void add(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(1, 1, {"axis", "keepdims"}, (std::string(name) + "(x, axis=1, keepdims)").c_str());
        return over_axes<Complex>(c, f);
    });
}

/// Of the elements that a mask leaves, if the call has one.
template <class F>
void add_masked(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(1, 1, {"axis", "keepdims", "where"}, (std::string(name) + "(x, axis=1, keepdims, where=mask)").c_str());
        return over_axes<takes_complex::yes, takes_mask::yes>(c, f);
    });
}

/// Without keepdims: what brings elements to a common scale keeps the shape anyway.
template <class F>
void add_scaling(function_table& all, const char* name, const char* number_name, F f) {
    all.emplace(name, [=](const call& c) {
        std::string usage = std::string(name) + "(x, axis=1";
        if (number_name) usage += std::string(", ") + number_name + "=...";
        c.takes(1, 1, {"axis", number_name ? number_name : "axis"}, (usage + ")").c_str());
        return over_axes<takes_complex::no>(c, [&](const auto& x, const auto& over, const auto&...) {
            return f(x, over,
                     number_name ? c.real_option(number_name, std::string(number_name) == "eps" ? 1e-5 : 0) : 0.0);
        });
    });
}

template <class F>
void add_variance(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(1, 1, {"axis", "keepdims", "ddof", "where"},
                (std::string(name) + "(x, axis=1, keepdims, where=mask, ddof=1)").c_str());
        const double less = c.real_option("ddof", 0);
        return over_axes<takes_complex::yes, takes_mask::yes>(
            c, [&](const auto& x, const auto&... o) { return f(x, less, o...); });
    });
}

node_ref norm_of(const call& c) {
    c.takes(1, 1, {"axis", "keepdims", "ord"}, "norm(x, axis=1, keepdims, ord=1_c)");
    constexpr auto yes = takes_complex::yes;
    const syntax* const order = c.option("ord");
    if (order == nullptr || (order->what == syntax::kind::number && order->text == "2_c"))
        return over_axes<yes>(c, [](const auto& x, const auto&... o) { return norm(x, o...); });
    if (order->text == "inf")
        return over_axes<yes>(c, [](const auto& x, const auto&... o) { return norm(x, o..., ord=inf); });
    if (order->text == "1_c")
        return over_axes<yes>(c, [](const auto& x, const auto&... o) { return norm(x, o..., ord=1_c); });
    const double p = c.real_option("ord", 2);
    return over_axes<yes>(c, [&](const auto& x, const auto&... o) { return norm(x, o..., ord=p); });
}

/// f of two arrays whose elementwise operations broadcast.
template <class F>
node_ref of_two(const call& c, const node_ref& whole, std::uint32_t axes, F f) {
    const node_ref a = c.array(0), b = c.array(1);
    const recipe r = sinter::detail::with_dtype(promote(a->type, b->type), [&]<dtype D>() -> recipe {
        const auto first = collapsed_stand_in<D>(*whole, axes);
        const array<element_t<D>, 2> second(imagined(D, 2, {first.shape()[0], first.shape()[1]}, 1));
        return recipe_of(f(first, second, axis=1), first, second);
    });
    return cook(r, {{a, b}, true, axes, c.has("keepdims")});
}

node_ref vecdot_of(const call& c) {
    c.takes(2, 2, {"axis", "keepdims"}, "vecdot(x, y, axis=-1)");
    const node_ref whole = applied(op::multiply::row, c.values());
    if (whole->rank == 0) throw error("vecdot: takes operands of at least one axis");
    const std::uint32_t axes = c.has("axis") ? c.axes(whole->rank) : 1u << (whole->rank - 1);
    return of_two(c, whole, axes, [](const auto& x, const auto& y, const auto&... o) { return vecdot(x, y, o...); });
}

node_ref dot_of(const call& c) {
    c.takes(2, 2, {}, (c.name() + "(x, y)").c_str());
    const node_ref a = c.array(0), b = c.array(1);
    if (a->rank != 1 || b->rank != 1) throw error("dot: takes two vectors; vecdot takes more axes");
    return of_two(c, applied(op::multiply::row, c.values()), 1,
                  [](const auto& x, const auto& y, const auto&... o) { return vecdot(x, y, o...); });
}

node_ref average_of(const call& c) {
    c.takes(1, 2, {"axis", "keepdims"}, "average(x, weights, axis=1, keepdims)");
    if (c.count() == 1)
        return over_axes<takes_complex::yes>(c, [](const auto& x, const auto&... o) { return average(x, o...); });
    const node_ref x = c.array(0);
    return of_two(c, x, c.axes(x->rank),
                  [](const auto& a, const auto& w, const auto&... o) { return average(a, w, o...); });
}

}  // namespace

void add_reducing_composites(function_table& all) {
    add_masked(all, "mean", [](const auto& x, const auto&... o) { return mean(x, o...); });
    add_variance(all, "var", [](const auto& x, double less, const auto&... o) { return var(x, o..., ddof=less); });
    add_variance(all, "stddev",
                 [](const auto& x, double less, const auto&... o) { return stddev(x, o..., ddof=less); });
    add_variance(all, "nanvar",
                 [](const auto& x, double less, const auto&... o) { return nanvar(x, o..., ddof=less); });
    add_variance(all, "nanstd",
                 [](const auto& x, double less, const auto&... o) { return nanstd(x, o..., ddof=less); });
    add(all, "ptp", [](const auto& x, const auto&... o) { return ptp(x, o...); });
    add_masked(all, "count_nonzero", [](const auto& x, const auto&... o) { return count_nonzero(x, o...); });
    add(all, "logsumexp", [](const auto& x, const auto&... o) { return logsumexp(x, o...); });
    add_masked(all, "nansum", [](const auto& x, const auto&... o) { return nansum(x, o...); });
    add_masked(all, "nanprod", [](const auto& x, const auto&... o) { return nanprod(x, o...); });
    add_masked(all, "nanmean", [](const auto& x, const auto&... o) { return nanmean(x, o...); });
    all.emplace("norm", norm_of);
    all.emplace("vecdot", vecdot_of);
    all.emplace("dot", dot_of);
    all.emplace("inner", dot_of);
    all.emplace("average", average_of);

    add_scaling(all, "softmax", nullptr, [](const auto& x, const auto& over, double) { return softmax(x, over); });
    add_scaling(all, "log_softmax", nullptr,
                [](const auto& x, const auto& over, double) { return log_softmax(x, over); });
    add_scaling(all, "standardise", "ddof",
                [](const auto& x, const auto& over, double less) { return standardise(x, over, ddof=less); });
    add_scaling(all, "layer_norm", "eps",
                [](const auto& x, const auto& over, double small) { return layer_norm(x, over, eps=small); });
    add_scaling(all, "rms_norm", "eps",
                [](const auto& x, const auto& over, double small) { return rms_norm(x, over, eps=small); });
}

}  // namespace sinter::spoken
