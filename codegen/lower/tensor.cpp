// Contractions on tensor cores: see schedule/tensor.cpp. This file has the loop over slices and what follows it;
// tensor_factor.cpp brings factors to the warps.
#include <codegen/lower/access.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/strategies.hpp>
#include <codegen/lower/tensor_factor.hpp>
#include <codegen/schedule/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class tensor_lowering {
public:
    explicit tensor_lowering(lowering& lowered)
        : c(lowered),
          t(c.s.tensor),
          of(*tensor_factors_of(c.k)),
          rows{"row", {t.row_axis}, t.rows, 1, {}, {}, {}},
          columns{"column", {t.column_axis}, t.columns, 1, {}, {}, {}},
          left(c, is_along_rows(of.rows) ? of.rows : of.columns, rows,
               {0, t.depth, t.stages, t.warp_rows, t.rows_along_steps}),
          right(c, is_along_rows(of.rows) ? of.columns : of.rows, columns,
                {0, t.depth, t.stages, t.warp_columns, t.columns_along_steps, true}) {}

    void write() {
        c.b.comment(
            fmt::format("A block computes a tile of {} x {} results, a warp {} x {} of them, as sums of products of 16 "
                        "x 16 fragments. Slices of {} steps are staged in shared memory, {} slices ahead.",
                        t.rows, t.columns, warp_rows(), warp_columns(), t.depth, t.stages - 1));
        locate_tile(c, rows, columns);
        const scalar number = c.b.let_index("warp", dtype::int32, c.b.thread() / warp);
        warp_row = c.b.let_index("warp_row", dtype::int32, number / t.warp_columns * warp_rows());
        warp_column = c.b.let_index("warp_column", dtype::int32, number % t.warp_columns * warp_columns());
        lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
        left.declare(lane);
        right.declare(lane);
        array all{c.name(of.sum) + "_fragment", space::registers, dtype::float32, {}};
        all.extents = {warp_rows() / fragment_rows, warp_columns() / fragment_rows};
        all.packed = fragment_elements;
        sums = c.b.declare(all, true);
        loop();
        store();
    }

