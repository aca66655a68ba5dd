// Every reduction of the op table, of every dtype and over every set of axes, bit for bit against NumPy's results,
// which tests/data/reductions.py wrote: of contiguous, permuted, reversed, broadcast and empty operands, and of rank 0.
#include <tests/language/kept_slot.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/language/program_of_rows.hpp>

#include <complex>
#include <cstring>
#include <fstream>

namespace sinter::test {
namespace {

const std::string data = SINTER_TEST_DIR "/data/reductions/";

const op_row* const all_reductions[] = {
#define SINTER_ROW_UNARY(...)
#define SINTER_ROW_BINARY SINTER_ROW_UNARY
#define SINTER_ROW_TERNARY SINTER_ROW_UNARY
#define SINTER_ROW_PREFIX SINTER_ROW_UNARY
#define SINTER_ROW_INFIX SINTER_ROW_UNARY
#define SINTER_ROW_REDUCTION(name, ...) &op::name::row,
#include <sinter/op/table.def>
};

constexpr int cases = 3;
constexpr std::int64_t size = 7 * 5 * 11;
using integers = std::vector<std::int64_t>;

/// What is reduced: a leaf, and the view of it that is the operand, if it is one.
struct layout_of {
    layout how;
    integers leaf, shape;
    integers view;                    ///< for each axis of the leaf (axis of the view, start, step), then the shape
    std::vector<std::uint32_t> axes;  ///< the sets of axes to reduce, in the order of the data

