// Two contractions with a softmax between them, in one pass, whatever expression gives the scores: see
// schedule/online.hpp. A block has some rows, a warp 16 of them. It iterates over the nest axis in slices: multiplies
// fragments for the scores of a slice, computes their expression in registers, raises the running maximum, rescales the
// sums so far, and multiplies the exponentials, already laid out as a factor, by the slice of y. The order of the loops
// follows Dao, FlashAttention-2, 2023.
#include <codegen/lower/access.hpp>
#include <codegen/lower/group_values.hpp>
#include <codegen/lower/strategies.hpp>
#include <codegen/lower/tensor_factor.hpp>
#include <codegen/schedule/online.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

class online_lowering {
public:
    explicit online_lowering(lowering& lowered)
        : c(lowered),
          t(c.s.tensor),
          of(*online_sums_of(c.k)),
          rows{"row", {t.row_axis}, t.rows, 1, {}, {}, {}},
          columns{"column", {t.column_axis}, t.columns, 1, {}, {}, {}},
          nest{"key", {c.k.nest_axis}, nest_elements(c.s), 1, {}, {}, {}},
          left(c, is_along_nest(of.scores.rows) ? of.scores.columns : of.scores.rows, rows,
               {0, t.depth, 1, t.warp_rows, t.rows_along_steps}),
          right(c, is_along_nest(of.scores.rows) ? of.scores.rows : of.scores.columns, nest,
                {0, t.depth, t.stages, 1, t.columns_along_steps}),
          ys(c, of.y, columns, {3, nest_elements(c.s), t.stages, 1, is_y_along_steps(c.k, of, t)}) {}

    void write() {
        c.b.comment(
            fmt::format("A block computes {} rows of results, a warp {} of them, over slices of {} elements. A slice's "
                        "scores are a product; their exponentials, relative to the greatest score so far, are added to "
                        "the running sums, which are rescaled when that score changes.",
                        t.rows, fragment_rows, nest_elements(c.s)));
        place_tile(c, rows, columns);
        nest.extent = c.b.let_index("keys", c.index_type(), c.extent(c.k.nest_axis));
        nest.first = c.b.integer(0);
        warp_row = c.b.let_index("warp_row", dtype::int32, c.b.thread() / warp * fragment_rows);
        lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
        let_common();
        for (tensor_factor* f : {&left, &right, &ys}) f->declare(lane);
        declare_sums();
        loop();
        store();
    }

private:
    bool is_along_nest(int v) const { return c.at(v).varies >> c.k.nest_axis & 1; }
    int score_fragments() const { return nest_elements(c.s) / fragment_rows; }
    int result_fragments() const { return t.columns / fragment_rows; }
    bool copies() const { return left.is_copied() || right.is_copied() || ys.is_copied(); }
    template <class Body>
    void unrolled(const char* name, int count, Body body) {
        const scalar number = c.b.open_unrolled(name, count);
        body(number);
        c.b.close();
    }

    id registers(const std::string& name, dtype type, std::vector<int> extents, int packed, bool cleared) {
        array a{c.unique(name), space::registers, type, std::move(extents)};
        a.packed = packed;
        return c.b.declare(a, cleared);
    }

    /// Values common to all rows and elements of a block.
    void let_common() {
        for (int v : group_values_needed(c, {of.x}))
            if (is_common(v)) common.push_back(v);
        let_group_values(c, common, c.k.outer);
    }
    bool is_common(int v) const {
        const std::uint32_t varies = c.at(v).varies;
        const auto moves = [&](int axis) { return (varies >> axis & 1) != 0; };
        return c.at(v).loop == group_level && c.at(v).stage == 0 && !moves(t.row_axis) && !moves(t.column_axis);
    }

    void declare_sums() {
        const float lowest = -std::numeric_limits<float>::infinity();
        minus_infinity = c.b.literal(dtype::float32, std::bit_cast<std::uint32_t>(lowest));
        // only minus infinity is below it; subtracting minus infinity from itself would give NaN
        least = c.b.literal(dtype::float32, std::bit_cast<std::uint32_t>(std::numeric_limits<float>::lowest()));
        results =
            registers(c.name(of.result) + "_fragment", dtype::float32, {result_fragments()}, fragment_elements, true);
        maxima = registers(c.name(of.maximum) + "_so_far", dtype::float32, {2}, 1, false);
        totals = registers(c.name(of.total) + "_so_far", dtype::float32, {2}, 1, true);
        unrolled("h", 2, [&](const scalar& h) { c.b.assign(c.b.element(maxima, {h}), minus_infinity); });
    }

