// Every row of the op table that is no reduction, in every dtype it computes in, against NumPy's and mpmath's results,
// which tests/data/functions.py wrote: contiguous, strided, broadcast, empty and of rank 0. The rows of one dtype are
// one kernel, which chooses among them by an index.
//
// Where the result is floating, its error is measured in ulps and checked against tests/data/accuracy/bounds.txt;
// SINTER_UPDATE_ACCURACY=1 writes what was measured beside it, for docs/accuracy.md.
#include <tests/language/on_devices.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace sinter::test {
namespace {

const std::string data = SINTER_TEST_DIR "/data/";

/// The table's rows that are no reductions.
const op_row* const all_rows[] = {
#define UNARY(name, ...) &op::name::row,
#define BINARY UNARY
#define TERNARY UNARY
#define PREFIX UNARY
#define INFIX UNARY
#define REDUCTION(...)
#include <sinter/op/table.def>
};

template <class T>
std::vector<T> read(const std::string& file, std::size_t* columns) {
    const device_scope on(host());
    const auto a = load_npy<T, 2>(data + "rows/" + file + ".npy");
    *columns = static_cast<std::size_t>(a.shape()[1]);
    return to_host(a);
}

enum class layout { contiguous, strided, broadcast, empty, rank_0 };
constexpr const char* layout_names[] = {"contiguous", "strided", "broadcast", "empty", "rank 0"};
constexpr std::int64_t copies = 3;  ///< of each element, where operands are broadcast
constexpr std::size_t single = 5;   ///< the element that stands alone in rank 0

/// A program put together node by node, and its arguments.
class program_of_rows {
public:
    /// f(x, y, z) of each of the rows, converted to `result`, along a new first axis.
    program_of_rows(const std::vector<const op_row*>& rows, dtype type, dtype result, layout how)
        : how_(how),
          rank_(how == layout::rank_0      ? 0
                : how == layout::broadcast ? 2
                                           : 1),
          slot_(new detail::plan_slot) {
        const int x = operand(type), y = operand(type), z = operand(type), condition = operand(dtype::bool_);
        const int which = add({.what = ir::kind::leaf,
                               .type = dtype::int32,
                               .rank = static_cast<std::int8_t>(rank_ + 1),
                               .argument = static_cast<std::int16_t>(leaves_++)});
        int chosen = -1;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const op_row& row = *rows[r];
            std::vector<int> in = {row.rule == dtype_rule::select ? condition : x, y, z};
            in.resize(row.arity);
            int value = elementwise(row, result_of(row.rule, type), rank_, in);
            if (nodes_[static_cast<std::size_t>(value)].type != result)
                value = add({.what = ir::kind::cast, .type = result, .rank = rank_, .in = {as_in(value), -1, -1}});
            if (chosen < 0) {
                chosen = value;
                continue;
            }
            const int number = add({.what = ir::kind::constant, .type = dtype::int32, .bits = r});
            const int is_it = elementwise(op::equal::row, dtype::bool_, rank_ + 1, {which, number});
            chosen = elementwise(op::where::row, result, rank_ + 1, {is_it, value, chosen});
        }
        roots_[0] = chosen;
    }

