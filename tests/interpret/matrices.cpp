// Matrix multiply-accumulate by whole warps, the loads of its fragments, and asynchronous copies to shared memory.
#include <tests/interpret/engine.hpp>
#include <tests/interpret/fragments.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sinter::interpret {

void engine::require_warp(lane_mask m) {
    if (m != all_lanes)
        fail(fmt::format("what the whole warp does is reached without lane {}", first_lane(~m)), first_lane(m));
}

// A device sums the products of one instruction more precisely than float32, and its rounding or truncation is
// unspecified. Here the sum of 16 products is rounded once.
void engine::multiply_accumulate(const step& s, lane_mask m) {
    require_warp(m);
    const matrix a = gathered(at(s.value), value(s.value, m), side::left);
    const matrix b = gathered(at(s.limit), value(s.limit, m), side::right);
    matrix sum = gathered(at(s.target), value(s.target, m), side::left);
    for (std::size_t i = 0; i < fragment_rows; ++i)
        for (std::size_t j = 0; j < fragment_rows; ++j) {
            double all = static_cast<double>(sum[i][j]);
            for (std::size_t k = 0; k < fragment_rows; ++k)
                all += static_cast<double>(a[i][k]) * static_cast<double>(b[j][k]);
            sum[i][j] = static_cast<float>(all);
        }
    std::array<float, fragment_elements * warp_lanes> lanes;
    for (int e = 0; e < fragment_elements; ++e)
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const auto [row, column] = position(lane, e, side::left);
            lanes[static_cast<std::size_t>(e * warp_lanes + lane)] = sum[row][column];
        }
    store(s.target, reinterpret_cast<const char*>(lanes.data()), m);
}

// Four matrices of 8 x 8, whose rows 8 lanes each name; register r, elements 2r and 2r + 1, has the r-th.
void engine::load_matrix(const step& s, lane_mask m) {
    require_warp(m);
    const node& row = at(s.value);
    element_indices first;
    element_index(row, m, first);
    touch_shared(row, first, m, false);
    const char* const all = now_->block->shared.data() + array_at(row.of).shared_bytes;
    std::vector<char> lanes(row.size * fragment_elements * warp_lanes);
    for (int e = 0; e < fragment_elements; ++e)
        for (int lane = 0; lane < warp_lanes; ++lane) {
            int in = lane / 4, along = lane % 4 * 2 + e % 2;
            if (s.from->transposed) std::swap(in, along);
            const int of = first[static_cast<std::size_t>(e / 2 * 8 + in)] + along;
            std::memcpy(lanes.data() + row.size * static_cast<std::size_t>(e * warp_lanes + lane),
                        all + row.size * static_cast<std::size_t>(of), row.size);
        }
    store(s.target, lanes.data(), m);
}

// The bytes are read at once and become visible after the wait; until then the destination may not be accessed.
void engine::async_copy(const step& s, lane_mask m) {
    const node& to = at(s.target);
    const lane_mask there = truths(s.limit, m);
    element_indices element;
    element_index(to, m, element);
    touch_shared(to, element, m, true);
    const char* const from = there != 0 ? value(s.value, there) : nullptr;
    const array_code& a = array_at(to.of);
    for_lanes(m, [&](int lane) {
        pending_copy copy{&to, element[static_cast<std::size_t>(lane)], lane,
                          std::vector<char>(to.size * static_cast<std::size_t>(to.count))};
        for (int e = 0; e < to.count && (there >> lane & 1u) != 0; ++e)
            std::memcpy(copy.bytes.data() + to.size * static_cast<std::size_t>(e),
                        from + to.size * static_cast<std::size_t>(e * warp_lanes + lane), to.size);
        const std::size_t unit = a.shared_units + static_cast<std::size_t>(copy.element);
        std::fill_n(now_->block->copying.begin() + static_cast<std::ptrdiff_t>(unit), to.count, 1);
        now_->copies.back().push_back(std::move(copy));
    });
}

void engine::commit_copies(lane_mask m) {
    if (m != now_->lanes) require_warp(m);
    now_->copies.emplace_back();
}

void engine::wait_copies(const step& s, lane_mask m) {
    if (m != now_->lanes) require_warp(m);
    while (static_cast<int>(now_->copies.size()) - 1 > s.count) {
        for (const pending_copy& copy : now_->copies.front()) {
            const array_code& a = array_at(copy.to->of);
            const std::size_t unit = a.shared_units + static_cast<std::size_t>(copy.element);
            std::fill_n(now_->block->copying.begin() + static_cast<std::ptrdiff_t>(unit), copy.to->count, 0);
            element_indices element{};
            element[static_cast<std::size_t>(copy.lane)] = copy.element;
            touch_shared(*copy.to, element, 1u << copy.lane, true);
            std::memcpy(
                now_->block->shared.data() + a.shared_bytes + copy.to->size * static_cast<std::size_t>(copy.element),
                copy.bytes.data(), copy.bytes.size());
        }
        now_->copies.pop_front();
    }
}

}  // namespace sinter::interpret
