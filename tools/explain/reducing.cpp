// Composite functions over axes: their templates, instantiated for every dtype.
#include <sinter/error.hpp>
#include <sinter/op/composite.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/recipe.hpp>

#include <algorithm>

namespace sinter::spoken {
namespace {

enum class takes_complex : bool { no, yes };

enum class takes_mask : bool { no, yes };

/// f(x, options...) with axis=, and with keepdims and where= if the call has them.
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

/// Registers a function with an optional mask.
template <class F>
void add_masked(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(1, 1, {"axis", "keepdims", "where"}, (std::string(name) + "(x, axis=1, keepdims, where=mask)").c_str());
        return over_axes<takes_complex::yes, takes_mask::yes>(c, f);
    });
}

/// Without keepdims: normalisations keep the shape anyway.
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

/// f of two arrays whose elementwise operations broadcast to the shape of `whole`.
template <class F>
node_ref of_two(const call& c, const node_ref& a, const node_ref& b, const node_ref& whole, std::uint32_t axes, F f) {
    const recipe r = sinter::detail::with_dtype(promote(a->type, b->type), [&]<dtype D>() -> recipe {
        const auto first = collapsed_stand_in<D>(*whole, axes);
        const array<element_t<D>, 2> second(imagined(D, 2, {first.shape()[0], first.shape()[1]}, 1));
        return recipe_of(f(first, second, axis=1), first, second);
    });
    return cook(r, {{a, b}, true, axes, c.has("keepdims")});
}

/// Throws unless both operands have the summed axes, with equal extents.
void check_lengths(const call& c, std::uint32_t axes) {
    const node_ref a = c.array(0), b = c.array(1);
    const int rank = std::max(a->rank, b->rank);
    for (int i = 1; i <= rank; ++i) {
        const auto from_end = [&](const node_ref& of) { return of->shape[static_cast<std::size_t>(of->rank - i)]; };
        const bool both = i <= a->rank && i <= b->rank && from_end(a) == from_end(b);
        if (axes >> (rank - i) & 1 && !both)
            sinter::detail::throw_bad_vecdot(c.name().c_str(), a->shape.data(), a->rank, b->shape.data(), b->rank);
    }
}

node_ref vecdot_of(const call& c) {
    c.takes(2, 2, {"axis", "keepdims"}, "vecdot(x, y, axis=-1)");
    const int rank = std::max(c.array(0)->rank, c.array(1)->rank);
    if (std::min(c.array(0)->rank, c.array(1)->rank) == 0)
        throw error("vecdot: takes operands of at least one axis; multiply numbers with *");
    const std::uint32_t axes = c.has("axis") ? c.axes(rank) : 1u << (rank - 1);
    check_lengths(c, axes);
    return of_two(c, c.array(0), c.array(1), applied(op::multiply::row, c.values()), axes,
                  [](const auto& x, const auto& y, const auto&... o) { return vecdot(x, y, o...); });
}

node_ref dot_of(const call& c) {
    c.takes(2, 2, {}, (c.name() + "(x, y)").c_str());
    const node_ref a = c.array(0), b = c.array(1);
    if (a->rank != 1 || b->rank != 1) throw error(c.name() + ": takes two vectors; for more axes write vecdot");
    check_lengths(c, 1);
    return of_two(c, c.array(0), c.array(1), applied(op::multiply::row, c.values()), 1,
                  [](const auto& x, const auto& y, const auto&... o) {
                      return sinter::detail::products_along("dot", x, y, o...);
                  });
}

/// The weights of average: with one axis per named axis, they run along those.
node_ref weights_of(const call& c, const node_ref& x) {
    const node_ref w = c.array(1);
    const syntax* const axes = c.option("axis");
    const std::size_t named = axes == nullptr ? 0 : axes->what == syntax::kind::braces ? axes->parts.size() : 1;
    if (static_cast<std::size_t>(w->rank) != named || w->rank >= x->rank) return w;
    int to[ir::max_rank];
    for (std::size_t i = 0; i < named; ++i) {
        const auto axis = static_cast<int>(read_integer(named == 1 && axes->parts.empty() ? *axes : axes->parts[i]));
        to[i] = axis < 0 ? axis + x->rank : axis;
    }
    return spread(w, x->rank, to);
}

node_ref average_of(const call& c) {
    c.takes(1, 2, {"axis", "keepdims"}, "average(x, weights, axis=1, keepdims)");
    if (c.count() == 1)
        return over_axes<takes_complex::yes>(c, [](const auto& x, const auto&... o) { return average(x, o...); });
    const node_ref x = c.array(0);
    const std::uint32_t axes = c.axes(x->rank);
    return of_two(c, x, weights_of(c, x), x, axes,
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
    add(all, "ptp", [](const auto& x, const auto&... o) {
        if constexpr (std::remove_cvref_t<decltype(x)>::type == dtype::bool_) {
            throw error("ptp: takes no bools; write ptp(astype<int>(x))");
            return max(x, o...);
        } else {
            return ptp(x, o...);
        }
    });
    add_masked(all, "count_nonzero", [](const auto& x, const auto&... o) { return count_nonzero(x, o...); });
    add(all, "logsumexp", [](const auto& x, const auto&... o) { return logsumexp(x, o...); });
    add_masked(all, "nansum", [](const auto& x, const auto&... o) { return nansum(x, o...); });
    add_masked(all, "nanprod", [](const auto& x, const auto&... o) { return nanprod(x, o...); });
    add_masked(all, "nanmean", [](const auto& x, const auto&... o) { return nanmean(x, o...); });
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
