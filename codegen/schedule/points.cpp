// Each form's numbers, a power of two apart. Where blocks wait for each other, or share a tile that a scan goes along,
// nothing is free: these have the one schedule that is known to be safe.
#include <codegen/schedule/points.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/realigned.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr int largest_block = 1024;
constexpr int max_copies = 64;  ///< of function bodies in one kernel: they cost compile time
constexpr int registers_of_positions = 24;

class point_list {
public:
    point_list(const loop_nest& of, const device_properties& on, const std::vector<int>& aligned)
        : k(of), m(on), alignment(aligned) {
        for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
            calls += function_calls(k, l);
            bytes_of_step = std::max(bytes_of_step, bytes_per_iteration(k, l));
        }
        for (const value& v : k.values)
            if (v.what == value_kind::reduce || v.what == value_kind::scan) accumulated += size_of(v.type);
    }

    std::vector<schedule> all;

    /// What its accesses of one step, its accumulators and its positions take of a thread's registers fits.
    bool fits_registers(const schedule& s) const {
        const int accumulators =
            s.form == schedule_form::columns ? s.vector_width : std::min(s.unroll, max_accumulators);
        const int bytes = bytes_of_step * s.vector_width * s.unroll + static_cast<int>(accumulated) * accumulators;
        return bytes / 4 + registers_of_positions <= registers_of_multiprocessor / s.block_threads;
    }

    void add(schedule s, int parts_beyond) {
        if (!fits_registers(s)) return;
        s.wide_index =
            needs_wide_index(k, std::int64_t{s.block_threads} * s.vector_width * s.unroll * (parts_beyond + 1));
        s.realigned = realigned_gathers_of(k, s, alignment);
        s.wide_gathers = wide_gathers_of(k, s, alignment);
        if (static_cast<int>(all.size()) < max_points && std::find(all.begin(), all.end(), s) == all.end())
            all.push_back(s);
    }

    void add_elementwise() {
        schedule s;
        s.form = schedule_form::elementwise;
        const int widest = vector_width(k, k.outer, group_level, alignment);
        const int bodies = std::max(1, function_calls(k, group_level));
        for (s.vector_width = widest; s.vector_width >= 1; s.vector_width /= 2)
            for (s.unroll = 1; s.unroll <= 8; s.unroll *= 2)
                for (const int block : {256, 128, 512}) {
                    s.block_threads = block;
                    if (s.unroll * s.vector_width * bodies <= max_copies) add(s, 0);
                }
    }

    void add_rows() {
        const std::int64_t length = longest_loop(k);
        const int again = bytes_read_again(k);
        for (int vector = rows_vector(k, alignment); vector >= 1; vector /= 2) {
            const std::int64_t accesses = divide_up(length, vector);
            for (int group = k.outer.empty() ? 32 : 1; group <= largest_block; group *= 2) {
                if (group > 32 && group >= 2 * accesses) break;
                schedule s;
                s.form = schedule_form::rows;
                s.vector_width = vector;
                s.threads_per_output = group;
                s.block_threads = k.outer.empty() ? group : std::max(group, group == 1 ? 256 : 128);
                const std::int64_t own = divide_up(accesses, group);
                add_unrolled(s, own);
                s.unroll = power_of_two(own, 1 << 20);
                s.register_cached = true;
                if (again > 0 && !k.outer.empty() && !has_scans(k) && s.unroll * again * vector <= max_cached_bytes &&
                    s.unroll * vector * calls <= 2 * max_copies)
                    add(s, 0);
            }
        }
    }

    /// Of these choose_schedule takes one.
    void add_candidates() {
        for (const schedule& s : column_candidates(k, m, alignment))
            if (!s.grid_barrier) add(s, s.blocks_per_output);
    }

    void add_columns() {
        const std::int64_t columns = std::max<std::int64_t>(outer_size(k), 1), length = longest_loop(k);
        for (int vector = columns_vector(k, alignment, calls); vector >= 1; vector /= 2)
            for (const int across : {32, 64, 128, 256, 16, 8})
                for (int group = 1; group * across <= 512; group *= 2) {
                    if (group > length || group * across < 64 || across > 2 * columns) continue;
                    schedule s;
                    s.form = schedule_form::columns;
                    s.vector_width = vector;
                    s.threads_per_output = group;
                    s.block_threads = group * across;
                    const std::size_t shared = accumulated * static_cast<std::size_t>(vector * s.block_threads);
                    if (group > 1 && shared + last_block_bytes > m.shared_per_block) continue;
                    add_unrolled(s, divide_up(length, group));
                }
    }

    /// Groups that blocks share: from one wave of blocks to four.
    void add_split() {
        const std::int64_t length = longest_loop(k);
        if (!can_split(k) || length < 1024) return;
        const auto shared = [&](schedule s, std::int64_t tiles, std::int64_t own, bool copies_fit) {
            const std::int64_t worthwhile = divide_up(own, s.unroll);
            for (int waves = 1; waves <= 8 && copies_fit; waves *= 2) {
                const std::int64_t parts = std::min(std::int64_t{waves} * m.multiprocessors / tiles, worthwhile);
                s.blocks_per_output = static_cast<int>(parts);
                if (tiles <= 1024 && parts > 1) add(s, s.blocks_per_output);
            }
        };
        schedule s;
        s.form = schedule_form::rows;
        for (s.vector_width = rows_vector(k, alignment); s.vector_width >= 1; s.vector_width /= 4)
            for (const int block : {256, 512, 1024})
                for (s.unroll = 8; s.unroll >= 2; s.unroll /= 2) {
                    s.block_threads = s.threads_per_output = block;
                    shared(s, outer_size(k), divide_up(length, std::int64_t{s.vector_width} * block),
                           s.vector_width * s.unroll * calls <= max_copies);
                }
        if (k.outer.empty() || computes_indices(k)) return;
        s.form = schedule_form::columns;
        for (s.vector_width = columns_vector(k, alignment, calls); s.vector_width >= 1; s.vector_width /= 4)
            for (const int across : {16, 32, 64})
                for (const int group : {8, 16, 32})
                    for (s.unroll = 4; s.unroll <= 8; s.unroll *= 2) {
                        s.threads_per_output = group;
                        s.block_threads = across * group;
                        const std::size_t bytes =
                            accumulated * static_cast<std::size_t>(s.vector_width * s.block_threads);
                        const bool fits = s.block_threads <= 512 && bytes + last_block_bytes <= m.shared_per_block;
                        shared(s, divide_up(outer_size(k), across * s.vector_width), divide_up(length, group),
                               fits && s.vector_width * s.unroll * calls <= max_copies);
                    }
    }

