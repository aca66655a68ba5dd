// Registers and shared memory of kernels whose sums are kept online.
#include <codegen/schedule/online.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/factor_parts.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr int other_registers = 60;         ///< addresses, counters, fragments of the nest axis's factors
constexpr int registers_beside_group = 32;  ///< of a warpgroup's thread

/// Of kernels that split factors: with more of them, the compiler spills some. By machine code for sm_90 of factors of
/// 32 to 256 elements.
constexpr int max_registers_of_split = 208, max_registers_ahead = 212, max_registers_staged = 64;
constexpr int registers_of_row_fragments = 28;  ///< that are read again for each slice, beside those of one step
constexpr int registers_of_skips = 16, registers_of_operand = 16;  ///< an index or a load, of a score or a weight

/// A thread's elements of a fragment's sums, and of those of products of lesser parts.
constexpr int registers_of_sums = 16;

constexpr double instructions_of_split = 8;     ///< of a number into three
constexpr double instructions_of_addition = 3;  ///< of a sum and that of lesser parts, unless the first is infinite
constexpr double cycles_of_late_load = 800;     ///< of slices that are not loaded ahead: another block hides half

}  // namespace

bool has_split_scores(const loop_nest& k, const online_sums& sums) {
    return parts_of(k, sums.scores.rows) > 1 || parts_of(k, sums.scores.columns) > 1;
}

bool has_split_weights(const loop_nest& k, const online_sums& sums) {
    return parts_of(k, sums.weight) > 1 || parts_of(k, sums.y) > 1;
}

int online_registers(const loop_nest& k, const online_sums& sums, const schedule& s) {
    const tensor_tile& t = s.tensor;
    if (t.warpgroups) return t.columns / 2 + nest_elements(s) / 2 + registers_beside_group;
    const int parts = parts_of(k, with_columns_along(k, sums.scores, k.nest_axis).rows);
    const int of_rows = parts * (t.rows_in_registers ? t.depth / 4 : 4);
    const int elements = nest_elements(s), fragments = t.rows / t.warp_rows / 16;
    int of_slice = elements / 2 + 4;  // scores, and the weights of 16 of them
    if (has_split_scores(k, sums)) of_slice = elements;
    if (has_split_weights(k, sums))
        of_slice = std::max(of_slice, parts_of(k, sums.weight) * elements / 4 + registers_of_sums);
    return fragments * (t.columns / 2 + of_slice + of_rows) + other_registers;
}

int staging_registers(const loop_nest& k, const online_sums& sums, const schedule& s) {
    const auto of_factor = [&](int factor, int loop, int width) {
        if (parts_of(k, factor) == 1) return 0;
        int bytes = 0;
        for (const int v : values_of_factor(k, factor, loop)) {
            const value& self = k.values[static_cast<std::size_t>(v)];
            if (self.what == value_kind::load) bytes += static_cast<int>(size_of(self.type));
        }
        const int chunks = static_cast<int>(divide_up(nest_elements(s) * width / 8, s.block_threads));
        return chunks * 8 * bytes / 4;
    };
    return of_factor(with_columns_along(k, sums.scores, k.nest_axis).columns, 0, s.tensor.depth) +
           of_factor(sums.y, 3, s.tensor.columns);
}

bool loads_ahead(const loop_nest& k, const online_sums& sums, const schedule& s) {
    const int staging = staging_registers(k, sums, s), all = online_registers(k, sums, s) + staging;
    if (staging == 0) return all <= max_registers_of_thread;
    const auto is_of_score = [&](const value& v) {
        const bool of_weight = v.loop == 3 && (v.varies >> s.tensor.column_axis & 1) == 0;
        return (v.what == value_kind::load && (v.loop == 1 || of_weight)) ||
               (v.what == value_kind::index && (v.loop == 1 || v.loop == nest_level || of_weight));
    };
    const auto count = static_cast<int>(std::count_if(k.values.begin(), k.values.end(), is_of_score));
    const int beside = (s.tensor.skips ? registers_of_skips : 0) + registers_of_operand * count;
    return all + beside + (s.tensor.rows_in_registers ? 0 : registers_of_row_fragments) <= max_registers_ahead;
}

bool fits_registers(const loop_nest& k, const online_sums& sums, const schedule& s) {
    if (has_split_factors(k, sums))
        return online_registers(k, sums, s) <= max_registers_of_split &&
               staging_registers(k, sums, s) <= max_registers_staged;
    return s.tensor.rows / s.tensor.warp_rows == 16 || online_registers(k, sums, s) <= max_registers_of_thread;
}

online_work work_of_online(const loop_nest& k, const online_sums& sums, const schedule& s) {
    const tensor_tile& t = s.tensor;
    const tensor_factors scores = with_columns_along(k, sums.scores, k.nest_axis);
    const int of_left = parts_of(k, scores.rows), of_right = parts_of(k, scores.columns);
    const int of_weight = parts_of(k, sums.weight), of_y = parts_of(k, sums.y);
    const auto bytes = [&](int factor) {
        return static_cast<double>(size_of(k.values[static_cast<std::size_t>(factor)].type));
    };
    online_work w;
    w.products = t.depth * products_of_parts(of_left, of_right) + t.columns * products_of_parts(of_weight, of_y);
    w.of_nest = t.depth * of_right + t.columns * of_y;
    w.of_rows = t.depth * of_left;
    w.bytes = t.depth * bytes(scores.columns) + t.columns * bytes(sums.y);
    if (of_right > 1) w.splitting += instructions_of_split * t.depth;
    if (of_y > 1) w.splitting += instructions_of_split * t.columns;
    if (has_split_scores(k, sums)) w.instructions += instructions_of_addition;
    if (has_split_weights(k, sums))
        w.instructions += instructions_of_split + instructions_of_addition * t.columns / nest_elements(s);
    if (w.splitting > 0 && !loads_ahead(k, sums, s)) w.cycles_of_load = cycles_of_late_load;
    return w;
}

std::size_t online_shared_bytes(const loop_nest& k, const online_sums& sums, const schedule& s) {
    const tensor_tile& t = s.tensor;
    const auto slice = [](int lines, int line) { return static_cast<std::size_t>(lines * (line + tensor_padding)); };
    const auto staged = [&](int size, int depth, bool along) {
        const int lines = along ? size : depth, line = along ? depth : size;
        return t.warpgroups ? static_cast<std::size_t>(lines * round_up(line, 64)) : slice(lines, line);
    };
    const auto parts = [&](int factor) { return static_cast<std::size_t>(parts_of(k, factor)); };
    const tensor_factors scores = with_columns_along(k, sums.scores, k.nest_axis);
    const std::size_t of_nest = parts(scores.columns) * staged(nest_elements(s), t.depth, t.columns_along_steps) +
                                parts(sums.y) * staged(t.columns, nest_elements(s), is_y_along_steps(k, sums, t));
    return 2 * (parts(scores.rows) * staged(t.rows, t.depth, t.rows_along_steps) +
                static_cast<std::size_t>(t.stages) * of_nest);
}

}  // namespace sinter::codegen
