// Shapes: their extents by index, in structured bindings and deduced from integers; the ranks of what is made of them.
#include <sinter.hpp>

#include <cstddef>
#include <type_traits>

namespace {

using namespace sinter;
using namespace sinter::literals;

template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

constexpr shape<3> s(2, 3, 4);
enum { rows, columns };
static_assert(s[0] == 2 && s[2] == 4 && s[-1] == 4 && s[-3] == 2 && s[std::size_t{1}] == 3 && s[columns] == 3);
static_assert(s[0_c] == 2 && s[2_c] == 4 && s[-1_c] == 4 && s[-3_c] == 2 && s[s.rank() - 1] == 4);

constexpr std::int64_t bound() {
    auto t = s;
    auto& [a, b, c] = t;
    b = 30;
    t[-1] = 40;
    const auto [d, e, f] = t;
    auto [g, h, i] = shape<3>(5, 6, 7);
    return a + c + d + e + f + g + h + i;
}
static_assert(bound() == 2 + 40 + 2 + 30 + 40 + 5 + 6 + 7);
static_assert(std::tuple_size_v<shape<3>> == 3 && same<std::tuple_element_t<0, shape<3>>, std::int64_t>);

static_assert(same<decltype(shape{3, 4}), shape<2>> && same<decltype(shape{std::size_t{3}}), shape<1>>);
static_assert(same<decltype(shape{}), shape<0>> && same<decltype(shape{s}), shape<3>>);

using matrix = array<float, 2>;
static_assert(matrix::ndim == 2 && matrix::ndim() == 2 && decltype(sum(std::declval<matrix>(), axis=0))::ndim == 1);

static_assert(same<decltype(zeros<float>(s)), array<float, 3>> && same<decltype(zeros<int>(5)), array<int, 1>>);
static_assert(same<decltype(ones({2, 3})), array<double, 2>> && same<decltype(empty(s)), array<double, 3>>);
static_assert(same<decltype(full(s, 2)), array<int, 3>> && same<decltype(full<float16>(3, 2)), array<float16, 1>>);
static_assert(same<decltype(full(s, std::declval<matrix>())), array<float, 3>>);
static_assert(same<decltype(zeros_like(std::declval<matrix>() > 0)), array<bool, 2>>);
static_assert(same<decltype(ones_like<int>(std::declval<matrix>())), array<int, 2>>);
static_assert(same<decltype(full_like(std::declval<matrix>(), 1)), matrix>);
static_assert(same<decltype(empty_like<std::complex<float>>(std::declval<matrix>())), array<std::complex<float>, 2>>);

// The numbers of a formula mix as operands do; integers that share no integer type give int64, a count of them double.
static_assert(decltype(arange(0, 1, 0.25f))::type == dtype::float32);
static_assert(decltype(arange(0, 1, 0.25))::type == dtype::float64);
static_assert(decltype(arange(0, std::size_t{3}))::type == dtype::int64);
static_assert(decltype(arange(std::uint8_t{3}, std::uint8_t{9}))::type == dtype::uint8);
static_assert(decltype(arange(-1, 3u))::type == dtype::int64 && decltype(arange<float16>(3))::type == dtype::float16);
static_assert(decltype(linspace(0, 1, 5))::type == dtype::float64);
static_assert(decltype(linspace(0, 1.f, 5))::type == dtype::float32);
static_assert(decltype(linspace(float16(0), 1, 5))::type == dtype::float16);
static_assert(decltype(linspace<int>(0, 1.5, 5))::type == dtype::int32);
static_assert(decltype(linspace(0, std::complex<float>(1), 5))::type == dtype::complex64);
static_assert(decltype(logspace(0, 1, 5, 2.0))::type == dtype::float64);
static_assert(decltype(geomspace(1.f, 2, 5))::type == dtype::float32);

template <class A, class B>
inline constexpr dtype complex_type = decltype(sinter::complex(std::declval<A>(), std::declval<B>()))::type;
static_assert(complex_type<matrix, matrix> == dtype::complex64 && complex_type<matrix, double> == dtype::complex64);
static_assert(complex_type<array<int, 1>, array<float, 1>> == dtype::complex64);
static_assert(complex_type<array<int, 1>, int> == dtype::complex128);
static_assert(complex_type<array<float16, 1>, array<float16, 1>> == dtype::complex64);

}  // namespace
