// Every non-reduction row of the op table that takes complex operands, against NumPy's results, which
// tests/data/functions.py wrote: contiguous, strided, broadcast, empty and of rank 0. The rows of one dtype form one
// kernel, as in rows_test.cpp. complex_reference_test.cpp tests special values of the functions.
//
// Errors of functions that round are relative to the result's absolute value; SINTER_UPDATE_ACCURACY=1 writes the
// measured errors, for docs/accuracy.md.
#include <tests/language/on_devices.hpp>
#include <tests/language/program_of_rows.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <map>

namespace sinter::test {
namespace {

const std::string data = SINTER_TEST_DIR "/data/rows/";

/// The largest errors measured, by the row's name: in complex64 and in complex128.
std::map<std::string, std::array<double, 2>> measured;

template <class T>
std::vector<T> read(const std::string& file) {
    const device_scope on(host());
    return to_host(load_npy<T, 2>(data + file + ".npy"));
}

/// Roundings, of the result's absolute value, that a row may be off by. A power is exp(y log(x)): it has those of its
/// exponent, times that.
double allowed(const op_row& row) { return &row == &op::pow::row ? 32 : 4; }

bool same(double got, double want) { return got == want || (got != got && want != want); }

class complex_rows : public on_devices {
protected:
    template <class T>
    void check() {
        for (const char* kind : {"exact", "rounded", "whole"}) {
            const std::vector<const op_row*> rows = listed<T>(kind);
            for (layout how : {layout::contiguous, layout::strided, layout::broadcast, layout::empty, layout::rank_0}) {
                SCOPED_TRACE(std::string(name(dtype_of<T>)) + ", " + layout_names[static_cast<int>(how)]);
                compare<T>(rows, kind, how);
            }
        }
    }

    /// That every row that computes in T is in one of the lists.
    template <class T>
    void expect_all_listed() {
        std::size_t rows = 0;
        for (const op_row* row : all_rows) rows += computes_in(row->rule, dtype_of<T>);
        EXPECT_EQ(listed<T>("exact").size() + listed<T>("rounded").size() + listed<T>("whole").size(), rows)
            << "tests/data/functions.py does not know the table as it is: complete and run it";
    }

private:
    /// The rows of a kind, in the order of the data.
    template <class T>
    static std::vector<const op_row*> listed(const std::string& wanted) {
        std::ifstream in(data + "rows.txt");
        std::vector<const op_row*> rows;
        for (std::string type, row, kind; in >> type >> row >> kind;) {
            if (type != name(dtype_of<T>) || kind != wanted) continue;
            for (const op_row* r : all_rows)
                if (r->name == row && computes_in(r->rule, dtype_of<T>)) rows.push_back(r);
        }
        return rows;
    }

    template <class T>
    static void compare(const std::vector<const op_row*>& rows, const std::string& kind, layout how) {
        const std::string type_name = name(dtype_of<T>);
        const auto inputs = read<std::complex<double>>("inputs_" + type_name);
        const std::size_t columns = inputs.size() / 3;
        std::vector<std::vector<std::byte>> in(4);
        for (std::size_t i = 0; i < 3; ++i) {
            in[i].resize(columns * sizeof(T));
            for (std::size_t e = 0; e < columns; ++e) {
                const T value(inputs[i * columns + e]);
                std::memcpy(&in[i][e * sizeof(T)], &value, sizeof value);
            }
        }
        for (std::size_t e = 0; e < columns; ++e) in[3].push_back(std::byte{(e & 1) != 0});
        const std::size_t n = how == layout::empty ? 0 : how == layout::rank_0 ? 1 : columns;
        const std::size_t repeats = how == layout::broadcast ? copies : 1;
        const dtype result = kind == "whole" ? dtype::int64 : dtype::complex128, type = dtype_of<T>;
        program_of_rows program(rows, type, result, how);
        const auto got = program.run(in, {type, type, type, dtype::bool_}, rows.size(), n);
        const std::size_t words = size_of(result) / 8;
        ASSERT_EQ(got.size(), rows.size() * n * repeats * words);
        if (n == 0) return;
        std::vector<std::int64_t> whole;
        std::vector<std::complex<double>> numbers;
        if (kind == "whole")
            whole = read<std::int64_t>(kind + "_" + type_name);
        else
            numbers = read<std::complex<double>>(kind + "_" + type_name);
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t i = 0; i < n * repeats; ++i) {
                const std::size_t element = how == layout::rank_0 ? single : i / repeats, e = r * columns + element;
                SCOPED_TRACE(std::string(rows[r]->name) + ", element " + std::to_string(element));
                const std::uint64_t* bits = &got[(r * n * repeats + i) * words];
                if (kind == "whole") {
                    EXPECT_EQ(static_cast<std::int64_t>(*bits), whole[e]);
                    continue;
                }
                std::complex<double> value;
                std::memcpy(static_cast<void*>(&value), bits, sizeof value);
                const std::complex<double> x = inputs[element], y = inputs[columns + element];
                const bool finite = std::isfinite(std::abs(x)) && (rows[r]->arity == 1 || std::isfinite(std::abs(y)));
                if (kind == "exact")
                    EXPECT_TRUE(same(value.real(), numbers[e].real()) && same(value.imag(), numbers[e].imag()))
                        << value << ", not " << numbers[e];
                else if (finite)
                    expect_near<typename T::value_type>(*rows[r], value, numbers[e]);
            }
    }

    template <class R>
    static void expect_near(const op_row& row, const std::complex<double>& got, const std::complex<double>& want) {
        if (!std::isfinite(std::abs(want))) {  // at a pole
            EXPECT_TRUE(same(got.real(), want.real()) && same(got.imag(), want.imag())) << got << ", not " << want;
            return;
        }
        const double one = static_cast<double>(std::numeric_limits<R>::epsilon()) * std::abs(want);
        const double off = got == want ? 0 : std::abs(got - want) / one;
        double& most = measured[row.name][std::is_same_v<R, float> ? 0 : 1];
        most = std::max(most, off);
        EXPECT_LE(off, allowed(row)) << got << ", not " << want;
    }
};

TEST_F(complex_rows, of_complex64) {
    check<std::complex<float>>();
    expect_all_listed<std::complex<float>>();
}
TEST_F(complex_rows, of_complex128) {
    check<std::complex<double>>();
    expect_all_listed<std::complex<double>>();
}

/// Runs last: writes what the tests above have measured.
TEST_F(complex_rows, write_what_was_measured) {
    const char* wanted = std::getenv("SINTER_UPDATE_ACCURACY");
    if (wanted == nullptr || *wanted == '\0') return;
    std::ofstream out(std::string(SINTER_TEST_DIR) + "/data/accuracy/complex_" + test_device_name() + ".txt");
    for (const op_row* row : all_rows)
        if (const auto found = measured.find(row->name); found != measured.end())
            out << row->name << ' ' << found->second[0] << ' ' << found->second[1] << ' ' << allowed(*row) << '\n';
}

}  // namespace
}  // namespace sinter::test
