// The reductions of the op table, and scans of them, against NumPy's results, which tests/data/make.py wrote.
#include <tests/language/on_devices.hpp>

#include <cmath>

using namespace sinter;

namespace {

class reference : public test::on_devices {};

/// Values of a reference file, read on the host whatever device is being tested.
template <class T, int Rank>
std::vector<T> read(const std::string& name, shape<Rank>* extents = nullptr) {
    const device_scope on(host());
    const auto a = load_npy<T, Rank>(std::string(SINTER_TEST_DIR) + "/data/reference/" + name + ".npy");
    if (extents) *extents = a.shape();
    return to_host(a);
}

/// NumPy's value to the bit, but for the sign of zeros.
template <class T>
void expect_same(const char* function, T got, double wide, std::size_t at) {
    const T want = static_cast<T>(wide);
    if (got != want && !(got != got && want != want))
        ADD_FAILURE() << function << " of " << name(dtype_of<T>) << ", element " << at << ": " << got << ", not "
                      << want;
}

/// One case's results over one set of axes: for each dtype sum, prod, max, min and mean, in NumPy's row-major order.
struct reduced {
    std::vector<double> all;
    std::size_t size;

    reduced(const std::string& values, const std::string& axes) {
        shape<3> extents;
        all = read<double, 3>("reduce_" + values + "_" + axes, &extents);
        size = static_cast<std::size_t>(extents[2]);
    }
    template <class E>
    void expect(const char* function, const E& e, std::size_t type, std::size_t row) const {
        const auto got = to_host(e);
        ASSERT_EQ(got.size(), size) << function;
        for (std::size_t i = 0; i < size; ++i)
            expect_same<element_t<E::type>>(function, got[i], all[(type * 5 + row) * size + i], i);
    }
};

template <class T, class... Axes>
void check_reductions(const std::string& values, const std::string& name, std::size_t type, const Axes&... axes) {
    SCOPED_TRACE(values + ", " + sinter::name(dtype_of<T>) + ", axes " + name);
    const std::vector<double> wide = read<double, 3>("reduce_" + values);
    std::vector<T> plain;
    for (double v : wide) plain.push_back(std::is_integral_v<T> && !std::isfinite(v) ? T(0) : static_cast<T>(v));
    const array<T, 3> x = from_host(std::span<const T>(plain), {7, 5, 11});
    const reduced want(values, name);
    want.expect("sum", sum(x, axes...), type, 0);
    if (values == "powers") want.expect("prod", prod(x, axes...), type, 1);
    want.expect("max", max(x, axes...), type, 2);
    want.expect("min", min(x, axes...), type, 3);
    want.expect("mean", mean(x, axes...), type, 4);
    want.expect("sum with keepdims", sum(x, axes..., keepdims), type, 0);
}

/// By axis, dtype and function (cumsum, cumprod, cummax, cummin), the scans of one case.
template <class T>
void check_scans(std::size_t type) {
    for (const char* values : {"special", "powers"}) {
        const std::vector<double> wide = read<double, 3>(std::string("reduce_") + values);
        const std::vector<float> all = read<float, 6>(std::string("scan_") + values);
        std::vector<T> plain;
        for (double v : wide) plain.push_back(std::is_integral_v<T> && !std::isfinite(v) ? T(0) : static_cast<T>(v));
        const array<T, 3> x = from_host(std::span<const T>(plain), {7, 5, 11});
        const auto expect = [&](const char* function, const auto& e, std::size_t row) {
            const auto got = to_host(e);
            ASSERT_EQ(got.size(), wide.size()) << function;
            for (std::size_t i = 0; i < wide.size(); ++i)
                expect_same(function, got[i], static_cast<double>(all[row * wide.size() + i]), i);
        };
        for (int a = 0; a < 3; ++a) {
            SCOPED_TRACE(std::string(values) + ", " + name(dtype_of<T>) + ", axis " + std::to_string(a));
            const std::size_t first = (static_cast<std::size_t>(a) * 3 + type) * 4;
            expect("cumsum", cumsum(x, axis=a), first);
            if (std::string(values) == "powers") expect("cumprod", cumprod(x, axis=a - 3), first + 1);
            expect("cummax", cummax(x, axis=a), first + 2);
            expect("cummin", cummin(x, axis=a), first + 3);
        }
    }
}

template <class T>
void check_axes(std::size_t type) {
    for (const char* values : {"finite", "special", "powers"}) {
        for (int a = 0; a < 3; ++a) {
            check_reductions<T>(values, std::to_string(a), type, axis=a);
            check_reductions<T>(values, std::to_string(a), type, axis=a - 3);
        }
        check_reductions<T>(values, "01", type, axis={0, 1});
        check_reductions<T>(values, "02", type, axis={2, 0});
        check_reductions<T>(values, "12", type, axis={1, -1});
        check_reductions<T>(values, "012", type);
    }
}

TEST_F(reference, reductions_of_float32) { check_axes<float>(0); }
TEST_F(reference, reductions_of_float64) { check_axes<double>(1); }
TEST_F(reference, reductions_of_int32) { check_axes<int>(2); }
TEST_F(reference, scans_of_float32) { check_scans<float>(0); }
TEST_F(reference, scans_of_float64) { check_scans<double>(1); }
TEST_F(reference, scans_of_int32) { check_scans<int>(2); }

}  // namespace
