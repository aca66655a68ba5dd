// The choice of kernels for sums at indices. Times are of one H200.
#include <codegen/functions/sum_plan.hpp>

#include <codegen/ir/round.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

value_layout layout_of(const values_at_indices& v) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (v.outer == 1 && v.inner == 1) return value_layout::line;
    return std::max(v.values(), v.places()) < most ? value_layout::narrow : value_layout::wide;
}

/// Blocks that are resident at once, each with something to add.
std::int64_t blocks_for(std::int64_t values, sum_kernel which, std::int64_t resident) {
    constexpr std::int64_t per_thread = 4;
    return std::clamp<std::int64_t>(divide_up(values, per_thread * threads_of(which)), 1, resident);
}

/// Parts of the places whose sums fit the shared memory of one block; few places have up to 32 sums each.
void divide_places(sum_plan& plan, const values_at_indices& v, const device_properties& m) {
    const std::int64_t magnitude = has_magnitudes(v.type) ? 1 : 0, places = v.places(), sum = shared_sum_bytes(v.type);
    const auto capacity = static_cast<std::int64_t>(m.dynamic_shared_per_block);
    const std::int64_t parts = divide_up(places, capacity / (sum + magnitude)), share = divide_up(places, parts);
    while (parts == 1 && plan.copies < 32 && share * (2 * plan.copies * sum + magnitude) <= capacity) plan.copies *= 2;
    const std::int64_t groups = std::max<std::int64_t>(m.multiprocessors / parts, 1);
    plan.parts = static_cast<int>(parts);
    plan.share = share;
    plan.add_bytes = static_cast<unsigned>(share * (plan.copies * sum + magnitude));
    plan.add_blocks = parts * blocks_for(v.values(), sum_kernel::add, groups);
}

/// Launches for the places whose sums fit half of the L2 cache. Atomics on memory take 40 ps, on the cache 12 ps, and
/// reading a value and its key 2 ps: more than `most` launches read longer than they save.
std::int64_t far_parts(const values_at_indices& v, const device_properties& m) {
    constexpr std::int64_t most = 8;
    const std::int64_t parts =
        divide_up(v.places() * sum_bytes(v.type), std::max<std::int64_t>(static_cast<std::int64_t>(m.l2_bytes) / 2, 1));
    return parts <= most ? std::max<std::int64_t>(parts, 1) : 1;
}

/// Blocks read the values once per part, 2^26 floats and their keys in 0.17 ms; atomics on global memory take 0.8 ms.
/// A block clears and stores the sums of its part, so there have to be more values than that.
bool sums_fit(const values_at_indices& v, const device_properties& m) {
    constexpr std::int64_t most_parts = 6, values_per_place = 32;
    const std::int64_t bytes = shared_sum_bytes(v.type) + (has_magnitudes(v.type) ? 1 : 0);
    return v.places() * bytes <= most_parts * static_cast<std::int64_t>(m.dynamic_shared_per_block) &&
           v.places() * values_per_place <= v.values();
}

/// Values whose magnitudes are found first, by a launch of their own: the blocks of the next one begin with these, and
/// then raise few. 2^26 values at 10^5 places take 0.18 ms so, not 0.83.
std::int64_t sample_of(const values_at_indices& v) {
    constexpr std::int64_t per_place = 8, least_part = 4;
    const std::int64_t wanted = per_place * v.places();
    return wanted <= v.values() / least_part ? wanted : 0;
}

}  // namespace

/// Sorting takes 0.3 ns per index and reads each value once; adding in any order takes 15 to 40 ps per value, and
/// memory of some times the array's size.
bool adds_in_any_order(const values_at_indices& v) {
    constexpr std::int64_t values_per_index = 16, places_per_value = 4;
    return sums_are_elements(v.type) ||
           (v.outer * v.inner < values_per_index && v.places() <= places_per_value * v.values());
}

sum_plan plan_sums(const values_at_indices& v, const device_properties& m) {
    sum_plan plan;
    plan.layout = layout_of(v);
    plan.room = bits_per_value(v.type, v.count);
    const std::int64_t table = round_up(v.places(), std::int64_t{4});
    plan.near_sums = sums_fit(v, m);
    plan.near_magnitudes = plan.near_sums && table <= static_cast<std::int64_t>(m.dynamic_shared_per_block);
    if (plan.near_magnitudes) plan.sample = sample_of(v);
    const std::int64_t far_blocks = std::int64_t{m.multiprocessors} * (m.threads_per_multiprocessor / 512);
    plan.magnitude_bytes = plan.near_magnitudes ? static_cast<unsigned>(table) : 0;
    plan.magnitude_blocks = plan.near_magnitudes ? blocks_for(v.values(), sum_kernel::magnitudes, m.multiprocessors)
                                                 : blocks_for(v.values(), sum_kernel::far_magnitudes, far_blocks);
    plan.add_blocks = blocks_for(v.values(), sum_kernel::far_add, far_blocks);
    plan.parts = static_cast<int>(far_parts(v, m));
    plan.share = divide_up(v.places(), std::int64_t{plan.parts});
    if (plan.near_sums) divide_places(plan, v, m);
    return plan;
}

}  // namespace sinter::codegen
