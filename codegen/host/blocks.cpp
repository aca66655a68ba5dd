// Divides the groups of a region into tiles, and its loops into blocks that fit the caches.
#include <codegen/host/region_plan.hpp>

#include <codegen/host/fused_loop_text.hpp>
#include <codegen/host/value_types.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace sinter::codegen::blocked {
namespace {

constexpr std::int64_t tile_bytes = 64 * 1024;            // what later loops find in the L2 cache
constexpr std::int64_t fewest_columns = 32;               // fewer groups make blocks too short to pay
constexpr std::int64_t fewest_tile_columns = 512;         // columns of loops that read again: blocks worth their start
constexpr std::int64_t longest_sequence = 16;             // rows of less than 2 * lanes are folded in sequence
constexpr std::int64_t column_leaf = 128, row_leaf = 16;  // blocks folded in sequence before pairwise folding
constexpr std::int64_t few_tiles = 64;                    // enough for the cores of one machine
constexpr std::int64_t chunk_elements = 64 * 1024;
constexpr std::int64_t max_chunks = 256;
constexpr std::int64_t elements_per_block = 4096;  // at most

class block_choice {
public:
    block_choice(plan& p, const loop_nest& k, bool fuses) : p_(p), k_(k), fuses_(fuses) {}

    void run() {
        const std::size_t widest = widest_value();
        p_.block_size = std::min(static_cast<std::int64_t>(buffer_size / widest), elements_per_block);
        describe_loops();
        choose_tile(static_cast<std::int64_t>(widest));
        for (loop_plan& l : p_.loops) divide(l);
        p_.split = p_.split && !has_scans(k_);  // blocks of a scan depend on earlier blocks
    }

private:
    std::size_t widest_value() const {
        std::size_t widest = 1;
        for (const slot& s : p_.slots) widest = std::max(widest, size_of(s.type));
        for (const dtype d : k_.outputs) widest = std::max(widest, size_of(d));
        for (const value& v : k_.values)
            if (v.op != nullptr) widest = std::max(widest, size_of(computed_type(k_, v)));
        return widest;
    }

    /// Whether blocks along the groups touch fewer bytes than blocks along the loop; or as many, where the few elements
    /// of each group, as of a window, would be folded one after the other. A cache line holds 64 bytes.
    bool prefers_columns(int loop) const {
        std::int64_t along_trips = 0, along_groups = 0;
        const auto weigh = [&](int at, dtype type) {
            const auto bytes_of_step = [&](const std::vector<int>& axes) {
                return std::min<std::int64_t>(std::abs(walk(k_, axes, k_.layouts[at], size_of(type)).stride()), 64);
            };
            along_trips += bytes_of_step(k_.loops[loop].axes);
            along_groups += bytes_of_step(k_.outer);
        };
        for (const value& v : k_.values)
            if (v.what == value_kind::load && v.loop == loop) weigh(v.at, k_.inputs[v.input].type);
        for (const kernel_store& s : k_.stores)
            if (s.loop == loop) weigh(s.at, k_.outputs[s.output]);
        if (along_groups == along_trips) return trip_count(k_, k_.loops[loop]) <= longest_sequence;
        return along_groups < along_trips;
    }

    /// Whether compiled loops fold the few elements of each group at once, whatever the layout. The order of the fold
    /// does not change: one element after the other.
    bool folds_whole_rows(const loop_plan& l) const {
        return fuses_ && l.trips <= longest_unrolled &&
               std::all_of(k_.values.begin(), k_.values.end(),
                           [](const value& v) { return v.what != value_kind::reduce || is_inline(*v.op, v.type); });
    }

    void describe_loops() {
        p_.loops.resize(k_.loops.size());
        for (std::size_t l = 0; l < p_.loops.size(); ++l) {
            loop_plan& loop = p_.loops[l];
            loop.trips = trip_count(k_, k_.loops[l]);
            loop.backwards = k_.loops[l].backwards;
            loop.columns = p_.groups > 1 && prefers_columns(static_cast<int>(l)) && !folds_whole_rows(loop);
        }
    }

