// View functions: their templates, instantiated for every rank.
#include <sinter/error.hpp>
#include <sinter/op/composite.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/recipe.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::spoken {
namespace {

/// Calls f with the operand's rank as a type; supports ranks Low to High.
template <int Low, int High, class F>
recipe on_rank(const call& c, const node_ref& x, F f) {
    recipe r;
    const bool found = [&]<int... I>(std::integer_sequence<int, I...>) {
        return ((x->rank == Low + I && (r = f(std::integral_constant<int, Low + I>()), true)) || ...);
    }(std::make_integer_sequence<int, High - Low + 1>());
    if (!found)
        throw error(fmt::format("{}: takes an operand of {} to {} axes, not of {}", c.name(), Low, High, x->rank));
    return r;
}

/// f(x) of the first argument.
template <int Low, int High, class F>
node_ref of_view(const call& c, F f, bool of_its_type = false) {
    const node_ref x = c.array(0);
    const recipe r = on_rank<Low, High>(c, x, [&]<int R>(std::integral_constant<int, R>) {
        const auto stand_in = exact_stand_in<R>(*x);
        return recipe_of(f(stand_in), stand_in);
    });
    cooking how{{x}};
    how.of_its_type = of_its_type;
    return cook(r, how);
}

template <int Low, int High, class F>
void add(function_table& all, const char* name, const char* usage, std::size_t arguments, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(arguments, arguments, {}, usage);
        return of_view<Low, High>(c, [&](const auto& x) { return f(c, x); });
    });
}
template <int Low, int High, class F>
void add_along(function_table& all, const char* name, const char* usage, std::size_t arguments, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(arguments, arguments, {"axis"}, usage);
        const detail::runtime_axes<1> along{{c.axis(c.array(0)->rank)}};
        return of_view<Low, High>(c, [&](const auto& x) { return f(c, x, along); });
    });
}

/// Converts a list of integers to an array with one element per operand axis.
template <class I, class X, class F>
auto with_list(const call& c, const X&, F f) {
    constexpr int rank = X::rank;
    const std::vector<std::int64_t> list = c.integers(1);
    if (list.size() != static_cast<std::size_t>(rank))
        throw error(fmt::format("{}: the list has {} numbers and the operand {} axes", c.name(), list.size(), rank));
    I fixed[rank];
    std::copy(list.begin(), list.end(), fixed);
    return f(fixed);
}

/// reshape and broadcast_to: f(x, shape<To>).
template <bool Grows, class F>
node_ref to_shape(const call& c, F f) {
    const node_ref x = c.array(0);
    const std::vector<std::int64_t> to = c.integers(1);
    node target;
    target.rank = static_cast<int>(to.size());
    const recipe r = on_rank<0, 8>(c, x, [&]<int From>(std::integral_constant<int, From>) {
        const auto stand_in = exact_stand_in<From>(*x);
        return on_rank < Grows ? From : 0,
               8 > (c, std::make_shared<const node>(target), [&]<int To>(std::integral_constant<int, To>) {
                   shape<To> wanted;
                   std::copy(to.begin(), to.end(), wanted.extent);
                   return recipe_of(f(stand_in, wanted), stand_in);
               });
    });
    return cook(r, {{x}});
}

node_ref take_of(const call& c) {
    c.takes(2, 2, {"axis"}, "take(x, indices, axis=0)");
    const node_ref x = c.array(0), i = c.array(1);
    if (!is_integer(i->type)) throw error("take: needs indices of an integer dtype: write astype<int>(...)");
    const detail::runtime_axes<1> along{{x->rank == 1 && !c.has("axis") ? 0 : c.axis(x->rank)}};
    const recipe r = on_rank<1, 8>(c, x, [&]<int R>(std::integral_constant<int, R>) {
        const auto from = exact_stand_in<R>(*x);
        return on_rank < 0,
               R == 8 ? 1 : 3 > (c, i, [&]<int Q>(std::integral_constant<int, Q>) -> recipe {
                                if constexpr (R - 1 + Q > max_rank) {
                                    throw error("take: the result has more than 8 axes");
                                } else {
                                    const array<std::int64_t, Q> indices(imagined(dtype::int64, Q, i->shape, 1));
                                    return recipe_of(take(from, indices, along), from, indices);
                                }
                            });
    });
    return cook(r, {{x, i}});
}

