// Asynchronous products of warpgroups. Each warp computes the sums of its 16 rows when they begin; what they read of
// shared memory may not be written before they are waited for.
#include <tests/interpret/engine.hpp>
#include <tests/interpret/fragments.hpp>

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace sinter::interpret {

using device_ir::swizzled_elements;
using device_ir::warpgroup_rows;

void engine::fence_shared(lane_mask) {
    for (const std::size_t unit : std::exchange(now_->unfenced, {}))
        if (int& by = now_->block->unfenced[unit]; by == now_->number + 1) by = 0;
}

/// The 16 elements from this one on, which products now read.
const char* engine::multiplied_elements(const node& n, std::size_t first) {
    const array_code& a = array_at(n.of);
    block_state& b = *now_->block;
    element_indices at{};
    at[0] = static_cast<int>(first);
    node run = n;
    run.count = fragment_rows;
    touch_shared(run, at, 1, false);
    const std::size_t unit = a.shared_units + first;
    for (std::size_t u = unit; u < unit + fragment_rows; ++u) {
        if (b.unfenced[u] != 0)
            fail(fmt::format("a product reads element {} of {} in shared memory, which warp {} wrote with no fence "
                             "since",
                             u - a.shared_units, a.name, b.unfenced[u] - 1),
                 0);
        ++b.multiplying[u];
        now_->multiplying.back().push_back(u);
    }
    return b.shared.data() + a.shared_bytes + a.size * first;
}

/// Rows (columns) `from` to `from + count` of a factor, 16 steps of each. The first element lies at the beginning of a
/// line's pattern.
std::vector<float> engine::factor_in_shared(const node& first, bool transposed, int from, int count, lane_mask m) {
    const array_code& a = array_at(first.of);
    element_indices all;
    element_index(first, m, all);
    for (int lane = 1; lane < warp_lanes; ++lane)
        if (all[static_cast<std::size_t>(lane)] != all[0]) fail("lanes name different factors of a warpgroup", lane);
    const int lines = a.extents[a.extents.size() - 2], panels = a.extents[a.extents.size() - 3];
    const int begin = all[0] % swizzled_elements, line = all[0] / swizzled_elements % lines;
    const int panel = all[0] / swizzled_elements / lines, end = (panel / panels + 1) * panels;
    if (line % 8 != 0 || begin % fragment_rows != 0)
        fail(fmt::format("a product's factor begins at element {} of line {} of {}", begin, line, a.name), 0);
    std::vector<float> numbers(static_cast<std::size_t>(count * fragment_rows));
    const int rows = transposed ? fragment_rows : count, runs = transposed ? count / fragment_rows : 1;
    for (int row = 0; row < rows; ++row)
        for (int run = 0; run < runs; ++run) {
            const int l = line + (transposed ? row : from + row);
            const int along = begin + (transposed ? from + run * fragment_rows : 0);
            const int p = panel + along / swizzled_elements;
            if (l >= lines || p >= end) fail(fmt::format("a product reads past the end of {}", a.name), 0);
            const char* const bytes = multiplied_elements(
                first, static_cast<std::size_t>((p * lines + l) * swizzled_elements + along % swizzled_elements));
            for (int e = 0; e < fragment_rows; ++e) {
                const int i = transposed ? run * fragment_rows + e : row, step = transposed ? row : e;
                numbers[static_cast<std::size_t>(i * fragment_rows + step)] =
                    number(first.type, bytes + a.size * static_cast<std::size_t>(e));
            }
        }
    return numbers;
}

void engine::multiply_warpgroup(const step& s, lane_mask m) {
    require_warp(m);
    const device_ir::statement& of = *s.from;
    const int columns = of.count * fragment_rows;
    const std::vector<float> right = factor_in_shared(at(s.limit), of.transposed, 0, columns, m);
    std::vector<float> left;
    if (at(s.value).kind == node_kind::registers) {
        for (const auto& row : gathered(at(s.value), value(s.value, m), side::left))
            left.insert(left.end(), row.begin(), row.end());
    } else {
        const int first = now_->number % (warpgroup_rows / fragment_rows) * fragment_rows;
        left = factor_in_shared(at(s.value), of.transposed_left, first, fragment_rows, m);
    }
    const bool adds = s.advance < 0 || truths(s.advance, m) != 0;
    const array_code& a = array_at(at(s.target).of);
    element_indices first;
    element_index(at(s.target), m, first);
    for (int e = 0; e < of.count * fragment_elements; ++e) {
        const auto element = static_cast<std::size_t>(first[0] + e);
        lane_mask& has = now_->has_value[a.registers.flags + element];
        if (adds && has != all_lanes)
            fail(fmt::format("adds to element {} of {}, which has no value", element, a.name));
        has = all_lanes;
        char* const lanes = now_->memory.data() + a.registers.bytes + sizeof(float) * warp_lanes * element;
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const auto [row, beside] = position(lane, e % fragment_elements, side::left);
            const std::size_t column = static_cast<std::size_t>(e / fragment_elements * fragment_rows) + beside;
            double sum = adds ? static_cast<double>(number(dtype::float32, lanes + sizeof(float) * lane)) : 0;
            for (std::size_t k = 0; k < fragment_rows; ++k)
                sum += static_cast<double>(left[row * fragment_rows + k]) *
                       static_cast<double>(right[column * fragment_rows + k]);
            const auto rounded = static_cast<float>(sum);
            std::memcpy(lanes + sizeof(float) * static_cast<std::size_t>(lane), &rounded, sizeof rounded);
        }
    }
}

void engine::commit_products(lane_mask m) {
    require_warp(m);
    now_->multiplying.emplace_back();
}

void engine::wait_products(const step& s, lane_mask m) {
    require_warp(m);
    while (static_cast<int>(now_->multiplying.size()) - 1 > s.count) {
        for (const std::size_t unit : now_->multiplying.front()) --now_->block->multiplying[unit];
        now_->multiplying.pop_front();
    }
}

}  // namespace sinter::interpret
