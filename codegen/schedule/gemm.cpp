// Reads a kernel as a matrix product. Its two loads tell rows, columns and batches: an axis that only the first moves
// along is one of rows, one that only the second does is one of columns. What follows the sum is matched against what
// libraries add to a product; two rows of the op table, + and *, are known here by their numbers.
#include <codegen/schedule/gemm.hpp>
#include <sinter/op/builtin.hpp>

#include <algorithm>
#include <bit>
#include <tuple>

namespace sinter::codegen {
namespace {

constexpr std::int64_t max_calls = 64;

// Of a product that a kernel computes as fast as cuBLASLt does: multiplications, and steps of one sum, which the kernel
// does not part among blocks. See bench/NOTES.md.
constexpr double max_multiplications = 200.0 * 200 * 200;
constexpr std::int64_t max_steps = 256;

class gemm_reader {
public:
    explicit gemm_reader(const loop_nest& k) : k_(k) {}

    bool read(gemm& g) { return read_sum(g) && read_axes() && read_result(g) && read_matrices(g) && read_batches(g); }

private:
    const value& of(int v) const { return k_.values[static_cast<std::size_t>(v)]; }
    std::int64_t extent(int axis) const { return k_.extents[static_cast<std::size_t>(axis)]; }

    /// The load that a value is, or is a conversion of; -1 for none, or one from computed indices.
    int load_of(int v) const {
        if (of(v).what == value_kind::cast) v = of(v).in[0];
        const bool widened = of(v).what == value_kind::cast && is_half(of(v).type);
        if (widened && is_float8(of(of(v).in[0]).type)) v = of(v).in[0];  // the same number
        return of(v).what == value_kind::load && of(v).in[0] < 0 ? v : -1;
    }

    bool read_sum(gemm& g) {
        if (k_.nest_axis >= 0 || k_.loops.size() != 1 || k_.loops[0].axes.size() != 1 || k_.stores.size() != 1 ||
            k_.loops[0].reductions.size() != 1 || k_.stores[0].loop != group_level)
            return false;
        sum_ = k_.loops[0].reductions[0];
        const value& product = of(of(sum_).in[0]);
        if (product.what != value_kind::elementwise || product.op->arity != 2) return false;
        first_ = load_of(product.in[0]);
        second_ = load_of(product.in[1]);
        if (first_ < 0 || second_ < 0 || of(first_).type != of(second_).type) return false;
        g.computed_in = of(sum_).type;
        const bool known = is_floating(g.computed_in) || is_complex(g.computed_in);
        return known && g.computed_in == product.type && computed_in(of(first_).type) == g.computed_in;
    }

    /// Finds the axes of rows and of columns, and turns everything about if the result's columns are its neighbours.
    bool read_axes() {
        const int to = k_.stores[0].at;
        std::vector<int> rows, columns;
        for (int axis : k_.outer) {
            const bool moves_first = stride_of(k_, of(first_).at, axis) != 0,
                       moves_second = stride_of(k_, of(second_).at, axis) != 0;
            if (!moves_first && !moves_second) return false;
            if (!moves_second) rows.push_back(axis);
            if (!moves_first) columns.push_back(axis);
        }
        if (rows.empty() || columns.empty()) return false;
        // The matrix's own axis is one of neighbours; else the longest one. The others are batches.
        const auto choose = [&](const std::vector<int>& axes, int load) {
            const auto worth = [&](int axis) {
                return std::tuple(stride_of(k_, to, axis) == 1, stride_of(k_, of(load).at, axis) == 1, extent(axis));
            };
            return *std::max_element(axes.begin(), axes.end(), [&](int a, int b) { return worth(a) < worth(b); });
        };
        row_ = choose(rows, first_);
        column_ = choose(columns, second_);
        if (stride_of(k_, to, column_) != 1) {
            std::swap(row_, column_);
            std::swap(first_, second_);
        }
        return stride_of(k_, to, column_) == 1 && stride_of(k_, to, row_) >= extent(column_);
    }

    bool is_number(int v) const { return of(v).what == value_kind::scalar || of(v).what == value_kind::constant; }
    bool is_op(int v, builtin_op op) const {
        return of(v).what == value_kind::elementwise && of(v).op->builtin == static_cast<int>(op);
    }
    bool holds_sum(int v) const {
        if (v == sum_) return true;
        return std::any_of(of(v).in.begin(), of(v).in.end(), [&](int in) { return in >= 0 && holds_sum(in); });
    }

    /// What is stored, from the last value back to the sum.
    bool read_result(gemm& g) {
        int v = k_.stores[0].value;
        g.d.type = of(v).type;
        g.d.leading = stride_of(k_, k_.stores[0].at, row_);
        const dtype in = of(first_).type;
        if (g.d.type != in && !(is_storage_only(in) && g.d.type == dtype::float32)) return false;
        if (v != sum_ && of(v).what == value_kind::cast) v = of(v).in[0];
        while (is_op(v, builtin_op::add)) {
            const int left = of(v).in[0], right = of(v).in[1];
            if (holds_sum(left) == holds_sum(right)) return false;
            v = holds_sum(left) ? left : right;
            if (!read_addend(g, v == left ? right : left)) return false;
        }
        if (is_op(v, builtin_op::multiply)) {
            const int left = of(v).in[0], right = of(v).in[1];
            g.alpha = left == sum_ ? right : left;
            v = left == sum_ ? left : right;
            if (!is_number(g.alpha)) return false;
        }
        return v == sum_;
    }

