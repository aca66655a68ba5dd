// Scatters and counts: their templates, instantiated for every rank.
#include <sinter/error.hpp>
#include <sinter/histogram.hpp>
#include <sinter/scatter.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/recipe.hpp>

#include <fmt/format.h>

namespace sinter::spoken {
namespace {

node_ref integers_only(const call& c, std::size_t i) {
    const node_ref n = c.array(i);
    if (!is_integer(n->type) || n->rank != 1)
        throw problem(c.written(i).at, c.name() + " takes integers along one axis here: ravel(x), astype<int>(x)");
    return n;
}

/// put and scatter_add: f(x, indices, values, axis). The values are broadcast to the indexed shape.
template <class F>
node_ref at_places(const call& c, F f) {
    const std::string usage = c.name() + "(x, indices, values, axis=0)";
    c.takes(3, 3, {"axis"}, usage.c_str());
    const node_ref x = c.array(0), indices = in_dtype(integers_only(c, 1), dtype::int64);
    if (x->rank == 0 || x->rank == ir::max_rank) throw error(c.name() + ": takes operands of 1 to 7 axes");
    const int axis = x->rank == 1 && !c.has("axis") ? 0 : c.axis(x->rank);
    extents places = x->shape;
    places[static_cast<std::size_t>(axis)] = indices->shape[0];
    node_ref values = in_dtype(c.value(2), x->type);
    bool fits = values->rank <= x->rank;
    for (int a = 0; fits && a < values->rank; ++a) {
        const std::int64_t from = values->shape[static_cast<std::size_t>(a)];
        fits = from == 1 || from == places[static_cast<std::size_t>(x->rank - values->rank + a)];
    }
    if (!fits) detail::throw_bad_values(c.name().c_str(), values->shape.data(), values->rank, places.data(), x->rank);
    values = stretched(values, places, x->rank);

    recipe r;
    [&]<int... I>(std::integer_sequence<int, I...>) {
        const auto made = [&]<int R>(std::integral_constant<int, R>) {
            const auto target = exact_stand_in<R>(*x);
            const array<std::int64_t, 1> at(imagined(dtype::int64, 1, indices->shape, 1));
            const array<float, R> from(imagined(dtype::float32, R, places, 2));
            r = recipe_of(f(target, at, from, detail::runtime_axes<1>{{axis}}), target, at, from);
        };
        ((x->rank == I + 1 ? made(std::integral_constant<int, I + 1>()) : void()), ...);
    }(std::make_integer_sequence<int, ir::max_rank - 1>());
    cooking how{{x, indices, values}};
    how.of_its_type = true;
    return in_dtype(cook(r, how), x->type);
}

}  // namespace

void add_writing(function_table& all) {
    all.emplace("put", [](const call& c) {
        return at_places(c, [](const auto& x, const auto&... rest) { return put(x, rest...); });
    });
    all.emplace("scatter_add", [](const call& c) {
        return at_places(c, [](const auto& x, const auto&... rest) { return scatter_add(x, rest...); });
    });
    all.emplace("bincount", [](const call& c) {
        c.takes(2, 2, {}, "bincount(x, count)");
        const std::int64_t bins = c.integer(1);
        if (bins < 0) detail::throw_bad_count("bincount", bins);
        return called(detail::calls::bincount, {integers_only(c, 0)}, {bins});
    });
    all.emplace("histogram", [](const call& c) {
        c.takes(2, 2, {}, "histogram(x, edges)");
        const node_ref x = c.array(0), edges = c.array(1);
        if (x->rank != 1 || edges->rank != 1)
            throw error("histogram: takes elements and edges along one axis: ravel(x)");
        if (is_complex(x->type) || is_complex(edges->type)) throw error("histogram: takes real elements and edges");
        if (edges->shape[0] < 2) detail::throw_bad_edges(edges->shape[0]);
        const dtype type = detail::edges_dtype(x->type, edges->type);
        return called(detail::calls::histogram, {in_dtype(x, type), in_dtype(edges, type)}, {});
    });
}

}  // namespace sinter::spoken
