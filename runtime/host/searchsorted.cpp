// A binary search for each value, on all cores, and interpolation by it.
#include <runtime/host/searchsorted.hpp>

#include <runtime/host/sort_order.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>

namespace sinter::codegen {

void search_on_host(const call_site& call, const void* const* operands, void* const* results) {
    constexpr std::int64_t grain = 1 << 12;
    const sort_order order = order_of(call.operands[0].type, false);
    const std::int64_t length = call.operands[0].elements();
    auto* const places = static_cast<std::int64_t*>(results[0]);
    ordered::for_order(order, [&]<class W, int Parts>() {
        using T = ordered::element<W, Parts>;
        const ordered::comparison<W, Parts> before(order);
        const T* const first = static_cast<const T*>(operands[0]);
        const T* const values = static_cast<const T*>(operands[1]);
        cancellable_loop(call.operands[1].elements(), grain, [&](std::int64_t i, std::int64_t end) {
            for (; i < end; ++i)
                places[i] = (call.integers[0] != 0 ? std::upper_bound(first, first + length, values[i], before)
                                                   : std::lower_bound(first, first + length, values[i], before)) -
                            first;
        });
    });
}

namespace {

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
            if (x <= known_x[0]) {
                made[i] = known_y[0];
            } else if (x >= known_x[last]) {
                made[i] = known_y[last];
            } else {  // also NaN
                const T* const above = std::upper_bound(known_x + 1, known_x + last + 1, x);
                const std::int64_t next = std::min(above - known_x, last), from = std::max<std::int64_t>(next - 1, 0);
                const T slope = (known_y[next] - known_y[from]) / (known_x[next] - known_x[from]);
                made[i] = known_y[from] + (x - known_x[from]) * slope;
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
