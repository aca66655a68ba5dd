// Fragments of matrices as numbers.
#pragma once

#include <tests/interpret/code.hpp>

#include <sinter/number/storage_floats.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace sinter::interpret {

using device_ir::fragment_elements;
using device_ir::fragment_rows;

using matrix = std::array<std::array<float, fragment_rows>, fragment_rows>;

enum class side { left, right };

/// The row and column of element e of a lane in its warp's fragment; sums are laid out as left factors.
inline std::pair<std::size_t, std::size_t> position(int lane, int e, side of) {
    const int below = of == side::left ? e / 2 % 2 : e / 4, beside = of == side::left ? e / 4 : e / 2 % 2;
    return {static_cast<std::size_t>(lane / 4 + 8 * below),
            static_cast<std::size_t>(lane % 4 * 2 + e % 2 + 8 * beside)};
}

inline float number(dtype type, const char* from) {
    if (type == dtype::float32) {
        float x = 0;
        std::memcpy(&x, from, sizeof x);
        return x;
    }
    if (is_float8(type)) {
        const auto bits = static_cast<unsigned char>(*from);
        return type == dtype::float8_e4m3 ? detail::float8_e4m3_value(bits) : detail::float8_e5m2_value(bits);
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    return type == dtype::float16 ? static_cast<float>(std::bit_cast<float16>(bits))
                                  : static_cast<float>(std::bit_cast<bfloat16>(bits));
}

inline matrix gathered(const node& fragment, const char* lanes, side of) {
    matrix all{};
    for (int e = 0; e < fragment_elements; ++e)
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const auto [row, column] = position(lane, e, of);
            all[row][column] =
                number(fragment.type, lanes + fragment.size * static_cast<std::size_t>(e * warp_lanes + lane));
        }
    return all;
}

}  // namespace sinter::interpret