    void stage(tensor_factor& f, const scalar& buffer, const scalar& first) {
        if (f.is_copied())
            f.copy(buffer, first);
        else
            f.load(first);
    }
    void stage_whole(tensor_factor& f, const scalar& buffer, const scalar& first) {
        stage(f, buffer, first);
        if (!f.is_copied()) f.write(buffer, first);
    }

    void loop() {
        const int elements = nest_elements(c.s);
        stage_whole(left, c.b.integer(0), c.b.integer(0));
        stage_whole(right, c.b.integer(0), c.b.integer(0));
        stage_whole(ys, c.b.integer(0), c.b.integer(0));
        if (copies()) c.b.commit_copies();
        const scalar slices = c.b.let_index("slices", c.index_type(), (nest.extent + (elements - 1)) / elements);
        const scalar slice = c.b.open_loop("slice", c.index_type(), c.b.integer(0), slices, c.b.integer(1), 1);
        const scalar now = c.b.let_index("now", dtype::int32, slice % 2);
        const scalar free = c.b.let_index("next", dtype::int32, (slice + 1) % 2);
        const scalar first = c.b.let_index("first", c.index_type(), slice * elements);
        const scalar then = c.b.let_index("then", c.index_type(), first + elements);
        const scalar more = c.b.let_index("more", dtype::bool_, then < nest.extent);
        if (copies()) c.b.wait_copies(0);
        c.b.barrier(barrier_scope::block);
        c.b.open_branch(more);
        nest.first = then;
        stage(right, free, c.b.integer(0));
        stage(ys, free, then);
        c.b.close();
        if (copies()) c.b.commit_copies();
        const id scores = multiply_scores(now);
        compute_scores(scores, first);
        const id weights = raise_maxima(scores);
        multiply_results(weights, now);
        if (!right.is_copied() || !ys.is_copied()) {
            c.b.open_branch(more);
            if (!right.is_copied()) right.write(free, c.b.integer(0));
            if (!ys.is_copied()) ys.write(free, then);
            c.b.close();
        }
        c.b.close();
    }

    id multiply_scores(const scalar& buffer) {
        const id scores = registers(c.name(of.scores.sum) + "_fragment", dtype::float32, {score_fragments()},
                                    fragment_elements, true);
        const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
        left.read_fragment(c.b.integer(0), warp_row, step, c.b.integer(0));
        unrolled("j", score_fragments(), [&](const scalar& j) {
            right.read_fragment(buffer, j * fragment_rows, step, j);
            c.b.multiply_accumulate(c.b.element(scores, {j}), left.fragment(c.b.integer(0)), right.fragment(j));
        });
        c.b.close();
        return scores;
    }

    /// Calls body(j, h, at, beside) per score of a lane: its fragment, upper or lower half, register, and column
    /// offset.
    template <class Body>
    void each_score(int fragments, Body body) {
        unrolled("j", fragments, [&](const scalar& j) {
            unrolled("h", 2, [&](const scalar& h) {
                unrolled("e", fragment_elements / 2,
                         [&](const scalar& e) { body(j, h, h * 2 + e % 2 + e / 2 * 4, e % 2 + e / 2 * 8); });
            });
        });
    }