    /// The values, a line of `n` elements for each row. `in` holds the operands of `type`, one behind the other, and
    /// the condition.
    std::vector<std::uint64_t> run(const std::vector<std::vector<std::byte>>& in, const std::vector<dtype>& types,
                                   std::size_t rows, std::size_t n) {
        std::vector<detail::storage_ref> leaves;
        for (std::size_t i = 0; i < in.size(); ++i) leaves.push_back(upload(in[i], types[i], n));
        std::vector<std::int64_t> column(static_cast<std::size_t>(rank_) + 1, 1);
        column[0] = static_cast<std::int64_t>(rows);
        std::vector<std::int32_t> numbers(rows);
        for (std::size_t r = 0; r < rows; ++r) numbers[r] = static_cast<std::int32_t>(r);
        leaves.push_back(detail::make_storage(dtype::int32, rank_ + 1, column.data()));
        detail::copy_from_host(leaves.back(), numbers.data());

        std::vector<std::int64_t> extents = {static_cast<std::int64_t>(rows)};
        std::vector<std::int64_t> integers;
        const auto count = static_cast<std::int64_t>(n);
        if (rank_ > 0) extents.push_back(count);
        if (how_ == layout::broadcast) extents.push_back(copies);
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (how_ == layout::strided) integers.insert(integers.end(), {0, 2 * count - 1, -2, count});
            if (how_ == layout::broadcast) integers.insert(integers.end(), {0, 0, 1, count, copies});
        }
        const int node_count = static_cast<int>(nodes_.size());
        const ir::program program{nodes_.data(),
                                  node_count,
                                  roots_,
                                  1,
                                  leaves_,
                                  0,
                                  static_cast<int>(integers.size()),
                                  detail::hash_of(nodes_.data(), node_count, roots_, 1)};
        detail::evaluation_result result{.rank = rank_ + 1, .extents = extents.data()};
        detail::evaluate(program, *slot_, {leaves.data(), nullptr, integers.data()}, &result);
        std::size_t size = 1;
        for (std::int64_t extent : extents) size *= static_cast<std::size_t>(extent);
        std::vector<std::uint64_t> all(size);
        if (size > 0) detail::copy_to_host(all.data(), result.made);
        return all;
    }

private:
    static std::int16_t as_in(int i) { return static_cast<std::int16_t>(i); }
    int add(const ir::node& n) {
        nodes_.push_back(n);
        return static_cast<int>(nodes_.size()) - 1;
    }
    int elementwise(const op_row& row, dtype type, int rank, const std::vector<int>& in) {
        ir::node n{.what = ir::kind::elementwise, .type = type, .rank = static_cast<std::int8_t>(rank), .op = &row};
        for (std::size_t i = 0; i < in.size(); ++i) n.in[i] = as_in(in[i]);
        return add(n);
    }
    int operand(dtype type) {
        const std::int8_t rank = how_ == layout::rank_0 ? 0 : 1;
        const int leaf = add({.what = ir::kind::leaf, .type = type, .rank = rank, .argument = as_in(leaves_++)});
        if (how_ != layout::strided && how_ != layout::broadcast) return leaf;
        const int view = add({.what = ir::kind::index_map,
                              .type = type,
                              .rank = rank_,
                              .in = {as_in(leaf), -1, -1},
                              .argument = as_in(integers_)});
        integers_ += ir::index_map_integers(1, rank_);
        return view;
    }
    /// An operand's elements; where they are strided, backwards in every other place, and what lies between is garbage.
    detail::storage_ref upload(const std::vector<std::byte>& values, dtype type, std::size_t n) const {
        const std::size_t size = size_of(type);
        std::vector<std::byte> spread = values;
        std::int64_t extent = static_cast<std::int64_t>(n);
        if (how_ == layout::strided) {
            extent *= 2;
            spread.assign(2 * n * size, std::byte{1});
            for (std::size_t i = 0; i < n; ++i)
                std::memcpy(&spread[(2 * n - 1 - 2 * i) * size], &values[i * size], size);
        }
        if (how_ == layout::rank_0) spread.erase(spread.begin(), spread.begin() + static_cast<long>(single * size));
        auto s = detail::make_storage(type, how_ == layout::rank_0 ? 0 : 1, &extent);
        if (n > 0) detail::copy_from_host(s, spread.data());
        return s;
    }

    layout how_;
    std::int8_t rank_;
    detail::plan_slot* slot_;  ///< kept to the end, as plans are
    std::vector<ir::node> nodes_;
    int roots_[1] = {};
    int leaves_ = 0;
    int integers_ = 0;
};

