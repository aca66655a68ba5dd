// Tiles of the mask are dealt to all cores, first to count their trues, then to store what they choose.
#include <runtime/host/compact.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sinter::codegen {
namespace {

constexpr std::int64_t tile_elements = 8192;

/// Calls f(tile, first, end) for each tile of the mask.
template <class F>
void for_each_tile(const call_array& mask, const F& f) {
    const std::int64_t count = mask.elements();
    cancellable_loop(divide_up(count, tile_elements), 1, [&](std::int64_t tile, std::int64_t end) {
        for (; tile < end; ++tile) f(tile, tile * tile_elements, std::min(count, (tile + 1) * tile_elements));
    });
}

/// Stores value_at(i) for each true element i of the mask, and how many there are. A tile's true elements are listed
/// without branches, which random masks would mispredict.
template <class T, class F>
void store_chosen(const call_site& call, const void* mask, void* const* results, const F& value_at) {
    const auto* const is_true = static_cast<const std::uint8_t*>(mask);
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(divide_up(call.operands[0].elements(), tile_elements)) +
                                      1);
    for_each_tile(call.operands[0], [&](std::int64_t tile, std::int64_t first, std::int64_t end) {
        std::int64_t trues = 0;
        for (std::int64_t i = first; i < end; ++i) trues += is_true[i] != 0;
        offsets[static_cast<std::size_t>(tile) + 1] = trues;
    });
    for (std::size_t tile = 1; tile < offsets.size(); ++tile) offsets[tile] += offsets[tile - 1];
    if (results[1] != nullptr) *static_cast<std::int64_t*>(results[1]) = offsets.back();
    if (results[0] == nullptr) return;
    for_each_tile(call.operands[0], [&](std::int64_t tile, std::int64_t first, std::int64_t end) {
        T* const to = static_cast<T*>(results[0]) + offsets[static_cast<std::size_t>(tile)];
        std::int32_t trues[tile_elements];
        std::size_t count = 0;
        for (std::int64_t i = first; i < end; ++i) {
            trues[count] = static_cast<std::int32_t>(i - first);
            count += is_true[i] != 0;
        }
        for (std::size_t i = 0; i < count; ++i) to[i] = value_at(first + trues[i]);
    });
}

template <std::size_t Bytes>
void store_elements(const call_site& call, const void* const* operands, void* const* results) {
    struct element {
        std::byte bytes[Bytes];
    };
    const auto* const values = static_cast<const element*>(operands[1]);
    store_chosen<element>(call, operands[0], results, [values](std::int64_t i) { return values[i]; });
}

}  // namespace

void chosen_positions_on_host(const call_site& call, const void* const* operands, void* const* results) {
    store_chosen<std::int64_t>(call, operands[0], results, [](std::int64_t i) { return i; });
}

void chosen_elements_on_host(const call_site& call, const void* const* operands, void* const* results) {
    switch (size_of(call.operands[1].type)) {
        case 1: return store_elements<1>(call, operands, results);
        case 2: return store_elements<2>(call, operands, results);
        case 4: return store_elements<4>(call, operands, results);
        case 8: return store_elements<8>(call, operands, results);
        default: return store_elements<16>(call, operands, results);
    }
}

}  // namespace sinter::codegen
