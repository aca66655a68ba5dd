// Comparisons are exact for every pair of dtypes and every type of scalar: against a reference in long double, at the
// limits of all of them.
#include <tests/language/on_devices.hpp>
#include <tests/language/scalar_edges.hpp>

namespace sinter::test {
namespace {

class scalar_comparisons : public on_devices {};

using scalar_types = type_list<bool, char, std::int8_t, std::int32_t, std::int64_t, std::uint8_t, std::uint32_t,
                               std::uint64_t, float16, float, double>;

/// What a comparison of elements with a scalar compares: the scalar, but rounded beside floating elements if it is a
/// floating number, too, and within their range.
template <class T, class S>
long double as_compared(S s) {
    const long double v = exact_value(s);
    if constexpr (is_floating_element<T> && is_floating_element<S>) {
        using computed = element_t<computed_in(dtype_of<T>)>;
        const bool beyond =
            std::isfinite(v) && std::fabs(v) > static_cast<long double>(std::numeric_limits<computed>::max());
        return beyond ? v : static_cast<long double>(static_cast<computed>(v));
    } else {
        return v;
    }
}

std::vector<bool> all_six(long double a, long double b) { return {a<b, a <= b, a> b, a >= b, a == b, a != b}; }

struct six {
    array<bool, 1> less, less_equal, greater, greater_equal, equal, not_equal;

