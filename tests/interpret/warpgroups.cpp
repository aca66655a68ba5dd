// Asynchronous products of warpgroups. Each warp computes the sums of its 16 rows when they begin; what they read of
// shared memory may not be written before they are waited for.
#include <tests/interpret/engine.hpp>
#include <tests/interpret/fragments.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sinter::interpret {

using device_ir::steps_of_product;
using device_ir::swizzled_elements_of;
using device_ir::warpgroup_rows;

void engine::fence_shared(lane_mask) {
    for (const std::size_t unit : std::exchange(now_->unfenced, {}))
        if (int& by = now_->block->unfenced[unit]; by == now_->number + 1) by = 0;
}

/// 32 bytes of elements from this one on, which products now read.
const char* engine::multiplied_elements(const node& n, std::size_t first) {
    const array_code& a = array_at(n.of);
    const int count = steps_of_product(n.type);
    block_state& b = *now_->block;
    element_indices at{};
    at[0] = static_cast<int>(first);
    node run = n;
    run.count = count;
    touch_shared(run, at, 1, false);
    const std::size_t unit = a.shared_units + first;
    for (std::size_t u = unit; u < unit + static_cast<std::size_t>(count); ++u) {
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

/// Rows (columns) `from` to `from + count` of a factor, all steps of a product of each. The first element lies at the
/// beginning of a line's pattern.
std::vector<float> engine::factor_in_shared(const node& first, bool transposed, int from, int count, lane_mask m) {
    const array_code& a = array_at(first.of);
    element_indices all;
    element_index(first, m, all);
    for (int lane = 1; lane < warp_lanes; ++lane)
        if (all[static_cast<std::size_t>(lane)] != all[0]) fail("lanes name different factors of a warpgroup", lane);
    const int lines = a.extents[a.extents.size() - 2], panels = a.extents[a.extents.size() - 3];
    const int of_line = swizzled_elements_of(first.type), steps = steps_of_product(first.type);
    const int begin = all[0] % of_line, line = all[0] / of_line % lines;
    const int panel = all[0] / of_line / lines, end = (panel / panels + 1) * panels;
    if (line % 8 != 0 || begin % steps != 0)
        fail(fmt::format("a product's factor begins at element {} of line {} of {}", begin, line, a.name), 0);
    std::vector<float> numbers(static_cast<std::size_t>(count * steps));
    const int rows = transposed ? fragment_rows : count, runs = transposed ? count / fragment_rows : 1;
    for (int row = 0; row < rows; ++row)
        for (int run = 0; run < runs; ++run) {
            const int l = line + (transposed ? row : from + row);
            const int along = begin + (transposed ? from + run * fragment_rows : 0);
            const int p = panel + along / of_line;
            if (l >= lines || p >= end) fail(fmt::format("a product reads past the end of {}", a.name), 0);
            const char* const bytes =
                multiplied_elements(first, static_cast<std::size_t>((p * lines + l) * of_line + along % of_line));
            for (int e = 0; e < steps; ++e) {
                const int i = transposed ? run * fragment_rows + e : row, step = transposed ? row : e;
                numbers[static_cast<std::size_t>(i * steps + step)] =
                    number(first.type, bytes + a.size * static_cast<std::size_t>(e));
            }
        }
    return numbers;
}

namespace {

double sum_of_all(const std::vector<double>& summands) {
    double sum = 0;
    for (const double x : summands) sum += x;
    return sum;
}

/// As tensor cores of compute capability 9.0 add up products of float8 numbers: of each summand they keep the bits down
/// to 2^-13 of the largest one's first bit.
double sum_of_14_bits(const std::vector<double>& summands) {
    double most = 0, sum = 0;
    for (const double x : summands) most = std::max(most, std::abs(x));
    if (most == 0 || !std::isfinite(most)) return sum_of_all(summands);
    const double least = std::ldexp(1, std::ilogb(most) - 13);
    for (const double x : summands) sum += std::trunc(x / least) * least;
    return sum;
}

}  // namespace

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
    const auto steps = static_cast<std::size_t>(steps_of_product(at(s.limit).type));
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
            std::vector<double> summands;
            if (adds) summands.push_back(number(dtype::float32, lanes + sizeof(float) * lane));
            for (std::size_t k = 0; k < steps; ++k)
                summands.push_back(static_cast<double>(left[row * steps + k]) *
                                   static_cast<double>(right[column * steps + k]));
            const auto rounded =
                static_cast<float>(is_float8(at(s.limit).type) ? sum_of_14_bits(summands) : sum_of_all(summands));
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
