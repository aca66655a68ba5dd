// Counting what kernels of the forms contraction and tensor do.
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/features.hpp>
#include <codegen/schedule/tensor.hpp>

namespace sinter::codegen {
namespace {

using count = std::int64_t;

class product_counter {
public:
    product_counter(const loop_nest& counted, const schedule& with, schedule_features& into)
        : k(counted), s(with), made(into) {}

    void count_contraction() {
        const contraction_tile& t = s.product;
        const count steps = trip_count(k, k.loops[0]), slices = divide_up(steps, t.depth);
        const count launched = made.blocks * s.block_threads;
        const count along = t.over_columns ? divide_up(extent_of(k, k.nest_axis), t.columns * t.thread_columns) : 1;
        const count n = outer_size(k) * (k.nest_axis >= 0 ? extent_of(k, k.nest_axis) : 1);
        int ordinal = 0;
        for (const value& v : k.values) {
            if (v.what != value_kind::load) continue;
            const bool wide = (t.wide_loads >> ordinal++ & 1) != 0;
            const bool row = v.varies >> t.row_axis & 1, column = v.varies >> t.column_axis & 1;
            if (v.loop == 0) {
                const count size = row ? t.rows * t.thread_rows : column ? t.columns * t.thread_columns : 1;
                const int width = wide ? s.vector_width : 1;
                add_load(v, width, made.blocks / s.blocks_per_output * along * slices * (size * t.depth / width));
            } else {
                count_beside_product(v, column ? launched * along : launched, row, column, n);
            }
        }
        const bool nested = k.nest_axis >= 0;
        for (const kernel_store& st : k.stores) {
            if (nested)
                made.add(true, st.output, 1, st.loop == group_level ? outer_size(k) : n);
            else
                made.add(true, st.output, t.wide_stores ? s.vector_width : 1, t.wide_stores ? n / s.vector_width : n);
        }
        for (std::size_t v = 0; v < k.values.size(); ++v)
            if (k.values[v].loop == 0 && is_computed(k.values[v]))
                made.evaluations[v] =
                    launched / (s.blocks_per_output * t.thread_steps) * along * t.rows * t.columns * steps;
        if (s.blocks_per_output > 1) return count_shares(slices);
        made.block_barriers = made.blocks * (along * (slices + 1) + barriers_of_sets());
    }

    /// A factor's elements are staged once for each tile along the other side; what follows the sum reads what it needs
    /// for each element.
    void count_tensor() {
        const tensor_tile& t = s.tensor;
        const count n = outer_size(k), steps = trip_count(k, k.loops[0]);
        const count rows = extent_of(k, t.row_axis), columns = extent_of(k, t.column_axis);
        const count others = n / (t.column_axis == k.nest_axis ? rows : rows * columns);
        const std::vector<char> stored = needed(false);
        int ordinal = 0;
        for (std::size_t v = 0; v < k.values.size(); ++v) {
            const value& self = k.values[v];
            const bool of_rows = self.varies >> t.row_axis & 1, load = self.what == value_kind::load;
            const bool wide = load && (t.wide_loads >> ordinal++ & 1) != 0;
            if (self.loop != 0) {
                if (load && stored[v] != 0) add_load(self, 1, n);
                if (is_computed(self) && stored[v] != 0) made.evaluations[v] = n;
                continue;
            }
            const count side = of_rows ? rows : columns;
            const count tiles = of_rows ? divide_up(columns, t.columns) : divide_up(rows, t.rows);
            const bool along = of_rows ? t.rows_along_steps : t.columns_along_steps;
            const int fast = along ? k.loops[0].axes.back() : of_rows ? t.row_axis : t.column_axis;
            const bool varies = self.varies >> fast & 1;
            const count lines = along ? side : steps, line = along ? steps : side;
            const count elements = others * tiles * lines * line;
            if (load)
                add_load(self, wide ? 8 : 1,
                         wide     ? elements / 8
                         : varies ? elements
                                  : others * tiles * lines * divide_up(line, 8));
            if (is_computed(self)) made.evaluations[v] = elements;
        }
        for (const kernel_store& st : k.stores)
            made.add(true, st.output, t.wide_stores ? 2 : 1, t.wide_stores ? n / 2 : n);
        made.block_barriers = made.blocks * divide_up(steps, t.depth);
    }

private:
    /// Of blocks that divide the slices of a tile: the loop has an iteration more than slices, also for the first share
    /// without any, if the share before it is whole. Then all publish, and one of a set folds
    /// its shares and resets its ticket; likewise sets.
    void count_shares(count slices) {
        const count parts = s.blocks_per_output, tiles = made.blocks / parts, share = divide_up(slices, parts);
        const count used = divide_up(slices, share);
        const bool idles = used < parts && used * share == slices;
        made.block_barriers = tiles * (slices + used + (idles ? 1 : 0)) + (2 + barriers_of_sets()) * made.blocks;
        const contraction_tile& t = s.product;
        count results = 0;  // accesses of a block's threads
        for (const int r : k.loops[0].reductions)
            results += count{t.thread_rows} * t.thread_columns * t.rows * t.columns /
                       run_of_results(k.values[static_cast<std::size_t>(r)].type, t.columns);
        const count sets = tiles * divide_up(parts, count{shares_of_set});
        made.workspace_stores = made.blocks * results + sets;
        made.workspace_loads = made.blocks * results;
        if (sets == tiles) return;
        made.block_barriers += 2 * sets;
        made.workspace_stores += sets * results + tiles;
        made.workspace_loads += sets * results;
    }

    count barriers_of_sets() const {
        return s.product.thread_steps > 1 ? 2 * static_cast<count>(k.loops[0].reductions.size()) : 0;
    }

    void add_load(const value& v, int elements, count n) { made.add(false, v.input, elements, n); }

    /// The values outside the loop that others need, those of the loop or the stored ones, themselves included.
    std::vector<char> needed(bool by_loop) const {
        std::vector<char> all(k.values.size(), 0);
        if (!by_loop)
            for (const kernel_store& st : k.stores) all[static_cast<std::size_t>(st.value)] = 1;
        for (std::size_t v = k.values.size(); v-- > 0;) {
            const value& self = k.values[v];
            if (self.over == 0 || (self.loop == 0 ? !by_loop : all[v] == 0)) continue;
            for (int in : self.in)
                if (in >= 0 && k.values[static_cast<std::size_t>(in)].loop != 0) all[static_cast<std::size_t>(in)] = 1;
        }
        return all;
    }

    /// A load outside the loop: each thread has it once, for each of its rows or columns, or for each result.
    void count_beside_product(const value& v, count launched, bool row, bool column, count results) {
        const auto position = static_cast<std::size_t>(&v - k.values.data());
        const bool taken = needed(true)[position] != 0, is_common = taken && !row && !column;
        if (taken) add_load(v, 1, launched * (row ? s.product.rows : column ? s.product.columns : 1));
        if (!is_common && needed(false)[position] != 0) add_load(v, 1, results);
    }

    const loop_nest& k;
    const schedule& s;
    schedule_features& made;
};

}  // namespace

void count_contraction(const loop_nest& k, const schedule& s, schedule_features& made) {
    product_counter(k, s, made).count_contraction();
}

void count_tensor(const loop_nest& k, const schedule& s, schedule_features& made) {
    product_counter(k, s, made).count_tensor();
}

}  // namespace sinter::codegen