private:
    void add_unrolled(schedule s, std::int64_t own) {
        const int copies = std::max(1, s.vector_width * calls);
        for (s.unroll = 1; s.unroll <= 8; s.unroll *= 2)
            if (s.unroll == 1 || (s.unroll < 2 * own && s.unroll * copies <= max_copies)) add(s, 0);
    }

    const loop_nest& k;
    const device_properties& m;
    const std::vector<int>& alignment;
    int calls = 0, bytes_of_step = 0;
    std::size_t accumulated = 0;
};

}  // namespace

std::vector<schedule> schedule_points(const loop_nest& k, const device_properties& m,
                                      const std::vector<int>& alignment) {
    const schedule chosen = choose_schedule(k, m, alignment);
    point_list points(k, m, alignment);
    points.all.push_back(chosen);
    const bool is_product = chosen.form == schedule_form::contraction || chosen.form == schedule_form::tensor;
    if (is_product || folds_groups(k) || (has_scans(k) && chosen.blocks_per_output > 1)) return points.all;
    if (outer_size(k) == 0 || (!k.loops.empty() && longest_loop(k) == 0)) return points.all;
    if (k.loops.empty()) {
        points.add_elementwise();
        return points.all;
    }
    const bool columns = chosen.form == schedule_form::columns;
    if (columns) points.add_candidates();
    if (columns) points.add_columns();
    if (chosen.blocks_per_output > 1 && !chosen.grid_barrier) points.add_split();
    points.add_rows();
    if (!columns && !k.outer.empty() && !computes_indices(k)) points.add_columns();
    return points.all;
}

}  // namespace sinter::codegen