    /// The operand of the maximum; minus infinity past the last element.
    void compute_scores(id scores, const scalar& first) {
        std::vector<int> computed;
        for (int v : group_values_needed(c, {of.x}))
            if (std::find(common.begin(), common.end(), v) == common.end()) computed.push_back(v);
        // an expression without loads may be computed past the last row and element, too
        const bool loads =
            std::any_of(computed.begin(), computed.end(), [&](int v) { return c.at(v).what == value_kind::load; });
        const bool takes_rows = loads || std::any_of(computed.begin(), computed.end(), [&](int v) {
                                    return (c.at(v).varies >> t.row_axis & 1) != 0 && c.at(v).what == value_kind::index;
                                });
        each_score(score_fragments(), [&](const scalar& j, const scalar& h, const scalar& at, const scalar& beside) {
            scalar row = rows.first + (warp_row + h * 8 + lane / 4);
            if (takes_rows) row = c.b.let_index("row", c.index_type(), row);
            const scalar key =
                c.b.let_index("key", c.index_type(), first + (j * fragment_rows + lane % 4 * 2 + beside));
            const scalar score = c.b.element(scores, {j, at});
            if (loads) c.b.open_branch(row < rows.extent && key < nest.extent);
            c.set_index(t.row_axis, row);
            c.set_index(c.k.nest_axis, key);
            for (std::size_t l = 1; l < c.k.loops.size(); ++l) c.set_index(c.k.loops[l].axes[0], key);
            c.let_value(of.scores.sum, score);
            let_group_values(c, computed, element_axes());
            if (!loads) return c.b.assign(score, c.b.select(key < nest.extent, c.operand(of.x), minus_infinity));
            c.b.assign(score, c.operand(of.x));
            c.b.otherwise();
            c.b.assign(score, minus_infinity);
            c.b.close();
        });
    }

    /// The axes along which a score may vary.
    std::vector<int> element_axes() const {
        std::vector<int> axes = c.k.outer;
        axes.push_back(c.k.nest_axis);
        for (std::size_t l = 1; l < c.k.loops.size(); ++l) axes.push_back(c.k.loops[l].axes[0]);
        return axes;
    }

    scalar op(int v, const scalar& a, const scalar& b) {
        return c.b.operation(*c.at(v).op, dtype::float32, dtype::float32, {a, b, {}});
    }
    scalar exponential(const scalar& score, const scalar& of_maximum) {
        return c.b.operation(*c.at(of.exponential).op, dtype::float32, dtype::float32,
                             {op(of.difference, score, of_maximum), {}, {}});
    }

    /// Raises the maxima, rescales totals and results, and returns the slice's exponentials, rounded, as a factor.
    id raise_maxima(id scores) {
        const id raised = registers("raised", dtype::float32, {2}, 1, false);
        unrolled("h", 2, [&](const scalar& h) { c.b.assign(c.b.element(raised, {h}), c.b.element(maxima, {h})); });
        each_score(score_fragments(), [&](const scalar& j, const scalar& h, const scalar& at, const scalar&) {
            const scalar largest = c.b.element(raised, {h});
            c.b.assign(largest, c.combine(of.maximum, largest, c.b.element(scores, {j, at})));
        });
        const id shift = registers("shift", dtype::float32, {2}, 1, false);
        unrolled("h", 2, [&](const scalar& h) {
            const scalar largest = c.b.element(raised, {h}), scaled = c.b.element(totals, {h});
            fold_lanes(of.maximum, largest);
            c.b.assign(c.b.element(shift, {h}), c.combine(of.maximum, largest, least));
            const scalar factor =
                c.b.let("factor", dtype::float32, exponential(c.b.element(maxima, {h}), c.b.element(shift, {h})));
            c.b.assign(c.b.element(maxima, {h}), largest);
            c.b.assign(scaled, times(scaled, factor));
            unrolled("j", result_fragments(), [&](const scalar& j) {
                unrolled("e", fragment_elements / 2, [&](const scalar& e) {
                    const scalar sum = c.b.element(results, {j, h * 2 + e % 2 + e / 2 * 4});
                    c.b.assign(sum, times(sum, factor));
                });
            });
        });
        const id weights = registers("weights", c.at(of.weight).type, {score_fragments()}, fragment_elements, false);
        each_score(score_fragments(), [&](const scalar& j, const scalar& h, const scalar& at, const scalar&) {
            const scalar term =
                c.b.let("term", dtype::float32, exponential(c.b.element(scores, {j, at}), c.b.element(shift, {h})));
            c.b.assign(c.b.element(totals, {h}), c.combine(of.total, c.b.element(totals, {h}), term));
            c.b.assign(c.b.element(weights, {j, at}), c.b.cast(c.at(of.weight).type, term));
        });
        return weights;
    }

