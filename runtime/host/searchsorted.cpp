// A binary search for each value, on all cores, and interpolation by it. Values are searched for several at a time,
// step by step: without branches, which random values would mispredict, and with reads for all of them under way.
#include <runtime/host/searchsorted.hpp>

#include <runtime/host/pooled.hpp>
#include <runtime/host/sort_order.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <tuple>

namespace sinter::codegen {

namespace {

/// places[j] = how many of the sorted keys precede wanted[j]: the first ones, for which is_before(key, wanted[j]).
template <std::size_t Values, class W, class Before>
void count_before(const W* keys, std::int64_t length, const W* wanted, std::int64_t* places, const Before& is_before) {
    const W* from[Values];
    for (std::size_t j = 0; j < Values; ++j) from[j] = keys;
    for (std::int64_t left = length; left > 1;) {
        const std::int64_t half = left / 2;
        for (std::size_t j = 0; j < Values; ++j)
            from[j] += half & -static_cast<std::int64_t>(is_before(from[j][half - 1], wanted[j]));
        left -= half;
    }
    for (std::size_t j = 0; j < Values; ++j)
        places[j] = from[j] - keys + (length > 0 && is_before(*from[j], wanted[j]));
}

/// Searches by the keys of elements that have one.
template <class W, class Key>
void search_keys(const call_site& call, const void* const* operands, std::int64_t* places, const Key& key) {
    constexpr std::int64_t grain = 1 << 12;
    constexpr std::size_t at_once = 16;
    const std::int64_t length = call.operands[0].elements();
    const W* const sorted = static_cast<const W*>(operands[0]);
    const W* const values = static_cast<const W*>(operands[1]);
    const pooled<W> keys(length);
    parallel_loop(length, grain, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) keys.get()[i] = key(sorted[i]);
    });
    const auto search = [&](const auto& is_before) {
        cancellable_loop(call.operands[1].elements(), grain, [&](std::int64_t i, std::int64_t end) {
            W wanted[at_once];
            for (; end - i >= static_cast<std::int64_t>(at_once); i += static_cast<std::int64_t>(at_once)) {
                for (std::size_t j = 0; j < at_once; ++j) wanted[j] = key(values[i + static_cast<std::int64_t>(j)]);
                count_before<at_once>(keys.get(), length, wanted, places + i, is_before);
            }
            for (; i < end; ++i) {
                wanted[0] = key(values[i]);
                count_before<1>(keys.get(), length, wanted, places + i, is_before);
            }
        });
    };
    if (call.integers[0] != 0)
        search([](W x, W y) { return x <= y; });
    else
        search([](W x, W y) { return x < y; });
}

/// Searches by comparing elements.
template <class W, int Parts>
void search_elements(const call_site& call, const sort_order& order, const void* const* operands,
                     std::int64_t* places) {
    constexpr std::int64_t grain = 1 << 12;
    using T = ordered::element<W, Parts>;
    const ordered::comparison<W, Parts> before(order);
    const T* const first = static_cast<const T*>(operands[0]);
    const T* const last = first + call.operands[0].elements();
    const T* const values = static_cast<const T*>(operands[1]);
    cancellable_loop(call.operands[1].elements(), grain, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i)
            places[i] = (call.integers[0] != 0 ? std::upper_bound(first, last, values[i], before)
                                               : std::lower_bound(first, last, values[i], before)) -
                        first;
    });
}

/// Elements of which the keys take as long as one such search.
constexpr std::int64_t elements_per_search = 128;

}  // namespace

void search_on_host(const call_site& call, const void* const* operands, void* const* results) {
    const sort_order order = order_of(call.operands[0].type, false);
    auto* const places = static_cast<std::int64_t*>(results[0]);
    // keys of all sorted elements would take longer than a search for few values among the elements themselves
    const bool are_few = call.operands[1].elements() * elements_per_search < call.operands[0].elements();
    ordered::for_order(order, [&]<class W, int Parts>() {
        if constexpr (Parts == 1)
            if (!are_few)
                return ordered::for_real_keys<W>(
                    order, [&](const auto& keys) { search_keys<W>(call, operands, places, std::get<0>(keys)); });
        search_elements<W, Parts>(call, order, operands, places);
    });
}

namespace {

template <class T>
struct known_point {
    T x, y;
};

/// On the line from the point `below` x to the next one. Where that is NaN because one of them is infinite: from the
/// next one, or the value that both have.
template <class T>
T interpolated(T x, known_point<T> below, known_point<T> next) {
    if (x == below.x) return below.y;
    const T slope = (next.y - below.y) / (next.x - below.x);
    const T y = below.y + (x - below.x) * slope;
    if (y == y || x != x) return y;
    return below.y == next.y ? below.y : next.y + (x - next.x) * slope;
}

template <class T>
void interpolate(const call_site& call, const void* const* operands, void* const* results) {
    constexpr std::int64_t grain = 1 << 12;
    const auto* const known_x = static_cast<const T*>(operands[0]);
    const auto* const known_y = static_cast<const T*>(operands[1]);
    const auto* const values = static_cast<const T*>(operands[2]);
    auto* const made = static_cast<T*>(results[0]);
    const std::int64_t last = call.operands[0].elements() - 1;
    cancellable_loop(call.operands[2].elements(), grain, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) {
            const T x = values[i];
            if (x < known_x[0]) {
                made[i] = known_y[0];
            } else if (x >= known_x[last]) {
                made[i] = known_y[last];
            } else {  // also NaN
                const T* const above = std::upper_bound(known_x + 1, known_x + last + 1, x);
                const std::int64_t next = std::min(above - known_x, last), from = std::max<std::int64_t>(next - 1, 0);
                made[i] = interpolated<T>(x, {known_x[from], known_y[from]}, {known_x[next], known_y[next]});
            }
        }
    });
}

}  // namespace

void interpolate_on_host(const call_site& call, const void* const* operands, void* const* results) {
    if (call.operands[2].type == dtype::float64)
        interpolate<double>(call, operands, results);
    else
        interpolate<float>(call, operands, results);
}

}  // namespace sinter::codegen