    /// A row, a matrix, or a number times a matrix.
    bool read_addend(gemm& g, int v) {
        int times = -1;
        if (is_op(v, builtin_op::multiply)) {
            times = is_number(of(v).in[0]) ? of(v).in[0] : of(v).in[1];
            if (!is_number(times)) return false;
            v = times == of(v).in[0] ? of(v).in[1] : of(v).in[0];
        }
        const int load = load_of(v);
        if (load < 0 || of(load).type != g.d.type || stride_of(k_, of(load).at, column_) != 1) return false;
        const std::int64_t leading = stride_of(k_, of(load).at, row_);
        const bool is_row = std::all_of(k_.outer.begin(), k_.outer.end(), [&](int axis) {
            return axis == column_ || stride_of(k_, of(load).at, axis) == 0;
        });
        if (is_row && times < 0 && g.bias < 0) {
            g.bias = of(load).input;
            return true;
        }
        if (g.c.input >= 0 || leading < extent(column_)) return false;
        g.c = {of(load).input, of(load).type, false, leading};
        g.beta = times;
        added_ = load;
        return true;
    }

    /// How the matrix lies that a load goes through along two axes.
    bool read_matrix(gemm_matrix& m, int load, int along_rows, int along_columns) const {
        const std::int64_t down = stride_of(k_, of(load).at, along_rows),
                           across = stride_of(k_, of(load).at, along_columns);
        m.input = of(load).input;
        m.type = of(load).type;
        m.transposed = across != 1;
        m.leading = m.transposed ? across : down;
        return m.transposed ? down == 1 && across >= extent(along_rows) : down >= extent(along_columns);
    }

    bool read_matrices(gemm& g) {
        const int summed = k_.loops[0].axes[0];
        g.rows = extent(row_);
        g.columns = extent(column_);
        g.depth = extent(summed);
        g.tf32 = k_.product == ir::product::tf32;
        return g.depth > 0 && read_matrix(g.a, first_, row_, summed) && read_matrix(g.b, second_, summed, column_);
    }

    bool read_batches(gemm& g) {
        std::int64_t calls = 1;
        for (int axis : k_.outer) {
            if (axis == row_ || axis == column_) continue;
            gemm_batch b{extent(axis), stride_of(k_, of(first_).at, axis), stride_of(k_, of(second_).at, axis),
                         added_ < 0 ? 0 : stride_of(k_, of(added_).at, axis), stride_of(k_, k_.stores[0].at, axis)};
            if (b.a < 0 || b.b < 0 || b.c < 0 || b.d <= 0) return false;
            if (b.extent > g.batch.extent) std::swap(b, g.batch);
            if (b.extent > 1) g.batches.push_back(b);
        }
        for (const gemm_batch& b : g.batches) calls *= b.extent;
        return calls <= max_calls;
    }

    const loop_nest& k_;
    int sum_ = -1, first_ = -1, second_ = -1;  ///< values: the reduction, A's and B's loads
    int added_ = -1;                           ///< C's
    int row_ = -1, column_ = -1;               ///< axes
};

}  // namespace

std::optional<gemm> as_gemm(const loop_nest& k) {
    gemm g;
    if (k.product == ir::product::none || !gemm_reader(k).read(g)) return std::nullopt;
    return g;
}

bool has_aligned_rows(const gemm& g) {
    const auto is_aligned = [](const gemm_matrix& m) {
        return m.leading * static_cast<std::int64_t>(size_of(m.type)) % 16 == 0;
    };
    return is_aligned(g.a) && is_aligned(g.b) && is_aligned(g.d) && (g.c.input < 0 || is_aligned(g.c));
}

bool is_small(const gemm& g) {
    double batches = static_cast<double>(g.batch.extent), matrix = 1;
    for (const gemm_batch& b : g.batches) batches *= static_cast<double>(b.extent);
    for (const std::int64_t n : {g.rows, g.columns, g.depth}) matrix *= static_cast<double>(n);
    if (batches > 1 && is_small_in_batch(g.rows * g.columns, g.depth)) return true;
    return batches * matrix <= max_multiplications && g.depth <= max_steps;
}

ir::scalar_bits gemm_factor(const loop_nest& k, const gemm& g, int factor, const ir::scalar_bits* of_program) {
    if (factor < 0) {
        const bool wide = g.computed_in == dtype::float64 || g.computed_in == dtype::complex128;
        return {wide ? std::bit_cast<std::uint64_t>(1.0) : std::bit_cast<std::uint32_t>(1.0f)};
    }
    const value& v = k.values[static_cast<std::size_t>(factor)];
    if (v.what == value_kind::constant) return {v.bits};
    return scalar_argument(k, static_cast<std::size_t>(v.scalar), of_program);
}

}  // namespace sinter::codegen