/// The distance to the exact value high + rest, in ulps of T there.
template <class T>
double ulps(double got, double high, double rest) {
    if (std::isnan(got) || std::isnan(high)) return std::isnan(got) == std::isnan(high) ? 0 : HUGE_VAL;
    if (got == high && rest == 0) return 0;
    const auto most = static_cast<double>(std::numeric_limits<T>::max());
    if (std::isinf(static_cast<T>(high)) || std::isinf(got))
        return got == static_cast<double>(static_cast<T>(high)) ? 0 : std::abs(high) > most ? 1 : HUGE_VAL;
    constexpr int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent;
    const double one = std::ldexp(1.0, std::max(high == 0 ? lowest : std::ilogb(high) + 1, lowest) - digits);
    return std::abs(((got - high) - rest) / one);
}

struct bound {
    double ulps[2] = {0.5, 0.5};  ///< float32, float64
    bool of_one = false;          ///< measured against 1 where the result is smaller
    bool any_zero = false;        ///< -0.0 and 0.0 are not told apart
};

/// "name float32 float64 [of_one] [any_zero]" a line; what CUDA's documentation says follows behind a bar.
std::map<std::string, bound> read_bounds() {
    std::ifstream in(data + "accuracy/bounds.txt");
    std::map<std::string, bound> all;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line.substr(0, line.find('|')));
        std::string name, remark;
        if (!(words >> name) || name[0] == '#') continue;
        bound b;
        words >> b.ulps[0] >> b.ulps[1];
        while (words >> remark) (remark == "of_one" ? b.of_one : b.any_zero) = true;
        all[name] = b;
    }
    return all;
}

/// The largest errors measured, by the row's name: in float32 and in float64.
std::map<std::string, std::array<double, 2>>& measured() {
    static std::map<std::string, std::array<double, 2>> all;
    return all;
}

class table_rows : public on_devices {
protected:
    template <class T>
    void check() {
        constexpr dtype type = dtype_of<T>;
        const std::string type_name = name(type);
        std::vector<const op_row*> floating, whole;
        for (const op_row* row : all_rows) {
            if (!computes_in(row->rule, type)) continue;
            (is_floating(result_of(row->rule, type)) ? floating : whole).push_back(row);
        }
        expect_listed(type_name, floating, "floating");
        expect_listed(type_name, whole, "whole");
        for (layout how : {layout::contiguous, layout::strided, layout::broadcast, layout::empty, layout::rank_0}) {
            SCOPED_TRACE(type_name + ", " + layout_names[static_cast<int>(how)]);
            if (!floating.empty()) compare<T>(floating, dtype::float64, how);
            compare<T>(whole, dtype::int64, how);
        }
    }

private:
    /// That the data has exactly these rows.
    static void expect_listed(const std::string& type, const std::vector<const op_row*>& rows, const char* kind) {
        std::ifstream in(data + "rows/rows.txt");
        std::vector<std::string> listed, wanted;
        for (std::string t, name, k; in >> t >> name >> k;)
            if (t == type && k == kind) listed.push_back(name);
        for (const op_row* row : rows) wanted.emplace_back(row->name);
        ASSERT_EQ(listed, wanted) << "tests/data/functions.py does not know the table as it is: complete and run it";
    }