    bool folds_none(std::uint32_t set) const { return how == layout::empty && (set >> 1 & 1) != 0; }
    std::int64_t count(std::uint32_t set) const {
        std::int64_t n = 1;
        for (std::size_t a = 0; a < shape.size(); ++a) n *= set >> a & 1 ? 1 : shape[a];
        return n;
    }
    /// The operand's elements, of row-major ones of all three axes, in the order in which the leaf has them.
    template <class T>
    std::vector<T> laid(const std::vector<T>& values) const {
        std::vector<T> all;
        for (std::int64_t i = 0; i < (how == layout::rank_0 ? 1 : size); ++i) {
            std::int64_t from = i;
            if (how == layout::strided) from = (i / 5 % 7 * 5 + i % 5) * 11 + 10 - i / 35;
            if (how == layout::broadcast && i >= 7 * 11) break;
            if (how == layout::broadcast) from = i / 11 * 55 + i % 11;
            if (how == layout::rank_0) from = (1 * 5 + 2) * 11 + 3;
            all.push_back(values[static_cast<std::size_t>(from)]);
        }
        return all;
    }
};

const std::vector<std::uint32_t> all_axes = {1, 2, 4, 3, 5, 6, 7}, some_axes = {3, 5, 6, 7};
const layout_of layouts[] = {
    {layout::contiguous, {7, 5, 11}, {7, 5, 11}, {}, all_axes},
    {layout::strided, {11, 7, 5}, {7, 5, 11}, {2, 10, -1, 0, 0, 1, 1, 0, 1, 7, 5, 11}, all_axes},
    {layout::broadcast, {7, 11}, {7, 5, 11}, {0, 0, 1, 2, 0, 1, 7, 5, 11}, some_axes},
    {layout::empty, {7, 0, 11}, {7, 0, 11}, {}, some_axes},
    {layout::rank_0, {}, {}, {}, {0}},
};

template <class T, int Rank>
std::vector<T> read(const std::string& file) {
    const device_scope on(host());
    return to_host(load_npy<T, Rank>(data + file + ".npy"));
}

/// Reductions of one operand over the same axes, put together node by node; the results' bytes.
std::vector<std::vector<std::byte>> reduced(const std::vector<const op_row*>& rows, const detail::storage_ref& leaf,
                                            const layout_of& how, std::uint32_t axes) {
    node_list nodes;
    const dtype type = leaf->type;
    const auto rank = static_cast<std::int8_t>(how.shape.size());
    int operand = nodes.leaf(type, leaf->rank);
    if (!how.view.empty())
        operand = nodes.add({.what = ir::kind::index_map,
                             .type = type,
                             .rank = rank,
                             .in = {node_list::as_in(operand), -1, -1},
                             .argument = 0});
    integers all = how.view, shape;
    for (int a = 0; a < rank; ++a)
        if (!(axes >> a & 1)) shape.push_back(how.shape[static_cast<std::size_t>(a)]);
    std::vector<int> roots;
    for (const op_row* row : rows) {
        const dtype wide = detail::compute_dtype(row->rule, detail::operand_info{type, false});
        const int from = wide != type ? nodes.cast(wide, operand) : operand;
        roots.push_back(nodes.add({.what = ir::kind::reduction,
                                   .type = wide,
                                   .rank = static_cast<std::int8_t>(shape.size()),
                                   .axes_known = false,
                                   .in = {node_list::as_in(from), -1, -1},
                                   .argument = static_cast<std::int16_t>(all.size()),
                                   .bits = how.shape.size() - shape.size(),
                                   .op = row}));
    }
    all.push_back(axes);
    detail::evaluation_result results[ir::max_roots];
    for (auto& r : results) r = {.rank = static_cast<int>(shape.size()), .extents = shape.data()};
    // the slot is kept to the end, as plans are
    detail::evaluate(nodes.program(roots, all.size()), kept_slot(), {&leaf, nullptr, all.data()}, results);
    std::vector<std::vector<std::byte>> bytes;
    for (std::size_t r = 0; r < roots.size(); ++r) {
        const detail::storage_ref& made = results[r].made;
        bytes.emplace_back(made ? made->bytes : 0);
        if (!bytes.back().empty()) detail::copy_to_host(bytes.back().data(), made);
    }
    return bytes;
}

template <class T>
detail::storage_ref upload(const std::vector<T>& values, const layout_of& how) {
    auto s = detail::make_storage(dtype_of<T>, static_cast<int>(how.leaf.size()), how.leaf.data());
    const auto laid = how.laid(std::vector<detail::stored_t<T>>(values.begin(), values.end()));
    if (how.how != layout::empty) detail::copy_from_host(s, laid.data());
    return s;
}

/// An element of a result as the data has it.
template <class Wide, class T>
Wide widened(const T& value) {
    if constexpr (is_storage_only(dtype_of<T>))
        return static_cast<Wide>(static_cast<float>(value));
    else
        return static_cast<Wide>(value);
}

/// The `count` elements of a result of dtype T, and those of the data from `at` on, which moves behind them.
template <class T, class Wide>
void compare(const std::vector<std::byte>& bytes, std::size_t count, const std::vector<Wide>& expected,
             std::size_t& at) {
    ASSERT_EQ(bytes.size(), count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(static_cast<void*>(&value), &bytes[i * sizeof(T)], sizeof(T));
        const Wide got = widened<Wide>(value), want = expected.at(at++);
        const auto same = [](auto g, auto w) { return g == w || (g != g && w != w); };
        bool equal = false;
        if constexpr (requires { got.real(); })
            equal = same(got.real(), want.real()) && same(got.imag(), want.imag());
        else
            equal = same(got, want);
        if (!equal) ADD_FAILURE() << "element " << i << ": " << got << ", not " << want;
    }
}

class reduction_rows : public on_devices {
protected:
    template <class T, class Wide = std::conditional_t<is_complex(dtype_of<T>), std::complex<double>, double>>
    void check() {
        const std::string type = name(dtype_of<T>);
        constexpr bool is_exact = !is_floating(dtype_of<T>) && !is_complex(dtype_of<T>);
        using stored = std::conditional_t<is_exact, std::int64_t, Wide>;
        std::vector<const op_row*> rows;
        for (const op_row* row : all_reductions)
            if (!is_complex(dtype_of<T>) || !refuses_complex(row->rule)) rows.push_back(row);
        expect_listed(type, rows);
        const std::vector<stored> inputs = read<stored, 4>("inputs_" + type);
        const std::vector<std::int64_t> whole = read<std::int64_t, 1>("whole_" + type);
        std::vector<Wide> numbers;
        if constexpr (!is_exact) numbers = read<Wide, 1>("numbers_" + type);
        std::size_t at_number = 0, at_whole = 0;
        for (const layout_of& how : layouts) {
            SCOPED_TRACE(type + ", " + layout_names[static_cast<int>(how.how)]);
            // contiguous and strided operands have the same elements, and the same results
            if (how.how == layout::strided) at_number = at_whole = 0;
            for (int c = 0; c < cases; ++c) {
                std::vector<T> values;
                for (std::int64_t i = 0; i < size; ++i)
                    values.push_back(static_cast<T>(inputs[static_cast<std::size_t>(c * size + i)]));
                // a product of floating numbers depends on its order, but for the last case's
                check_case<T>(rows, c == 2 || is_exact, upload(values, how), how, numbers, at_number, whole, at_whole);
            }
        }
        EXPECT_EQ(at_number, numbers.size());
        EXPECT_EQ(at_whole, whole.size());
    }

private:
    /// That the data has exactly these rows, and that those give something of no elements that do so in NumPy.
    static void expect_listed(const std::string& type, const std::vector<const op_row*>& rows) {
        std::ifstream in(data + "rows.txt");
        std::vector<std::string> listed, wanted;
        for (std::string t, row, of_none; in >> t >> row >> of_none;)
            if (t == type) listed.push_back(row + " " + of_none);
        for (const op_row* row : rows)
            wanted.push_back(row->name + std::string(row->has_identity ? " identity" : " error"));
        ASSERT_EQ(listed, wanted) << "tests/data/reductions.py does not know the table as it is: complete and run it";
    }

