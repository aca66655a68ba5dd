// Elementwise composite functions: their templates, instantiated for every dtype.
#include <sinter/error.hpp>
#include <sinter/op/composite.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/recipe.hpp>

#include <algorithm>

namespace sinter::spoken {
namespace {

enum class takes_complex : bool { no, yes };

/// f of the first argument, of any rank.
template <takes_complex Complex, class F>
node_ref of_one(const call& c, F f) {
    const node_ref x = c.array(0);
    const recipe r = sinter::detail::with_dtype(x->type, [&]<dtype D>() -> recipe {
        if constexpr (is_complex(D) && Complex == takes_complex::no) {
            throw error(c.name() + ": takes no complex operands; real(z), imag(z), abs(z) and arg(z) are real");
        } else {
            const auto stand_in = collapsed_stand_in<D>(*x, 0);
            return recipe_of(f(stand_in), stand_in);
        }
    });
    return cook(r, {{x}, true, 0});
}

template <takes_complex Complex = takes_complex::no, class F>
void add(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(1, 1, {}, (std::string(name) + "(x)").c_str());
        return of_one<Complex>(c, f);
    });
}

/// Registers a function of an array and a number with a default.
template <class F>
void add_with_number(function_table& all, const char* name, const char* usage, double otherwise, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(1, 2, {}, usage);
        return of_one<takes_complex::no>(c, [&](const auto& x) { return f(x, c.real(1, otherwise)); });
    });
}

node_ref isclose_of(const call& c) {
    c.takes(2, 5, {}, "isclose(x, y, rtol, atol, equal_nan)");
    const argument y = c.value(1);
    const double rtol = c.real(2, 1e-5), atol = c.real(3, 1e-8);
    const bool equal_nan = c.integer(4, 0) != 0;
    if (const number* n = std::get_if<number>(&y))
        return of_one<takes_complex::no>(
            c, [&](const auto& x) { return isclose(x, n->as_double(), rtol, atol, equal_nan); });
    const node_ref a = c.array(0), b = c.array(1);
    const recipe r = sinter::detail::with_dtype(promote(a->type, b->type), [&]<dtype D>() -> recipe {
        if constexpr (is_complex(D)) {
            throw error("isclose: takes no complex operands; compare real(z) and imag(z)");
        } else {
            const auto first = collapsed_stand_in<D>(*a, 0);
            const array<element_t<D>, 2> second(imagined(D, 2, {1, first.size()}, 1));
            return recipe_of(isclose(first, second, rtol, atol, equal_nan), first, second);
        }
    });
    return cook(r, {{a, b}, true, 0});
}

constexpr auto yes = takes_complex::yes;

void add_activations(function_table& all) {
    add(all, "relu", [](const auto& x) { return relu(x); });
    add_with_number(all, "leaky_relu", "leaky_relu(x, slope)", 0.01,
                    [](const auto& x, double slope) { return leaky_relu(x, slope); });
    add_with_number(all, "elu", "elu(x, alpha)", 1, [](const auto& x, double alpha) { return elu(x, alpha); });
    add(all, "selu", [](const auto& x) { return selu(x); });
    add(all, "gelu", [](const auto& x) { return gelu(x); });
    add<yes>(all, "sigmoid", [](const auto& x) { return sigmoid(x); });
    add<yes>(all, "silu", [](const auto& x) { return silu(x); });
    add(all, "softplus", [](const auto& x) { return softplus(x); });
    add(all, "mish", [](const auto& x) { return mish(x); });
    add(all, "hardswish", [](const auto& x) { return hardswish(x); });
}

void add_numeric(function_table& all) {
    add<yes>(all, "deg2rad", [](const auto& x) { return deg2rad(x); });
    add<yes>(all, "rad2deg", [](const auto& x) { return rad2deg(x); });
    add(all, "sinc", [](const auto& x) { return sinc(x); });
    all.emplace("round", [](const call& c) {
        c.takes(1, 2, {}, "round(x) or round(x, decimals)");
        if (c.count() == 1) return of_one<takes_complex::no>(c, [](const auto& x) { return round(x); });
        const auto decimals = static_cast<int>(std::clamp<std::int64_t>(c.integer(1), -1000, 1000));  // enough
        return of_one<takes_complex::no>(c, [&](const auto& x) { return round(x, decimals); });
    });
    all.emplace("isclose", isclose_of);
    all.emplace("nan_to_num", [](const call& c) {
        c.takes(1, 4, {}, "nan_to_num(x, nan, posinf, neginf)");
        const double nan = c.real(1, 0);
        if (c.count() < 3) return of_one<yes>(c, [&](const auto& x) { return nan_to_num(x, nan); });
        if (c.count() == 3) return of_one<yes>(c, [&](const auto& x) { return nan_to_num(x, nan, c.real(2, 0)); });
        return of_one<yes>(c, [&](const auto& x) { return nan_to_num(x, nan, c.real(2, 0), c.real(3, 0)); });
    });
}

void add_parts_of_complex(function_table& all) {
    add<yes>(all, "real", [](const auto& x) { return real(x); });
    add<yes>(all, "imag", [](const auto& x) { return imag(x); });
    add<yes>(all, "conj", [](const auto& x) { return conj(x); });
    all.emplace("complex", [](const call& c) {
        c.takes(2, 2, {}, "complex(re, im)");
        const argument re = c.value(0), im = c.value(1);
        for (const argument* part : {&re, &im})
            if (const node_ref* x = std::get_if<node_ref>(part); x && is_complex((*x)->type))
                throw error("complex: takes real parts: complex(re, im)");
        return applied(op::complex::row, {re, im});
    });
    add<yes>(all, "abs", [](const auto& x) { return abs(x); });
    add<yes>(all, "arg", [](const auto& x) { return arg(x); });
    add<yes>(all, "abs2", [](const auto& x) { return abs2(x); });
}

void add_conversions(function_table& all) {
    all.emplace("bit_cast", [](const call& c) {
        c.takes(1, 1, {}, "bit_cast<int>(x)");
        const node_ref x = c.array(0);
        const dtype to = c.type(x->type);
        if (size_of(x->type) != size_of(to)) throw error("bit_cast: converts between types of the same size");
        if (is_floating(x->type) == is_floating(to)) return in_dtype(x, to);
        if (is_floating(x->type)) return in_dtype(applied(op::to_bits::row, {x}), to);
        return applied(op::of_bits::row, {in_dtype(x, detail::integer_of(size_of(x->type), true))});
    });
    all.emplace("astype", [](const call& c) {
        c.takes(1, 1, {}, "astype<float>(x)");
        const node_ref x = c.array(0);
        const dtype to = c.type(x->type);
        return x->type == to && !is_storage_only(to) ? x : cast(x, to);
    });
}

}  // namespace

void add_elementwise_composites(function_table& all) {
    add_activations(all);
    add_numeric(all);
    add_parts_of_complex(all);
    add_conversions(all);
}

}  // namespace sinter::spoken
