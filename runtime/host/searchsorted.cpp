// A binary search for each value, on all cores.
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
        parallel_loop(call.operands[1].elements(), grain, [&](std::int64_t i, std::int64_t end) {
            for (; i < end; ++i)
                places[i] = (call.integers[0] != 0 ? std::upper_bound(first, first + length, values[i], before)
                                                   : std::lower_bound(first, first + length, values[i], before)) -
                            first;
        });
    });
}

}  // namespace sinter::codegen