template <class F>
node_ref joined(const call& c, bool adds_axis, F f) {
    c.takes(2, 3, {"axis"}, (c.name() + "(axis=0, x, y) or of three").c_str());
    std::vector<node_ref> in;
    for (std::size_t i = 0; i < c.count(); ++i) in.push_back(c.array(i));
    for (const node_ref& n : in)
        if (n->rank != in[0]->rank) throw error(c.name() + ": takes operands of equal rank");
    const detail::runtime_axes<1> along{{c.axis(in[0]->rank + (adds_axis ? 1 : 0))}};
    const recipe r = on_rank<1, 7>(c, in[0], [&]<int R>(std::integral_constant<int, R>) -> recipe {
        const auto of = [&](std::size_t k) { return array<float, R>(imagined(dtype::float32, R, in[k]->shape, k)); };
        const auto x = of(0), y = of(1);
        if (in.size() == 2) return recipe_of(f(along, x, y), x, y);
        const auto z = of(2);
        return recipe_of(f(along, x, y, z), x, y, z);
    });
    return cook(r, {in});
}

node_ref padded(const call& c) {
    c.takes(2, 3, {}, "pad(x, {{1, 1}, {0, 2}}, value)");
    const auto widths = c.pairs(1);
    return of_view<1, 5>(
        c,
        [&](const auto& x) {
            constexpr int rank = std::remove_cvref_t<decltype(x)>::rank;
            if (widths.size() != static_cast<std::size_t>(rank))
                throw error(fmt::format("pad: {} pairs for {} axes", widths.size(), rank));
            detail::any_integer fixed[rank][2];
            for (int a = 0; a < rank; ++a) {
                fixed[a][0] = widths[static_cast<std::size_t>(a)].first;
                fixed[a][1] = widths[static_cast<std::size_t>(a)].second;
            }
            return pad(x, fixed, static_cast<float>(c.real(2, 0)));
        },
        true);
}

node_ref shuffled(const call& c) {
    c.takes(2, 2, {"axis"}, "shuffle(random_key(1), x, axis=0)");
    const random_key key = read_key(c.written(0));
    const node_ref x = c.array(1);
    const detail::runtime_axes<1> along{{c.has("axis") ? c.axis(x->rank) : 0}};
    const recipe r = on_rank<1, 8>(c, x, [&]<int R>(std::integral_constant<int, R>) {
        const auto stand_in = exact_stand_in<R>(*x);
        return recipe_of(shuffle(key, stand_in, along), stand_in);
    });
    return cook(r, {{x}});
}

/// argmax, argmin: along one axis or over all.
template <class F>
void add_search(function_table& all, const char* name, F f) {
    all.emplace(name, [=](const call& c) {
        c.takes(1, 1, {"axis", "keepdims"}, (std::string(name) + "(x, axis=1, keepdims)").c_str());
        const bool one = c.has("axis");
        const detail::runtime_axes<1> along{{one ? c.axis(c.array(0)->rank) : 0}};
        const node_ref x = c.array(0);
        const recipe r = on_rank<0, 8>(c, x, [&]<int R>(std::integral_constant<int, R>) -> recipe {
            const auto s = exact_stand_in<R>(*x);
            if constexpr (R > 0)
                if (one) return c.has("keepdims") ? recipe_of(f(s, along, keepdims), s) : recipe_of(f(s, along), s);
            return c.has("keepdims") ? recipe_of(f(s, keepdims), s) : recipe_of(f(s), s);
        });
        return cook(r, {{x}});
    });
}