    template <class A, class B>
    void compare(const A& a, const B& b) {
        tie(less, less_equal, greater, greater_equal, equal, not_equal) =
            pack(a<b, a <= b, a> b, a >= b, a == b, a != b);
    }
    std::vector<std::vector<bool>> values() const {
        std::vector<std::vector<bool>> by_row;
        for (const auto* r : {&less, &less_equal, &greater, &greater_equal, &equal, &not_equal}) {
            const std::vector<bool> row = to_host(*r);
            by_row.resize(row.size());
            for (std::size_t i = 0; i < row.size(); ++i) by_row[i].push_back(row[i]);
        }
        return by_row;
    }
};

template <class T, class S>
void expect_exact(const array<T, 1>& x, const std::vector<T>& elements, S s) {
    const long double v = as_compared<T>(s);
    six found;
    found.compare(x, s);
    const auto forward = found.values();
    found.compare(s, x);
    const auto backward = found.values();
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const long double e = exact_value(elements[i]);
        EXPECT_EQ(forward[i], all_six(e, v))
            << name(dtype_of<T>) << " " << e << " with a scalar of type " << name(dtype_of<S>) << " " << v;
        EXPECT_EQ(backward[i], all_six(v, e))
            << "a scalar of type " << name(dtype_of<S>) << " " << v << " with " << name(dtype_of<T>) << " " << e;
    }
}

TEST_F(scalar_comparisons, of_every_dtype_with_every_scalar) {
    for_each_type(real_element_types(), []<class T>(T) {
        if (emulated() && !(std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int64_t> ||
                            std::is_same_v<T, std::uint64_t> || std::is_same_v<T, float> || std::is_same_v<T, float16>))
            return;
        const array<T, 1> x = edge_array<T>();
        const std::vector<T> elements = to_host(x);
        for_each_type(scalar_types(), [&]<class S>(S) {
            for (const S s : edges<S>()) expect_exact(x, elements, s);
        });
    });
}

TEST_F(scalar_comparisons, of_complex_elements) {
    using complex64 = std::complex<float>;
    using complex128 = std::complex<double>;
    const array<complex64, 1> z = {1, 16777216, {1, 2}};
    EXPECT_EQ(to_host(z == 1), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(to_host(z == 16777217), (std::vector<bool>{false, false, false}));
    EXPECT_EQ(to_host(z != 16777217), (std::vector<bool>{true, true, true}));
    EXPECT_EQ(to_host(16777216u == z), (std::vector<bool>{false, true, false}));
    EXPECT_EQ(to_host(z == complex128(1, 2)), (std::vector<bool>{false, false, true}));
    EXPECT_EQ(to_host(z == 1e300), (std::vector<bool>{false, false, false}));
    const std::int64_t large = (std::int64_t{1} << 53) + 1;
    const array<std::int64_t, 1> i = {1, large};
    EXPECT_EQ(to_host(i == complex128(9007199254740992.0, 0)), (std::vector<bool>{false, false}));
    EXPECT_EQ(to_host(i == complex128(1, 0)), (std::vector<bool>{true, false}));
    EXPECT_EQ(to_host(i == complex128(1, 1)), (std::vector<bool>{false, false}));
    EXPECT_EQ(to_host(complex64(1, 1) != i), (std::vector<bool>{true, true}));
    const array<float, 1> f = {1, 2};
    EXPECT_EQ(to_host(f == complex64(2, 0)), (std::vector<bool>{false, true}));
    EXPECT_EQ(to_host(f != complex128(2, 1)), (std::vector<bool>{true, true}));
}

TEST_F(scalar_comparisons, of_two_arrays) {
    for_each_type(type_list<bool, std::int8_t, std::int32_t, std::int64_t, std::uint8_t, std::uint32_t, std::uint64_t,
                            float16, float, double>(),
                  []<class T>(T) {
                      for_each_type(type_list<std::int64_t, std::uint64_t, float, std::int32_t>(), []<class U>(U) {
                          if (emulated() && size_of(dtype_of<T>) + size_of(dtype_of<U>) != 16) return;
                          const array<T, 1> x = edge_array<T>();
                          const array<U, 1> y = edge_array<U>();
                          six found;
                          const auto column = x(all, newaxis);
                          const auto flat = [](auto mask) { return reshape(mask, {mask.size()}); };
                          tie(found.less, found.less_equal, found.greater, found.greater_equal, found.equal,
                              found.not_equal) = pack(flat(column < y), flat(column <= y), flat(column > y),
                                                      flat(column >= y), flat(column == y), flat(column != y));
                          const auto by_pair = found.values();
                          const auto left = to_host(x);
                          const auto right = to_host(y);
                          constexpr bool mixed = is_floating_element<T> != is_floating_element<U>;
                          for (std::size_t i = 0; i < by_pair.size(); ++i) {
                              long double a = exact_value<T>(left[i / right.size()]);
                              long double b = exact_value<U>(right[i % right.size()]);
                              if (mixed && size_of(promote(dtype_of<T>, dtype_of<U>)) >= 4) {  // float64, as in NumPy
                                  a = static_cast<double>(a);
                                  b = static_cast<double>(b);
                              }
                              EXPECT_EQ(by_pair[i], all_six(a, b))
                                  << name(dtype_of<T>) << " " << a << " with " << name(dtype_of<U>) << " " << b;
                          }
                      });
                  });
}

// The row that a comparison takes instead of its own is part of what a plan is for: the same expression has another
// with the next scalar.
TEST_F(scalar_comparisons, one_expression_with_one_scalar_after_the_other) {
    const array<std::uint8_t, 1> u = {0, 100, 255};
    const auto below = [&](int limit) { return to_host(where(u < limit, u, 7)); };
    const std::vector<std::uint8_t> whole = {0, 100, 255}, none = {7, 7, 7}, some = {0, 7, 7};
    EXPECT_EQ(below(300), whole);
    EXPECT_EQ(below(100), some);
    EXPECT_EQ(below(300), whole);
    EXPECT_EQ(below(-1), none);
    EXPECT_EQ(below(0), none);
    EXPECT_EQ(below(256), whole);
}

TEST_F(scalar_comparisons, of_expressions_and_reductions) {
    const array<std::uint8_t, 2> u = {{1, 2, 3}, {4, 5, 255}};
    EXPECT_EQ(item(sum(u < 300)), 6);
    EXPECT_EQ(item(all(u + 1 > -1)), true);
    EXPECT_EQ(to_host(max(u, axis=1) >= 256), (std::vector<bool>{false, false}));
    EXPECT_EQ(to_host(max(u, axis=1) != 3.5), (std::vector<bool>{true, true}));
    EXPECT_EQ(to_host(let(u, [](const auto& x) { return where(x < 1000, x, 0); })), to_host(u));
    const auto mask = u < 300;
    EXPECT_EQ(item(count_nonzero(mask && mask)), 6);
}

}  // namespace
}  // namespace sinter::test
