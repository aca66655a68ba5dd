// Tiles of the mask are dealt to all cores, first to count their trues, then to store what they choose.
#include <runtime/host/compact.hpp>

#include <codegen/cuda/compact.hpp>
#include <codegen/functions/compact.hpp>
#include <codegen/ir/round.hpp>
#include <runtime/system/parallel.hpp>

#include <algorithm>
#include <cstddef>

namespace sinter::codegen {
namespace {

/// Calls f(tile, first, end) for each tile of the mask.
template <class F>
void for_each_tile(const call_array& mask, const F& f) {
    const std::int64_t count = elements_of_mask(mask);
    cancellable_loop(divide_up(count, compact_tile), 1, [&](std::int64_t tile, std::int64_t end) {
        for (; tile < end; ++tile) f(tile, tile * compact_tile, std::min(count, (tile + 1) * compact_tile));
    });
}

/// Calls f(is_true), where is_true(i) is element i of the mask.
template <class F>
void with_mask(const call_array& mask, const void* elements, const F& f) {
    if (mask.type == dtype::uint32)
        f([words = static_cast<const std::uint32_t*>(elements)](std::int64_t i) {
            return (words[i / 32] >> (i % 32) & 1u) != 0;
        });
    else
        f([bytes = static_cast<const std::uint8_t*>(elements)](std::int64_t i) { return bytes[i] != 0; });
}

/// Stores value_at(i) for each true element i. A tile's true elements are listed without branches, which random masks
/// would mispredict.
template <class T, class F>
void store_chosen(const call_site& call, const void* const* operands, void* result, const F& value_at) {
    const auto* const offsets = static_cast<const std::int64_t*>(operands[1]);
    with_mask(call.operands[0], operands[0], [&](const auto& is_true) {
        for_each_tile(call.operands[0], [&](std::int64_t tile, std::int64_t first, std::int64_t end) {
            T* const to = static_cast<T*>(result) + offsets[tile];
            std::int32_t trues[compact_tile];
            std::size_t count = 0;
            for (std::int64_t i = first; i < end; ++i) {
                trues[count] = static_cast<std::int32_t>(i - first);
                count += is_true(i);
            }
            for (std::size_t i = 0; i < count; ++i) to[i] = value_at(first + trues[i]);
        });
    });
}

template <std::size_t Bytes>
void store_elements(const call_site& call, const void* const* operands, void* result) {
    struct element {
        std::byte bytes[Bytes];
    };
    const auto* const values = static_cast<const element*>(operands[2]);
    store_chosen<element>(call, operands, result, [values](std::int64_t i) { return values[i]; });
}

}  // namespace

void mask_offsets_on_host(const call_site& call, const void* const* operands, void* const* results) {
    auto* const offsets = static_cast<std::int64_t*>(results[0]);
    with_mask(call.operands[0], operands[0], [&](const auto& is_true) {
        for_each_tile(call.operands[0], [&](std::int64_t tile, std::int64_t first, std::int64_t end) {
            std::int64_t trues = 0;
            for (std::int64_t i = first; i < end; ++i) trues += is_true(i);
            offsets[tile + 1] = trues;
        });
    });
    offsets[0] = 0;
    for (std::int64_t tile = 1; tile < call.results[0].shape[0]; ++tile) offsets[tile] += offsets[tile - 1];
}

void mask_positions_on_host(const call_site& call, const void* const* operands, void* const* results) {
    store_chosen<std::int64_t>(call, operands, results[0], [](std::int64_t i) { return i; });
}

void mask_elements_on_host(const call_site& call, const void* const* operands, void* const* results) {
    switch (size_of(call.operands[2].type)) {
        case 1: return store_elements<1>(call, operands, results[0]);
        case 2: return store_elements<2>(call, operands, results[0]);
        case 4: return store_elements<4>(call, operands, results[0]);
        case 8: return store_elements<8>(call, operands, results[0]);
        default: return store_elements<16>(call, operands, results[0]);
    }
}

}  // namespace sinter::codegen