void add_moved_axes(function_table& all) {
    add<1, 8>(all, "permute_dims", "permute_dims(x, {2, 0, 1})", 2, [](const call& c, const auto& x) {
        return with_list<std::int64_t>(c, x, [&](const auto& axes) { return permute_dims(x, axes); });
    });
    add<2, 8>(all, "matrix_transpose", "matrix_transpose(x)", 1,
              [](const call&, const auto& x) { return matrix_transpose(x); });
    add<1, 8>(all, "swapaxes", "swapaxes(x, 0, 1)", 3,
              [](const call& c, const auto& x) { return swapaxes(x, c.integer(1), c.integer(2)); });
    add<1, 8>(all, "moveaxis", "moveaxis(x, 0, -1)", 3,
              [](const call& c, const auto& x) { return moveaxis(x, c.integer(1), c.integer(2)); });
    add_along<1, 8>(all, "squeeze", "squeeze(x, axis=0)", 1,
                    [](const call&, const auto& x, const auto& along) { return squeeze(x, along); });
    all.emplace("expand_dims", [](const call& c) {
        c.takes(1, 1, {"axis"}, "expand_dims(x, axis=0)");
        const detail::runtime_axes<1> along{{c.axis(c.array(0)->rank + 1)}};
        return of_view<0, 7>(c, [&](const auto& x) { return expand_dims(x, along); });
    });
}

}  // namespace

void add_views(function_table& all) {
    add<0, 8>(all, "transpose", "transpose(x)", 1, [](const call&, const auto& x) { return transpose(x); });
    add<0, 8>(all, "ravel", "ravel(x)", 1, [](const call&, const auto& x) { return ravel(x); });
    add<1, 8>(all, "permute", "permute(x, {2, 0, 1})", 2, [](const call& c, const auto& x) {
        return with_list<std::int64_t>(c, x, [&](const auto& axes) { return permute(x, axes); });
    });
    add<1, 4>(all, "tile", "tile(x, {2, 3})", 2, [](const call& c, const auto& x) {
        return with_list<detail::any_integer>(c, x, [&](const auto& counts) { return tile(x, counts); });
    });
    add_along<1, 8>(all, "flip", "flip(x, axis=0)", 1,
                    [](const call&, const auto& x, const auto& along) { return flip(x, along); });
    add_along<1, 7>(all, "repeat", "repeat(x, count, axis=0)", 2,
                    [](const call& c, const auto& x, const auto& along) { return repeat(x, c.integer(1), along); });
    add_along<1, 8>(all, "roll", "roll(x, shift, axis=0)", 2,
                    [](const call& c, const auto& x, const auto& along) { return roll(x, c.integer(1), along); });
    all.emplace("reshape", [](const call& c) {
        c.takes(2, 2, {}, "reshape(x, {n, m})");
        return to_shape<false>(c, [](const auto& x, const auto& to) { return reshape(x, to); });
    });
    all.emplace("broadcast_to", [](const call& c) {
        c.takes(2, 2, {}, "broadcast_to(x, {n, m})");
        return to_shape<true>(c, [](const auto& x, const auto& to) { return broadcast_to(x, to); });
    });
    const auto add_diagonal = [&](const char* name, auto f) {
        all.emplace(name, [=](const call& c) {
            c.takes(1, 2, {}, (std::string(name) + "(x, offset)").c_str());
            return of_view<2, 8>(
                c, [&](const auto& x) { return f(x, c.integer(1, 0)); }, true);
        });
    };
    add_diagonal("diagonal", [](const auto& x, std::int64_t offset) { return diagonal(x, offset); });
    add_diagonal("trace", [](const auto& x, std::int64_t offset) { return trace(x, offset); });
    add_diagonal("tril", [](const auto& x, std::int64_t offset) { return tril(x, offset); });
    add_moved_axes(all);
    add_diagonal("triu", [](const auto& x, std::int64_t offset) { return triu(x, offset); });
    all.emplace("take", take_of);
    all.emplace("pad", padded);
    all.emplace("concat", [](const call& c) {
        return joined(c, false, [](const auto& along, const auto&... x) { return concat(along, x...); });
    });
    all.emplace("stack", [](const call& c) {
        return joined(c, true, [](const auto& along, const auto&... x) { return stack(along, x...); });
    });
    all.emplace("shuffle", shuffled);
    add_search(all, "argmax", [](const auto& x, const auto&... o) { return argmax(x, o...); });
    add_search(all, "argmin", [](const auto& x, const auto&... o) { return argmin(x, o...); });
}

}  // namespace sinter::spoken