    template <class T>
    void compare(const std::vector<const op_row*>& rows, dtype result, layout how) {
        constexpr dtype type = dtype_of<T>;
        const std::string type_name = name(type);
        std::size_t columns = 0, n = 0;
        const std::vector<T> inputs = read<T>("inputs_" + type_name, &columns);
        std::vector<std::vector<std::byte>> in(4);
        for (std::size_t i = 0; i < 3; ++i) {
            in[i].resize(columns * sizeof(T));
            for (std::size_t e = 0; e < columns; ++e) {
                const T value = inputs[i * columns + e];
                std::memcpy(&in[i][e * sizeof(T)], &value, sizeof value);
            }
        }
        for (std::size_t e = 0; e < columns; ++e) in[3].push_back(std::byte{(e & 1) != 0});
        n = how == layout::empty ? 0 : how == layout::rank_0 ? 1 : columns;
        program_of_rows program(rows, type, result, how);
        const auto got = program.run(in, {type, type, type, dtype::bool_}, rows.size(), n);
        const std::size_t repeats = how == layout::broadcast ? copies : 1;
        ASSERT_EQ(got.size(), rows.size() * n * repeats);
        if (n == 0) return;
        std::vector<double> high, rest;
        std::vector<std::int64_t> whole;
        if (result == dtype::float64) {
            high = read<double>("floating_" + type_name, &columns);
            rest.assign(high.size(), 0);
            if (type == dtype::float64) rest = read<double>("rests_" + type_name, &columns);
        } else {
            whole = read<std::int64_t>("whole_" + type_name, &columns);
        }
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t i = 0; i < n * repeats; ++i) {
                const std::size_t e = r * columns + (how == layout::rank_0 ? single : i / repeats);
                const std::uint64_t bits = got[r * n * repeats + i];
                if (result == dtype::float64)
                    expect_near<T>(*rows[r], bits, high[e], rest[e], e % columns);
                else
                    EXPECT_EQ(static_cast<std::int64_t>(bits), whole[e])
                        << rows[r]->name << ", element " << e % columns;
            }
    }

    template <class T>
    void expect_near(const op_row& row, std::uint64_t bits, double high, double rest, std::size_t at) {
        static const std::map<std::string, bound> bounds = read_bounds();
        const auto found = bounds.find(row.name);
        const bound allowed = found == bounds.end() ? bound{} : found->second;
        double got;
        std::memcpy(&got, &bits, sizeof got);
        using precision =
            std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>, float, double>;
        double off = ulps<precision>(got, high, rest);
        if (allowed.of_one && std::abs(high) < 1)
            off = std::abs(got - high - rest) / static_cast<double>(std::numeric_limits<precision>::epsilon());
        constexpr std::size_t column = std::is_same_v<precision, float> ? 0 : 1;
        if (std::is_floating_point_v<T>) measured()[row.name][column] = std::max(measured()[row.name][column], off);
        if (got == 0 && high == 0 && !allowed.any_zero) {
            EXPECT_EQ(std::signbit(got), std::signbit(high)) << row.name << ", element " << at << ": the sign of zero";
        }
        EXPECT_LE(off, allowed.ulps[column]) << row.name << ", element " << at << ": " << got << ", not " << high;
    }
};

TEST_F(table_rows, of_bool) { check<bool>(); }
TEST_F(table_rows, of_int8) { check<std::int8_t>(); }
TEST_F(table_rows, of_int16) { check<std::int16_t>(); }
TEST_F(table_rows, of_int32) { check<std::int32_t>(); }
TEST_F(table_rows, of_int64) { check<std::int64_t>(); }
TEST_F(table_rows, of_uint8) { check<std::uint8_t>(); }
TEST_F(table_rows, of_uint16) { check<std::uint16_t>(); }
TEST_F(table_rows, of_uint32) { check<std::uint32_t>(); }
TEST_F(table_rows, of_uint64) { check<std::uint64_t>(); }
TEST_F(table_rows, of_float32) { check<float>(); }
TEST_F(table_rows, of_float64) { check<double>(); }

/// Runs last: writes what the tests above have measured.
TEST_F(table_rows, write_what_was_measured) {
    const char* wanted = std::getenv("SINTER_UPDATE_ACCURACY");
    if (wanted == nullptr || *wanted == '\0') return;
    std::ofstream out(data + "accuracy/" + test_device_name() + ".txt");
    for (const op_row* row : all_rows)
        if (const auto found = measured().find(row->name); found != measured().end())
            out << row->name << ' ' << found->second[0] << ' ' << found->second[1] << '\n';
}

}  // namespace
}  // namespace sinter::test