    template <class T, class Wide>
    void check_case(const std::vector<const op_row*>& all, bool products, const detail::storage_ref& leaf,
                    const layout_of& how, const std::vector<Wide>& numbers, std::size_t& at_number,
                    const std::vector<std::int64_t>& whole, std::size_t& at_whole) {
        for (const std::uint32_t axes : how.axes) {
            // each is a kernel: an emulated device takes every third of them, others of another dtype
            const bool skipped =
                emulated() &&
                (axes + static_cast<std::uint32_t>(dtype_of<T>) + static_cast<std::uint32_t>(how.how)) % 3 != 0;
            std::vector<const op_row*> rows;
            for (const op_row* row : all)
                if (row->has_identity || !how.folds_none(axes)) rows.push_back(row);
            const auto count = static_cast<std::size_t>(how.count(axes));
            std::vector<std::vector<std::byte>> got;
            for (std::size_t r = 0; r < rows.size() && !skipped; r += ir::max_roots) {
                const auto first = rows.begin() + static_cast<std::ptrdiff_t>(r);
                const std::vector<const op_row*> some(
                    first, rows.size() - r > ir::max_roots ? first + ir::max_roots : rows.end());
                for (auto& result : reduced(some, leaf, how, axes)) got.push_back(std::move(result));
            }
            for (std::size_t r = 0; r < rows.size(); ++r) {
                const bool is_number =
                    (is_floating(dtype_of<T>) || is_complex(dtype_of<T>)) && rows[r]->rule != dtype_rule::logical;
                SCOPED_TRACE(std::string(rows[r]->name) + " over the axes " + std::to_string(axes));
                if (rows[r] == &op::prod::row && !products) continue;
                if (skipped)
                    (is_number ? at_number : at_whole) += count;
                else if (rows[r]->rule == dtype_rule::logical)
                    compare<bool>(got[r], count, whole, at_whole);
                else if constexpr (is_floating(dtype_of<T>) || is_complex(dtype_of<T>))
                    compare<T>(got[r], count, numbers, at_number);
                else if (rows[r]->rule == dtype_rule::sum)
                    compare<std::int64_t>(got[r], count, whole, at_whole);
                else
                    compare<T>(got[r], count, whole, at_whole);
            }
        }
    }
};

TEST_F(reduction_rows, of_bool) { check<bool>(); }
TEST_F(reduction_rows, of_int8) { check<std::int8_t>(); }
TEST_F(reduction_rows, of_int16) { check<std::int16_t>(); }
TEST_F(reduction_rows, of_int32) { check<std::int32_t>(); }
TEST_F(reduction_rows, of_int64) { check<std::int64_t>(); }
TEST_F(reduction_rows, of_uint8) { check<std::uint8_t>(); }
TEST_F(reduction_rows, of_uint16) { check<std::uint16_t>(); }
TEST_F(reduction_rows, of_uint32) { check<std::uint32_t>(); }
TEST_F(reduction_rows, of_uint64) { check<std::uint64_t>(); }
TEST_F(reduction_rows, of_float16) { check<float16>(); }
TEST_F(reduction_rows, of_bfloat16) { check<bfloat16>(); }
TEST_F(reduction_rows, of_float32) { check<float>(); }
TEST_F(reduction_rows, of_float64) { check<double>(); }
TEST_F(reduction_rows, of_complex64) { check<std::complex<float>>(); }
TEST_F(reduction_rows, of_complex128) { check<std::complex<double>>(); }

}  // namespace
}  // namespace sinter::test