    scalar times(const scalar& a, const scalar& b) { return op(c.at(of.result).in[0], a, b); }

    /// Folds over the 4 lanes that share a row.
    void fold_lanes(int reduction, const scalar& own) {
        const scalar offset = c.b.open_halving("offset", 2, 0);
        c.b.assign(own, c.combine(reduction, own, c.b.exchange(exchange_pattern::butterfly, own, offset)));
        c.b.close();
    }

    void multiply_results(id weights, const scalar& buffer) {
        unrolled("i", score_fragments(), [&](const scalar& i) {
            unrolled("j", result_fragments(), [&](const scalar& j) {
                ys.read_fragment(buffer, j * fragment_rows, i * fragment_rows, j);
                c.b.multiply_accumulate(c.b.element(results, {j}), c.b.element(weights, {i}), ys.fragment(j));
            });
        });
    }

    /// Divides the sums by the totals, computes the epilogue and stores.
    void store() {
        unrolled("h", 2, [&](const scalar& h) { fold_lanes(of.total, c.b.element(totals, {h})); });
        std::vector<int> wanted;
        for (const kernel_store& one : c.k.stores) wanted.push_back(one.value);
        std::vector<int> computed;
        for (int v : group_values_needed(c, wanted))
            if (c.at(v).loop == group_level) computed.push_back(v);
        const scalar h = c.b.open_unrolled("h", 2);
        const scalar row = c.b.let_index("row", c.index_type(), rows.first + (warp_row + h * 8 + lane / 4));
        c.b.open_branch(row < rows.extent);
        c.set_index(t.row_axis, row);
        const scalar j = c.b.open_unrolled("j", result_fragments());
        const scalar beside = c.b.open_unrolled("beside", 2);
        const scalar column =
            c.b.let_index("column", c.index_type(), columns.first + (j * fragment_rows + beside * 8 + lane % 4 * 2));
        const int width = t.wide_stores ? 2 : 1;
        if (t.wide_stores) c.b.open_branch(column < columns.extent);
        std::vector<id> pairs;
        for (int st = 0; st < static_cast<int>(c.k.stores.size()) && t.wide_stores; ++st)
            pairs.push_back(registers(output_name(c.store_at(st).output) + "_at", c.output_type(st), {}, 2, false));
        const scalar e = c.b.open_unrolled("e", 2);
        if (!t.wide_stores) c.b.open_branch(column + e < columns.extent);
        c.set_index(t.column_axis, column + e);
        c.define(of.maximum, c.b.element(maxima, {h}));
        c.define(of.total, c.b.element(totals, {h}));
        c.let_value(of.result,
                    op(of.quotient, c.b.element(results, {j, h * 2 + beside * 4 + e}), c.b.element(totals, {h})));
        let_group_values(c, computed, c.k.outer);
        for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st) {
            const scalar to = t.wide_stores
                                  ? c.b.element(pairs[static_cast<std::size_t>(st)], {e})
                                  : element_in(c, c.output(c.store_at(st).output), c.store_at(st).at, c.k.outer);
            c.b.assign(to, c.converted(st, c.operand(c.store_at(st).value)));
        }
        if (!t.wide_stores) c.b.close();
        c.b.close();
        c.set_index(t.column_axis, column);
        for (std::size_t st = 0; st < pairs.size(); ++st) {
            const kernel_store& one = c.store_at(static_cast<int>(st));
            c.b.assign(c.b.memory(c.output(one.output), c.terms(one.at, c.k.outer), 0, width),
                       c.b.element(pairs[st], {}));
        }
        if (t.wide_stores) c.b.close();
        for (int open = 0; open < 4; ++open) c.b.close();
    }

    lowering& c;
    const tensor_tile& t;
    const online_sums of;
    tile_side rows, columns, nest;
    tensor_factor left, right, ys;
    std::vector<int> common;
    id results = none, maxima = none, totals = none;
    scalar warp_row, lane, minus_infinity, least;
};

}  // namespace

void lower_online(lowering& c) { online_lowering(c).write(); }

}  // namespace sinter::codegen::lower