private:
    bool is_along_rows(int v) const { return c.at(v).varies >> t.row_axis & 1; }
    int warp_rows() const { return t.rows / t.warp_rows; }
    int warp_columns() const { return t.columns / t.warp_columns; }
    std::vector<tensor_factor*> factors() { return {&left, &right}; }
    bool copies() const { return left.is_copied() || right.is_copied(); }

    void loop() {
        c.b.comment("Start copying the first slices before the first one is used.");
        const scalar ahead = c.b.open_unrolled("ahead", t.stages - 1);
        for (tensor_factor* f : factors()) {
            if (f->is_copied()) {
                f->copy(ahead, ahead * t.depth);
            } else {
                f->load(ahead * t.depth);
                f->write(ahead, ahead * t.depth);
            }
        }
        if (copies()) c.b.commit_copies();
        c.b.close();
        const scalar slices = c.b.let_index("slices", c.index_type(), (c.trips(0) + (t.depth - 1)) / t.depth);
        const scalar slice = c.b.open_loop("slice", c.index_type(), c.b.integer(0), slices, c.b.integer(1), 1);
        const scalar now = c.b.let_index("now", dtype::int32, slice % t.stages);
        const scalar free = c.b.let_index("next", dtype::int32, (slice + (t.stages - 1)) % t.stages);
        const scalar first = c.b.let_index("first", c.index_type(), (slice + (t.stages - 1)) * t.depth);
        const scalar more = c.b.let_index("more", dtype::bool_, first < c.trips(0));
        if (copies()) c.b.wait_copies(t.stages - 2);
        c.b.barrier(barrier_scope::block);
        stage(more, free, first);
        multiply(now);
        write_computed(more, free, first);
        c.b.close();
    }

    /// Loads a slice while another is multiplied, into the buffer that all threads are done with since the barrier.
    void stage(const scalar& more, const scalar& buffer, const scalar& first) {
        c.b.open_branch(more);
        for (tensor_factor* f : factors()) {
            if (f->is_copied())
                f->copy(buffer, first);
            else
                f->load(first);
        }
        c.b.close();
        if (copies()) c.b.commit_copies();
    }

    void write_computed(const scalar& more, const scalar& buffer, const scalar& first) {
        if (left.is_copied() && right.is_copied()) return;
        c.b.open_branch(more);
        for (tensor_factor* f : factors())
            if (!f->is_copied()) f->write(buffer, first);
        c.b.close();
    }

    void multiply(const scalar& buffer) {
        const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
        const auto each = [&](const char* name, int size, auto body) {
            const scalar number = c.b.open_unrolled(name, size / fragment_rows);
            body(number);
            c.b.close();
        };
        each("i", warp_rows(),
             [&](const scalar& i) { left.read_fragment(buffer, warp_row + i * fragment_rows, step, i); });
        each("j", warp_columns(),
             [&](const scalar& j) { right.read_fragment(buffer, warp_column + j * fragment_rows, step, j); });
        each("i", warp_rows(), [&](const scalar& i) {
            each("j", warp_columns(), [&](const scalar& j) {
                c.b.multiply_accumulate(c.b.element(sums, {i, j}), left.fragment(i), right.fragment(j));
            });
        });
        c.b.close();
    }

    /// A lane holds pairs of neighbouring columns: in 2 rows and at 2 columns of each fragment.
    void store() {
        std::vector<int> wanted;
        for (const kernel_store& one : c.k.stores) wanted.push_back(one.value);
        const std::vector<int> computed = group_values_needed(c, wanted);
        const scalar i = c.b.open_unrolled("i", warp_rows() / fragment_rows);
        const scalar below = c.b.open_unrolled("below", 2);
        const scalar row =
            c.b.let_index("row", c.index_type(), rows.first + (warp_row + i * fragment_rows + below * 8 + lane / 4));
        c.b.open_branch(row < rows.extent);
        const scalar j = c.b.open_unrolled("j", warp_columns() / fragment_rows);
        const scalar beside = c.b.open_unrolled("beside", 2);
        const scalar column = c.b.let_index(
            "column", c.index_type(), columns.first + (warp_column + j * fragment_rows + beside * 8 + lane % 4 * 2));
        const auto element = [&](const scalar& e) { return c.b.element(sums, {i, j, below * 2 + beside * 4 + e}); };
        c.set_index(t.row_axis, row);
        if (t.wide_stores)
            store_pair(computed, column, element);
        else
            store_each(computed, column, element);
        for (int open = 0; open < 5; ++open) c.b.close();
    }

    template <class Element>
    void let_result(const std::vector<int>& computed, const scalar& column, const scalar& e, Element element) {
        c.set_index(t.column_axis, column + e);
        c.let_value(of.sum, element(e));
        let_group_values(c, computed, c.k.outer);
    }

    template <class Element>
    void store_each(const std::vector<int>& computed, const scalar& column, Element element) {
        const scalar e = c.b.open_unrolled("e", 2);
        c.b.open_branch(column + e < columns.extent);
        let_result(computed, column, e, element);
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
            c.b.assign(element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, c.k.outer),
                       c.converted(st, c.operand(c.store_at(st).value)));
        c.b.close();
        c.b.close();
    }

    template <class Element>
    void store_pair(const std::vector<int>& computed, const scalar& column, Element element) {
        c.b.open_branch(column < columns.extent);
        std::vector<id> pairs;
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) {
            array pair{c.unique(output_name(c.store_at(st).output) + "_at"), space::registers, c.output_type(st), {}};
            pair.packed = 2;
            pairs.push_back(c.b.declare(pair));
        }
        const scalar e = c.b.open_unrolled("e", 2);
        let_result(computed, column, e, element);
        for (std::size_t st = 0; st < pairs.size(); ++st)
            c.b.assign(c.b.element(pairs[st], {e}),
                       c.converted(static_cast<int>(st), c.operand(c.store_at(static_cast<int>(st)).value)));
        c.b.close();
        c.set_index(t.column_axis, column);
        for (std::size_t st = 0; st < pairs.size(); ++st) {
            const kernel_store& one = c.store_at(static_cast<int>(st));
            c.b.assign(c.b.memory(c.output(one.output), c.terms(one.at, c.k.outer), 0, 2), c.b.element(pairs[st], {}));
        }
        c.b.close();
    }

    lowering& c;
    const tensor_tile& t;
    const tensor_factors of;
    tile_side rows, columns;
    tensor_factor left, right;
    id sums = none;
    scalar warp_row, warp_column, lane;
};

}  // namespace

void lower_tensor(lowering& c) { tensor_lowering(c).write(); }

}  // namespace sinter::codegen::lower
