// Expressions that are each compiled for many random shapes.
#pragma once

#include <codegen/driver/compile.hpp>
#include <sinter.hpp>
#include <tests/codegen/random_shapes.hpp>
#include <tests/codegen/unbacked.hpp>

#include <functional>
#include <type_traits>
#include <vector>

namespace sinter::codegen::testing {

using use_bindings = std::function<void(const bindings&)>;

/// One expression, and the most kernels that all its shapes may need.
struct shaped_expression {
    const char* name;
    int max_kernels;
    std::function<void(shape_source&, const use_bindings&)> draw;  ///< gives it for shapes that it draws
};

template <class Tree>
bindings bindings_of(const expr<Tree>& e) {
    return {&sinter::detail::program_of<Tree>, e.arguments()};
}

template <class F>
shaped_expression shaped(const char* name, int max_kernels, F make) {
    return {name, max_kernels, [make](shape_source& shapes, const use_bindings& use) {
                const auto e = make(shapes);
                use(bindings_of(e));
            }};
}

template <class T = float, class... Extents>
    requires(std::is_integral_v<Extents> && ...)
array<T, sizeof...(Extents)> of(Extents... extents) {
    return unbacked<T>(shape<sizeof...(Extents)>(extents...));
}
template <class T = float>
array<T, 2> of(const shape<2>& extents) {
    return unbacked<T>(extents);
}

inline std::vector<shaped_expression> elementwise_expressions() {
    return {
        shaped("exp(x) * 2 + y", 1,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return exp(of(m)) * 2.f + of(m);
               }),
        shaped("x + v", 5,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return of(m) + of(m[1]);
               }),
        shaped("x * c", 4,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return of(m) * of(m[0], 1);
               }),
        shaped("gelu(x + v)", 5,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return gelu(of(m) + of(m[1]));
               }),
        shaped("gelu(h + w)", 9,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return gelu(of<float16>(m) + of<float16>(m[1]));
               }),
        shaped("x + transpose(y)", 32,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return of(m) + transpose(of(m[1], m[0]));
               }),
        shaped("exp(-square(a(all, newaxis) - b))", 7,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return exp(-square(of(m[0])(all, newaxis) - of(m[1])));
               }),
        shaped("concat(x, y, axis=0)", 32,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return concat(of(m), of(s.extent(1000), m[1]), axis=0);
               }),
        shaped("concat(x, y, axis=1)", 31,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return concat(of(m), of(m[0], s.extent(1000)), axis=1);
               }),
        shaped("five-point stencil", 8,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   const auto u = of(m[0] + 2, m[1] + 2);
                   const auto inside = range(1, -1);
                   return u(range(0, -2), inside) + u(range(2, end), inside) + u(inside, range(0, -2)) +
                          u(inside, range(2, end)) - 4.f * u(inside, inside);
               }),
    };
}

inline std::vector<shaped_expression> reductions_of_rows() {
    return {
        shaped("sum(x)", 4, [](shape_source& s) { return sum(of(s.matrix())); }),
        shaped("sum(x * y, axis=1)", 72,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   return sum(of(m) * of(m), axis=1);
               }),
        shaped("mean(h, axis=1)", 85, [](shape_source& s) { return mean(of<float16>(s.matrix()), axis=1); }),
        shaped("norm(d, axis=1)", 56, [](shape_source& s) { return norm(of<double>(s.matrix()), axis=1); }),
        shaped("softmax(x, axis=1)", 102, [](shape_source& s) { return softmax(of(s.matrix()), axis=1); }),
        shaped("layer_norm(x, axis=1) * v + v", 94,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   const auto v = of(m[1]);
                   return layer_norm(of(m), axis=1) * v + v;
               }),
        shaped("var(x, axis=1)", 74, [](shape_source& s) { return var(of(s.matrix()), axis=1); }),
        shaped("argmax(x, axis=1)", 52, [](shape_source& s) { return argmax(of(s.matrix()), axis=1); }),
        shaped("cumsum(x, axis=1)", 64, [](shape_source& s) { return cumsum(of(s.matrix()), axis=1); }),
        shaped("x / sum(x)", 7,
               [](shape_source& s) {
                   const auto x = of(s.matrix());
                   return x / sum(x);
               }),
    };
}

inline std::vector<shaped_expression> reductions_of_columns() {
    return {
        shaped("sum(x, axis=0)", 161, [](shape_source& s) { return sum(of(s.matrix()), axis=0); }),
        shaped("max(t, axis=1)", 232,
               [](shape_source& s) {
                   const auto m = s.matrix();
                   const std::int64_t planes = s.extent(m[0]);
                   return max(of(planes, m[0] / planes, m[1]), axis=1);
               }),
        shaped("softmax(x, axis=0)", 218, [](shape_source& s) { return softmax(of(s.matrix()), axis=0); }),
        shaped("var(x, axis=0)", 153, [](shape_source& s) { return var(of(s.matrix()), axis=0); }),
        shaped("argmax(x, axis=0)", 160, [](shape_source& s) { return argmax(of(s.matrix()), axis=0); }),
        shaped("cumsum(x, axis=0)", 82, [](shape_source& s) { return cumsum(of(s.matrix()), axis=0); }),
        shaped("standardise(x, axis=0)", 178, [](shape_source& s) { return standardise(of(s.matrix()), axis=0); }),
    };
}

inline std::vector<shaped_expression> products() {
    return {
        shaped("matmul(x, y)", 209,
               [](shape_source& s) {
                   const std::int64_t n = s.extent(8192), k = s.extent(8192), m = s.extent(8192);
                   return matmul(of(n, k), of(k, m));
               }),
        shaped("matmul(h, g)", 203,
               [](shape_source& s) {
                   const std::int64_t n = s.extent(8192), k = s.extent(8192), m = s.extent(8192);
                   return matmul(of<float16>(n, k), of<float16>(k, m));
               }),
        shaped("sum(square(x(all, newaxis, all) - y(newaxis, all, all)), axis=2)", 172,
               [](shape_source& s) {
                   const std::int64_t n = s.extent(16384), m = s.extent(16384), k = s.extent(1024);
                   return sum(square(of(n, k)(all, newaxis, all) - of(m, k)(newaxis, all, all)), axis=2);
               }),
    };
}

inline std::vector<shaped_expression> shaped_expressions() {
    std::vector<shaped_expression> all;
    for (const auto& some : {elementwise_expressions(), reductions_of_rows(), reductions_of_columns(), products()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace sinter::codegen::testing
