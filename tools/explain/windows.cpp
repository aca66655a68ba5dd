// sliding_window, and the rolling statistics that reduce it: their templates, instantiated for every rank or dtype.
#include <sinter/error.hpp>
#include <sinter/op/composite.hpp>
#include <sinter/sliding_window.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/recipe.hpp>

#include <fmt/format.h>

#include <numeric>

namespace sinter::spoken {
namespace {

/// The windows along one axis, whose elements run along a new last axis.
node_ref windows_along(const call& c, const node_ref& x, int axis, std::int64_t size) {
    recipe r;
    const bool found = [&]<int... I>(std::integer_sequence<int, I...>) {
        const auto along = [&]<int Rank>(std::integral_constant<int, Rank>) {
            const auto stand_in = exact_stand_in<Rank>(*x);
            r = recipe_of(detail::windows_along(stand_in, axis, size), stand_in);
            return true;
        };
        return ((x->rank == I + 1 && along(std::integral_constant<int, I + 1>())) || ...);
    }(std::make_integer_sequence<int, max_rank - 1>());
    if (!found)
        throw error(fmt::format("{}: takes an operand of 1 to {} axes, not of {}", c.name(), max_rank - 1, x->rank));
    return cook(r, {{x}});
}

node_ref windows_of(const call& c) {
    constexpr const char* usage = "sliding_window(x, {3, 3}) or sliding_window(x, 5, axis=1)";
    c.takes(2, 2, {"axis"}, usage);
    node_ref x = c.array(0);
    const bool several = c.written(1).what == syntax::kind::braces;
    const std::vector<std::int64_t> sizes = several ? c.integers(1) : std::vector{c.integer(1)};
    std::vector<int> axes(static_cast<std::size_t>(x->rank));
    std::iota(axes.begin(), axes.end(), 0);
    if (c.has("axis")) axes = c.axes_in_order(x->rank);
    if (axes.size() != sizes.size()) throw error(std::string("sliding_window takes a length per axis: write ") + usage);
    for (std::size_t i = 0; i < axes.size(); ++i) x = windows_along(c, x, axes[i], sizes[i]);
    return x;
}

/// f(windows, axis=1) of a dtype, where it takes that one.
template <dtype D, class F>
recipe reduced(const call& c, const node& windows, F f) {
    const auto stand_in = collapsed_stand_in<D>(windows, 1u << (windows.rank - 1));
    if constexpr (requires { f(stand_in); })
        return recipe_of(f(stand_in), stand_in);
    else
        throw error(c.name() + ": takes no complex operands; real(z), imag(z), abs(z) and arg(z) are real");
}

template <class F>
void add(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        const bool of_variance = c.name() == "rolling_var" || c.name() == "rolling_std";
        const std::string usage = c.name() + "(x, window, axis=-1" + (of_variance ? ", ddof=1)" : ")");
        c.takes(2, 2, {"axis", of_variance ? "ddof" : "axis"}, usage.c_str());
        const node_ref x = c.array(0);
        const int axis = c.has("axis") ? c.axis(x->rank) : x->rank - 1;
        const node_ref windows = windows_along(c, x, axis, c.integer(1));
        const double less = of_variance ? c.real_option("ddof", 0) : 0;
        const recipe r = sinter::detail::with_dtype(x->type, [&]<dtype D>() {
            return reduced<D>(c, *windows, [&](const auto& w) -> decltype(f(w, less)) { return f(w, less); });
        });
        return cook(r, {{windows}, true, 1u << (windows->rank - 1), false});
    });
}

template <class A>
concept ordered = !is_complex(A::type);

}  // namespace

void add_windows(function_table& all) {
    all.emplace("sliding_window", windows_of);
    add(all, "rolling_sum", [](const auto& w, double) { return sum(w, axis=1); });
    add(all, "rolling_mean", [](const auto& w, double) { return mean(w, axis=1); });
    add(all, "rolling_max", [](const ordered auto& w, double) { return max(w, axis=1); });
    add(all, "rolling_min", [](const ordered auto& w, double) { return min(w, axis=1); });
    add(all, "rolling_var", [](const auto& w, double less) { return var(w, axis=1, ddof=less); });
    add(all, "rolling_std", [](const auto& w, double less) { return sqrt(var(w, axis=1, ddof=less)); });
}

}  // namespace sinter::spoken
