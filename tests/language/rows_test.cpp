// Every non-reduction row of the op table, in every dtype it computes in, against NumPy's and mpmath's results, which
// tests/data/functions.py wrote: contiguous, strided, broadcast, empty and of rank 0. The rows of one dtype form one
// kernel, which selects a row by an index.
//
// Errors of floating results are measured in ulps and checked against tests/data/accuracy/bounds.txt;
// SINTER_UPDATE_ACCURACY=1 writes the measured errors to the same folder, for docs/accuracy.md.
#include <tests/language/on_devices.hpp>
#include <tests/language/program_of_rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace sinter::test {
namespace {

const std::string data = SINTER_TEST_DIR "/data/";

template <class T>
std::vector<T> read(const std::string& file, std::size_t* columns) {
    const device_scope on(host());
    const auto a = load_npy<T, 2>(data + "rows/" + file + ".npy");
    *columns = static_cast<std::size_t>(a.shape()[1]);
    return to_host(a);
}

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
    double on_cuda[2] = {0, 0};   ///< absolute errors that CUDA's function may have
};

/// "name float32 float64 [of_one] [any_zero] [cuda float32 float64]" a line; what CUDA's documentation says follows
/// behind a bar.
std::map<std::string, bound> read_bounds() {
    std::ifstream in(data + "accuracy/bounds.txt");
    std::map<std::string, bound> all;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line.substr(0, line.find('|')));
        std::string name, remark;
        if (!(words >> name) || name[0] == '#') continue;
        bound b;
        words >> b.ulps[0] >> b.ulps[1];
        while (words >> remark)
            if (remark == "cuda")
                words >> b.on_cuda[0] >> b.on_cuda[1];
            else
                (remark == "of_one" ? b.of_one : b.any_zero) = true;
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
            // each is a large kernel: of the layouts but the first an emulated device takes every second dtype
            const int number = static_cast<int>(type) + static_cast<int>(how);
            if (emulated() && how != layout::contiguous && number % 2 != 0) continue;
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
        if (test_device_name() == "cuda" && std::abs(got - high) <= allowed.on_cuda[column]) return;
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