    /// Whether a loop's elements are runs, between which lie those of neighbouring groups: groups of one tile are read
    /// in the order of memory (fold_in_place).
    bool reads_interleaved_runs(int loop) const {
        return std::any_of(k_.values.begin(), k_.values.end(), [&](const value& v) {
            if (v.what != value_kind::load || v.loop != loop) return false;
            const walk inner(k_, k_.loops[loop].axes, k_.layouts[v.at], 1), outer(k_, k_.outer, k_.layouts[v.at], 1);
            return inner.axes() > 1 && outer.axes() > 0 && outer.stride() < inner.stride(1);
        });
    }

    /// The most groups of a tile: as many as later loops still find in the cache.
    std::int64_t max_tile(std::int64_t widest) const {
        const std::int64_t most = p_.block_size;
        if (p_.loops.empty()) return most;
        std::int64_t trips = 0;
        for (const loop_plan& l : p_.loops) trips += l.trips;
        const std::int64_t mean_trips = trips / static_cast<std::int64_t>(p_.loops.size());
        const std::int64_t in_cache = tile_bytes / widest / std::max<std::int64_t>(1, mean_trips);
        if (std::any_of(p_.loops.begin(), p_.loops.end(), [](const loop_plan& l) { return l.columns; }))
            return p_.loops.size() > 1 ? std::clamp(in_cache, std::min(fewest_tile_columns, most), most) : most;
        if (p_.loops.size() == 1 && reads_interleaved_runs(0)) return most;
        std::int64_t least = 1;  // short loops: several groups per block
        for (const loop_plan& l : p_.loops) least = std::max(least, p_.block_size / std::max<std::int64_t>(1, l.trips));
        const std::int64_t balanced = divide_up(p_.groups, 2 * few_tiles);
        return std::clamp(std::min(in_cache, balanced), std::min(least, most), most);
    }

    /// Tiles follow the fastest outer axis, so that their rows are contiguous runs in every array.
    void choose_tile(std::int64_t widest) {
        std::int64_t fastest = 1;
        for (auto a = k_.outer.rbegin(); a != k_.outer.rend() && fastest == 1; ++a) fastest = k_.extents[*a];
        const std::int64_t most = max_tile(widest);
        p_.span = p_.groups;
        if (fastest > most) {
            p_.span = fastest;
            p_.tile = divide_up(fastest, divide_up(fastest, most));
            if (p_.tile >= 256) p_.tile = std::min(round_up(p_.tile, 64), most);
        } else {
            p_.tile = std::min(p_.groups, most / std::max<std::int64_t>(fastest, 1) * fastest);
        }
        p_.tile = std::max<std::int64_t>(p_.tile, 1);
        p_.span = std::max<std::int64_t>(p_.span, 1);
        p_.tiles_per_span = divide_up(p_.span, p_.tile);
        p_.tiles = p_.groups / p_.span * p_.tiles_per_span;
        std::int64_t tile_work = p_.tile;
        for (const loop_plan& l : p_.loops) tile_work += p_.tile * l.trips;
        p_.grain = std::max<std::int64_t>(1, elements_worth_a_task / tile_work);
    }

    void divide(loop_plan& l) {
        const bool few = l.columns && p_.groups < fewest_columns;
        if (few) l.columns = false;
        if (l.columns) {
            l.block_groups = p_.tile;
        } else if (few) {
            l.block_groups = p_.tile;
            l.block_trips = std::max<std::int64_t>(1, p_.block_size / p_.tile);
        } else if (l.trips > p_.block_size) {
            const std::int64_t blocks = divide_up(l.trips, p_.block_size);
            l.block_trips = std::min(round_up(divide_up(l.trips, blocks), 64), p_.block_size);
        } else {
            l.block_trips = std::max<std::int64_t>(l.trips, 1);
            l.block_groups = std::min(p_.tile, p_.block_size / l.block_trips);
        }
        l.leaf_blocks = l.columns ? column_leaf : row_leaf;
        l.chunk = round_up(std::max({std::int64_t{1}, chunk_elements / p_.tile, divide_up(l.trips, max_chunks)}),
                           l.block_trips);
        if (p_.groups > 0 && p_.tiles < few_tiles && l.trips > l.chunk) p_.split = true;
    }

    plan& p_;
    const loop_nest& k_;
    const bool fuses_;
};

}  // namespace

void choose_blocks(plan& p, const loop_nest& k, bool fuses) { block_choice(p, k, fuses).run(); }

}  // namespace sinter::codegen::blocked
