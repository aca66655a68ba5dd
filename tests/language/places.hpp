// The reference for writes at indices along an axis: a loop over the indices, in order.
#pragma once

#include <tests/language/naive.hpp>

namespace sinter::test {

/// The plain loop over the indices, in order: write(element, value) for each value.
template <class F>
naive scattered(naive x, const std::vector<std::int64_t>& places, std::size_t axis, const naive& values, F write) {
    index shape = x.shape;
    shape[axis] = static_cast<std::int64_t>(places.size());
    for_each_index(shape, [&](const index& at) {
        index to = at;
        to[axis] = places[static_cast<std::size_t>(at[axis])];
        if (to[axis] < 0) to[axis] += x.shape[axis];
        if (to[axis] >= 0 && to[axis] < x.shape[axis]) write(x[to], values.broadcast(at));
    });
    return x;
}
inline naive with_put(const naive& x, const std::vector<std::int64_t>& places, std::size_t axis, const naive& values) {
    return scattered(x, places, axis, values, [](double& to, double v) { to = v; });
}
inline naive with_added(const naive& x, const std::vector<std::int64_t>& places, std::size_t axis,
                        const naive& values) {
    return scattered(x, places, axis, values, [](double& to, double v) { to += v; });
}

/// Indices of an axis, some from its end and some beyond it, with repetitions.
inline std::vector<std::int64_t> random_places(std::int64_t extent, std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<std::int64_t> draw(-extent - 2, extent + 1);
    std::vector<std::int64_t> places(count);
    for (std::int64_t& p : places) p = draw(engine);
    return places;
}
template <class I>
array<I, 1> to_indices(const std::vector<std::int64_t>& places) {
    const std::vector<I> narrow(places.begin(), places.end());
    return from_host(std::span(narrow), {static_cast<std::int64_t>(narrow.size())});
}

}  // namespace sinter::test
