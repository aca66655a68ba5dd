// The functions and reductions of the op table against NumPy's results, which tests/data/make.py wrote.
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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

/// How many floating numbers lie between a and b.
template <class T>
double ulps_between(T a, T b) {
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const auto ordered = [](T x) {
        bits i;
        std::memcpy(&i, &x, sizeof i);
        return i < 0 ? std::numeric_limits<bits>::min() - i : i;
    };
    // Subtracted as integers: a double cannot tell 64-bit neighbours apart.
    const auto low = std::min(ordered(a), ordered(b)), high = std::max(ordered(a), ordered(b));
    return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
}

/// What a row of the table below allows. Near a zero of a function whose argument it cannot undo (lgamma), the error is
/// measured against 1 rather than against the result.
struct tolerance {
    double float32;
    double float64;
    bool against_one = false;
    bool zero_signs = true;  ///< -0.0 and 0.0 are told apart
};

template <class T>
void expect_close(const char* function, T got, double wide, const tolerance& allowed, std::size_t at) {
    const T want = static_cast<T>(wide);
    if constexpr (!std::is_floating_point_v<T>) {
        EXPECT_EQ(got, want) << function << ", element " << at;
    } else {
        if (std::isnan(want) || std::isnan(got)) {
            EXPECT_EQ(std::isnan(got), std::isnan(want))
                << function << ", element " << at << ": " << got << ", not " << want;
            return;
        }
        const double limit = sizeof(T) == 4 ? allowed.float32 : allowed.float64;
        const bool small = allowed.against_one && std::abs(want) < 1;
        const double off = small ? std::abs(static_cast<double>(got) - static_cast<double>(want)) /
                                       static_cast<double>(std::numeric_limits<T>::epsilon())
                                 : ulps_between(got, want);
        EXPECT_LE(off, limit) << function << " of " << name(dtype_of<T>) << ", element " << at << ": " << got
                              << ", not " << want;
        if (got == 0 && want == 0 && allowed.zero_signs) {
            EXPECT_EQ(std::signbit(got), std::signbit(want)) << function << ", element " << at << ": the sign of zero";
        }
    }
}

/// Row `row` of a file of results against an expression's values.
template <class E>
void expect_row(const char* function, const E& e, int row, const tolerance& allowed) {
    shape<2> extents;
    const std::vector<double> all = read<double, 2>(function, &extents);
    const auto got = to_host(e);
    ASSERT_EQ(got.size(), static_cast<std::size_t>(extents[1]));
    for (std::size_t i = 0; i < got.size(); ++i) {
        using T = element_t<E::type>;
        expect_close<T>(function, got[i], all[static_cast<std::size_t>(row) * got.size() + i], allowed, i);
    }
}

template <class T>
array<T, 1> operand_named(const char* which) {
    const std::vector<T> values = read<T, 1>(std::string(which) + "_" + name(dtype_of<T>));
    return from_host(std::span<const T>(values), {values.size()});
}

template <class F>
void check(const char* function, const tolerance& allowed, F f) {
    expect_row(function, f(operand_named<float>("x"), operand_named<float>("y")), 0, allowed);
    expect_row(function, f(operand_named<double>("x"), operand_named<double>("y")), 1, allowed);
    expect_row(function, f(operand_named<int>("x"), operand_named<int>("y")), 2, allowed);
}

// A function, the ulps it may be off in float32 and in float64, and how it is called. The ulps are those that CUDA's
// math library documents, plus one for the reference's own rounding; what IEEE rounds exactly has none.
#define ROW(name, ulps32, ulps64, ...)                                                                             \
    TEST_F(reference, name) {                                                                                      \
        check(#name, {ulps32, ulps64}, [](const auto& x, [[maybe_unused]] const auto& y) { return __VA_ARGS__; }); \
    }

ROW(negative, 0, 0, -x)
ROW(abs, 0, 0, abs(x))
ROW(square, 0, 0, square(x))
ROW(reciprocal, 0, 0, reciprocal(x))
ROW(add, 0, 0, x + y)
ROW(subtract, 0, 0, x - y)
ROW(multiply, 0, 0, x* y)
ROW(divide, 0, 0, x / y)
ROW(clip, 0, 0, clip(x, -1, 2))

ROW(exp, 2, 2, exp(x))
ROW(exp2, 3, 2, exp2(x))
ROW(expm1, 2, 2, expm1(x))
ROW(log, 2, 2, log(x))
ROW(log2, 2, 2, log2(x))
ROW(log10, 3, 2, log10(x))
ROW(log1p, 2, 2, log1p(x))
ROW(pow, 5, 3, pow(x, y))
ROW(sqrt, 0, 0, sqrt(x))
ROW(rsqrt, 2, 2, rsqrt(x))
ROW(cbrt, 2, 2, cbrt(x))
ROW(hypot, 4, 3, hypot(x, y))

ROW(sin, 3, 3, sin(x))
ROW(cos, 3, 3, cos(x))
ROW(tan, 5, 3, tan(x))
ROW(asin, 3, 3, asin(x))
ROW(acos, 3, 3, acos(x))
ROW(atan, 3, 3, atan(x))
ROW(atan2, 4, 3, atan2(x, y))
ROW(sinh, 4, 3, sinh(x))
ROW(cosh, 3, 2, cosh(x))
ROW(tanh, 3, 3, tanh(x))
ROW(asinh, 4, 4, asinh(x))
ROW(acosh, 5, 4, acosh(x))
ROW(atanh, 4, 3, atanh(x))

ROW(floor, 0, 0, floor(x))
ROW(ceil, 0, 0, ceil(x))
ROW(trunc, 0, 0, trunc(x))
ROW(rint, 0, 0, rint(x))
ROW(erf, 3, 3, erf(x))
ROW(erfc, 5, 6, erfc(x))
ROW(tgamma, 6, 11, tgamma(x))

ROW(less, 0, 0, x < y)
ROW(less_equal, 0, 0, x <= y)
ROW(greater, 0, 0, x > y)
ROW(greater_equal, 0, 0, x >= y)
ROW(equal, 0, 0, x == y)
ROW(not_equal, 0, 0, x != y)
ROW(isnan, 0, 0, isnan(x))
ROW(logical_and, 0, 0, x&& y)
ROW(logical_or, 0, 0, x || y)
ROW(logical_not, 0, 0, !x)
ROW(where, 0, 0, where(x, y, x))

#undef ROW

// log-gamma is about zero at 1 and 2 and between the negative whole numbers.
TEST_F(reference, lgamma) {
    check("lgamma", {7, 5, true}, [](const auto& x, const auto&) { return lgamma(x); });
}

// Which of two equal zeros is the greater, NumPy leaves open.
TEST_F(reference, maximum) {
    check("maximum", {0, 0, false, false}, [](const auto& x, const auto& y) { return maximum(x, y); });
}
TEST_F(reference, minimum) {
    check("minimum", {0, 0, false, false}, [](const auto& x, const auto& y) { return minimum(x, y); });
}

TEST_F(reference, bitwise) {
    const array<int, 1> x = operand_named<int>("x"), y = operand_named<int>("y");
    expect_row("bitwise_and", x & y, 0, {});
    expect_row("bitwise_or", x | y, 0, {});
    expect_row("bitwise_xor", x ^ y, 0, {});
}

// --- reductions -----------------------------------------------------------------------------------------------------

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
            expect_close<element_t<E::type>>(function, got[i], all[(type * 5 + row) * size + i], {0, 0, false, false},
                                             i);
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

}  // namespace
