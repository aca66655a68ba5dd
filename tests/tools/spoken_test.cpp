// Expressions read from text become, letter for letter, the kernels that the C++ compiler makes of the same tokens.
#include <sinter.hpp>
#include <sinter/einsum.hpp>
#include <sinter/map_slices.hpp>
#include <sinter/op/composite.hpp>
#include <sinter/scatter.hpp>
#include <sinter/sliding_window.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/unread.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sinter::spoken {
namespace {

const operand_table& operands() {
    static const operand_table all = [] {
        operand_table made;
        std::uintptr_t place = 0;
        for (const char* text : {"x:f64[12,30,70]", "y:f32[12,30,70]", "m:f32[30,70]", "v:f32[70]", "w:float64[70]",
                                 "i:i32[30,70]", "b:bool[30,70]", "z:complex64[30,70]", "h:f16[30,70]", "k:i64[5]",
                                 "q:bf16[64,64]", "u:u8[30,70]", "s:f64", "n:i32", "o:u64[5]"})
            made.insert(read_operand(text, place++));
        return made;
    }();
    return all;
}

std::string source_of(const std::string& text) {
    const lowered e = lower(read_expression(text, operands()));
    return sinter::detail::source(e.program(), e.arguments());
}

class spoken_expressions : public testing::Test {
protected:
    device_scope on_host_{host()};
    array<double, 3> x = array<double, 3>(shape<3>(12, 30, 70));
    array<float, 3> y = array<float, 3>(shape<3>(12, 30, 70));
    array<float, 2> m = array<float, 2>(shape<2>(30, 70));
    array<float, 1> v = array<float, 1>(shape<1>(70));
    array<double, 1> w = array<double, 1>(shape<1>(70));
    array<int, 2> i = array<int, 2>(shape<2>(30, 70));
    array<bool, 2> b = array<bool, 2>(shape<2>(30, 70));
    array<std::complex<float>, 2> z = array<std::complex<float>, 2>(shape<2>(30, 70));
    array<float16, 2> h = array<float16, 2>(shape<2>(30, 70));
    array<std::int64_t, 1> k = array<std::int64_t, 1>(shape<1>(5));
    array<bfloat16, 2> q = array<bfloat16, 2>(shape<2>(64, 64));
    array<std::uint64_t, 1> o = array<std::uint64_t, 1>(shape<1>(5));
    array<std::uint8_t, 2> u = array<std::uint8_t, 2>(shape<2>(30, 70));
    double s = 2;
    int n = 3;
};

#define SAME(...) EXPECT_EQ(source_of(#__VA_ARGS__), source(__VA_ARGS__)) << #__VA_ARGS__

TEST_F(spoken_expressions, operators_and_rows) {
    SAME(x + y * m);
    SAME(-x * 2 + 0.5f * y - v / w);
    SAME(i / 2 + i % 7 - (i << 2) + (i >> 1));
    SAME(0.5 * i + u);
    SAME(b && (m > 0 || m <= -1) && !(m == v));
    SAME((i & 3) | (i ^ ~i));
    SAME(exp(-0.5f * square(m - v)) * where(m > 0, m, 0.f));
    SAME(fma(m, v, 1) + hypot(m, 2) - atan2(v, m));
    SAME(clip(i, -3, 3) + maximum(u, 7) + minimum(i, u));
    SAME((u < 300) && (u < 100) && (i > 0.5) && (-1 != u) && (v == 16777217) && (i < m) && (3000000000 >= i));
    SAME((k < o) || (k <= o) || (k == o) || (o < k) || (o <= k) || (o != k));
    SAME(0.5f * u + 2.5f * b);
    SAME(s * m + n * i);
    SAME(sqrt(z) * conj(z) + 1);
    SAME(h * h + 0.1);
    SAME(q * transpose(q));
    SAME(astype<int>(m * 100) + i);
    SAME(astype<float16>(h + 1) * 3);
    SAME(remainder(i, 5) + floor_divide(i, 3) + gcd(i, 12));
    SAME(logaddexp(m, v) + erf(m) * lgamma(v) + copysign(m, -1.0));
}

TEST_F(spoken_expressions, reductions) {
    SAME(sqrt(sum(x * x, axis=2)));
    SAME(sum(x));
    SAME(sum(y, axis={0, 2}, keepdims) + y);
    SAME(max(x, axis=-1) - min(x, axis=-1));
    SAME(prod(i, axis=0));
    SAME(sum(b, axis=1));
    SAME(any(m > 0, axis=0) && all(m < 1, axis=0));
    SAME(sum(m, axis=1, where=m > 0));
    SAME(max(m, axis=1, where=b, initial=0));
    SAME(nanmax(m, axis=0) + sum(z, axis=0));
    SAME(x / sum(x, axis=0, keepdims) - sum(x, axis=1, keepdims));
    SAME(sum(h, axis=1));
}

TEST_F(spoken_expressions, composites) {
    SAME(softmax(m, axis=1));
    SAME(softmax(sum(x * y, axis=2)));
    SAME(log_softmax(h, axis=0));
    SAME(mean(i, axis=1) + var(m, axis=1, ddof=1));
    SAME(stddev(x, axis={0, 1}, keepdims));
    SAME(layer_norm(y, axis=-1) * v + v);
    SAME(rms_norm(y, axis=2, eps=1e-6));
    SAME(standardise(x, axis=0));
    SAME(norm(x, axis=1) + norm(x, axis=1, ord=1_c));
    SAME(norm(m, axis=0, ord=inf) + norm(m, axis=0, ord=3));
    SAME(norm(m, ord=inf) + norm(x, axis={2, 0}, ord=-1_c) + norm(z, ord=fro));
    SAME(norm(z, axis=0, ord=-inf) + norm(i, axis=1, ord=0_c, keepdims));
    SAME(logsumexp(m + 1, axis=1, keepdims) - m);
    SAME(gelu(m) + silu(y) * sigmoid(v) - relu(i));
    SAME(leaky_relu(m, 0.2) + elu(m) + hardswish(m) + mish(v));
    SAME(abs(z) + arg(z) * real(z) - abs(m));
    SAME(imag(m) + imag(z));
    SAME(round(m, 2) + round(v));
    SAME(isclose(m, v) && isclose(m, 1.0, 0.1));
    SAME(nanmean(x, axis=1) + nansum(x, axis=1));
    SAME(nan_to_num(m, 1) + deg2rad(i) + sinc(w));
    SAME(vecdot(x, w) + vecdot(x, y, axis=2));
    SAME(vecdot(z, m) + vecdot(z, z));
    SAME(dot(v, w));
    SAME(dot(b(0), b(1)));
    SAME(nan_to_num(z) + nan_to_num(m, 1, 2, 3));
    SAME(average(x, w, axis=2));
    SAME(ptp(m, axis=0) + count_nonzero(i, axis=0));
    SAME(argmax(m, axis=1));
    SAME(argmin(x));
    SAME(argmax(m, axis=0, keepdims));
}

TEST_F(spoken_expressions, numbers_that_are_macros) {
    SAME(where(b, m, -INFINITY) + NAN);
    SAME(where(x > 1, x, INFINITY));
}

TEST_F(spoken_expressions, views) {
    SAME(x(all, range(1, -1), newaxis, 3) + 1);
    SAME(m(all, range(2, end)) - 2 * m(all, range(1, -1)) + m(all, range(0, -2)));
    SAME(m(range(-1, end, -2), 0) * 2);
    SAME((m + v)(3) + v);
    SAME(transpose(x) + permute(x, {2, 1, 0}));
    SAME(swapaxes(x, 0, -1) + moveaxis(moveaxis(x, 0, 2), 0, 1));
    SAME(permute_dims(x, {1, 0, 2}) * matrix_transpose(matrix_transpose(m))(all, newaxis));
    SAME(expand_dims(m, axis=1) + squeeze(expand_dims(y(0), axis=-1), axis=2)(all, newaxis));
    SAME(sum(square(m(all, newaxis, all) - m), axis=2));
    SAME(min(sum(square(m(all, newaxis, all) - m), axis=2), axis=1));
    SAME(reshape(x, {360, -1}) * v + broadcast_to(v, {360, 70}));
    SAME(flip(m, axis=1) + roll(m, 3, axis=0));
    SAME(take(m, k, axis=1) + take(v, i(0, range(0, 5))));
    SAME(concat(axis=0, m, i, h) * 2);
    SAME(stack(axis=1, v, w));
    SAME(pad(m, {{1, 1}, {0, 2}}) + 1);
    SAME(pad(x, {{0, 0}, {1, 1}, {0, 2}}, 0.5) * 2);
    SAME(diagonal(q, 1) + trace(q));
    SAME(tril(q) + triu(q, 2) + eye<float>(64));
    SAME(repeat(v, 3, axis=0) + tile(v, {3}));
    SAME(v * arange<float>(70) + arange(0, 140, 2) + linspace(0.0, 1.0, 70));
    SAME(ravel(m) + 1);
}

TEST_F(spoken_expressions, windows) {
    SAME(sum(sliding_window(m, {3, 5}), axis={-2, -1}));
    SAME(max(sliding_window(x, {2, 3}, axis={2, 0}), axis={-2, -1}) + 1);
    SAME(mean(sliding_window(v, 4)(range(0, end, 2)), axis=1));
    SAME(rolling_mean(m, 5) + rolling_sum(i, 5));
    SAME(rolling_max(y, 3, axis=1) - rolling_min(y, 3, axis=1));
    SAME(rolling_std(v, 7, axis=0, ddof=1) + rolling_var(v, 7));
}

TEST_F(spoken_expressions, cumulative) {
    SAME(cumsum(x, axis=1) / sum(x, axis=1, keepdims));
    SAME(cumprod(i, axis=0, exclusive) + cummax(m, axis=1, reverse) - cummin(h, axis=0));
    SAME(scan(any, m > 3, axis=0));
    SAME(cumsum(v) + softmax(cumsum(m, axis=1), axis=1));
}

TEST_F(spoken_expressions, masks) {
    SAME(mean(x, axis=1, where=x > 0) + var(x, axis=1, where=x > 0, ddof=1));
    SAME(nanmean(m, axis=0, where=b, keepdims) * count_nonzero(i, axis=0, where=b));
    SAME(nansum(z, where=b) + nanprod(m, where=v > 0) + stddev(m, axis=0, where=b));
}

TEST_F(spoken_expressions, products) {
    SAME(relu(matmul(m, transpose(m)) + i(all, 0)));
    SAME(matmul(q, q + 1) * 2);
    SAME(matmul(m, v) + matmul(b, transpose(b))(0));
    SAME(matmul(y, transpose(m), precision=tf32) + matmul(i, transpose(i)));
    SAME(outer(v, w));
    SAME(einsum<"bij,kj->bik">(x, m));
    SAME(einsum<"ij,j,ij->i">(m, v, i));
    SAME(einsum<"ii">(q) + einsum<"abc->cab">(x));
    SAME(einsum<"ij,jk,kl">(m, transpose(m), m));
}

TEST_F(spoken_expressions, writing_and_counting) {
    SAME(put(m, k, 2.5, axis=1) + put(v, i(0, range(0, 5)), k) * 2);
    SAME(scatter_add(i, k, u(0, range(0, 5)), axis=1) + scatter_add(h, k, 1, axis=0));
    SAME(bincount(i(0), 10) + bincount(k, 10));
    SAME(histogram(v, linspace(0.0, 1.0, 11)));
}

TEST_F(spoken_expressions, random_numbers) {
    SAME(m * (uniform<float>(random_key(7), {30, 70}) > 0.1) / 0.9);
    SAME(normal(random_key(7, 3).split(2), {70}) * w);
    SAME(integers<int>(random_key(1), -3, 4, {30, 70}) + i);
    SAME(where(bernoulli(random_key(2), 0.25, {12, 30, 70}), x, 0));
    SAME(shuffle(random_key(3), m, axis=1) + permutation(random_key(4), 70));
}

TEST_F(spoken_expressions, given_bodies) {
    SAME(let(exp(m - max(m, axis=1, keepdims)), [](const auto& e) { return e / sum(e, axis=1, keepdims); }));
    SAME(let(m * 2, [&](auto e) { return v + let(e + y, [&](auto f) { return f * f - e; }); }));
    SAME(map_slices<"(n,d),(m,d)->(m)">(
        [](auto p, auto c) { return min(sum(square(p - c), axis=-2, keepdims), axis=-3, keepdims); }, m, y));
    SAME(custom<float>("x * x + y", m, v) - custom_reduce<double>("x > y ? x : y", "T(0)", x, axis=0));
    SAME(bit_cast<int>(m) + bit_cast<float>(i) + bit_cast<double>(k(0)));
    SAME(logspace(0.0, 2.0, 70) + linspace<double>(0, 1, 70) + logical_not(b));
    SAME(geomspace(1, 64, 70) + linspace(0, 1, 70));
    SAME(abs(complex(m, v) * complex(2, m)));
}

TEST_F(spoken_expressions, derivatives) {
    SAME(grad(mean(square(sum(m * v, axis=1) - i(all, 0))), v));
    SAME(v - 0.1 * grad(sum(softmax(m * v, axis=1) * stop_gradient(m)), v));
    SAME(value_and_grad(mean(square(matmul(m, v))), m, v));
}

TEST_F(spoken_expressions, several_results) { SAME(pack(mean(x, axis=1), var(x, axis=1), max(abs(x), axis=1))); }

TEST_F(spoken_expressions, an_assignment_is_what_stands_on_its_right) {
    EXPECT_EQ(source_of("tie(m, v) = pack(sum(x, axis=1), x + 1)"), source_of("pack(sum(x, axis=1), x + 1)"));
    EXPECT_EQ(source_of("r = x + 1"), source_of("x + 1"));
}

/// What reading a text says: its first line, and the marked part.
std::pair<std::string, std::string> problem_of(const std::string& text) {
    try {
        static_cast<void>(read_expression(text, operands()));
    } catch (const problem& p) {
        if (text.size() <= 160) {  // of a longer line its part about the mark is shown
            EXPECT_THAT(with_marks(text, p), testing::HasSubstr("\n  " + text + "\n"));
        }
        return {p.what(), text.substr(p.where().begin, p.where().end - p.where().begin)};
    }
    return {"no problem", text};
}

TEST_F(spoken_expressions, what_is_wrong_is_said_and_marked) {
    using testing::HasSubstr;
    using testing::Pair;
    EXPECT_THAT(problem_of("squrt(x)"), Pair("there is no function 'squrt'; did you mean 'sqrt'?", "squrt"));
    EXPECT_THAT(problem_of("x + xx"), Pair(HasSubstr("did you mean 'x'?"), "xx"));
    EXPECT_THAT(problem_of("x + "), Pair("expected an operand, found the end", ""));
    EXPECT_THAT(problem_of("sum(x, axis=3)"), Pair(HasSubstr("axis=3 is out of range"), "sum"));
    EXPECT_THAT(problem_of("(x + y"), Pair(HasSubstr("expected ')'"), ""));
    EXPECT_THAT(problem_of("x + k"), Pair(HasSubstr("do not broadcast"), "+"));
    EXPECT_THAT(problem_of("1 + m & 3"), Pair(HasSubstr("bitwise_and: takes integers"), "&"));
    EXPECT_THAT(problem_of("x $ y"), Pair(HasSubstr("'$'"), "$"));
    EXPECT_THAT(problem_of("mean(x, ddof=1)"), Pair(HasSubstr("mean takes no ddof"), "ddof=1"));
    EXPECT_THAT(problem_of("where(x, 1)"),
                Pair(HasSubstr("where does not take these arguments: write where(x, y, z)"), "where(x, 1)"));
    EXPECT_THAT(problem_of("m(1, 2, 3)"), Pair(HasSubstr("more indices"), "3"));
    EXPECT_THAT(problem_of("m(99)"), Pair(HasSubstr("index 99 is out of range"), "m(99)"));
    EXPECT_THAT(problem_of("2 * 3"), Pair(HasSubstr("this is a number"), "2 * 3"));
    EXPECT_THAT(problem_of("softmax(z)"), Pair(HasSubstr("no complex"), "softmax"));
    EXPECT_THAT(problem_of("exp"), Pair(HasSubstr("is a function: call it"), "exp"));
    EXPECT_THAT(problem_of("1.2.3 * m"), Pair(HasSubstr("not a number"), "1.2.3"));
    EXPECT_THAT(problem_of("reshape(m, {7})"), Pair(HasSubstr("cannot become"), "reshape"));
    EXPECT_THAT(problem_of("m m"), Pair("expected an operator or the end, found 'm'", "m"));
    EXPECT_THAT(problem_of("cumsum(m)"), Pair(HasSubstr("needs an axis"), "cumsum(m)"));
    EXPECT_THAT(problem_of("cummax(m, axis=1, exclusive)"), Pair(HasSubstr("no elements"), "cummax"));
    EXPECT_THAT(problem_of("scan(maximum, m, axis=1)"), Pair(HasSubstr("any reduction"), "scan"));
    EXPECT_THAT(problem_of("mean(m, where=w > 0, axis=1, eps=1)"), Pair(HasSubstr("no eps"), "eps=1"));
    EXPECT_THAT(problem_of("var(m, where=k > 0)"), Pair(HasSubstr("mask"), "var"));
    EXPECT_THAT(problem_of("matmul(m, m)"), Pair(HasSubstr("matmul"), "matmul"));
    EXPECT_THAT(problem_of("matmul(x, w, precision=tf32)"), Pair(HasSubstr("tf32 is for"), "tf32"));
    EXPECT_THAT(problem_of("einsum<\"ij,kj->il\">(m, m)"), Pair(HasSubstr("no operand has"), "einsum"));
    EXPECT_THAT(problem_of("einsum<\"ij,j->i\">(m, k)"), Pair(HasSubstr("axes named j"), "einsum"));
    EXPECT_THAT(problem_of("put(m, v, 1, axis=1)"), Pair(HasSubstr("integers along one axis"), "v"));
    EXPECT_THAT(problem_of("put(m, k, w, axis=1)"), Pair(HasSubstr("put"), "put"));
    EXPECT_THAT(problem_of("uniform<int>(random_key(1), {3})"), Pair(HasSubstr("float and double"), "uniform"));
    EXPECT_THAT(problem_of("uniform(7, {3})"), Pair(HasSubstr("expected a key"), "7"));
    EXPECT_THAT(problem_of("let(m, v)"), Pair(HasSubstr("takes a function"), "v"));
    EXPECT_THAT(problem_of("let(m, [](auto e) { e + 1; })"), Pair("expected 'return', found 'e'", "e"));
    EXPECT_THAT(problem_of("let(m, [](auto e) { return e + q; })"), Pair(HasSubstr("do not broadcast"), "+"));
    EXPECT_THAT(problem_of("m.sum(axis=1)"), Pair(HasSubstr("no such member"), "m.sum(axis=1)"));
    EXPECT_THAT(problem_of("custom(\"x * x, m)"), Pair(HasSubstr("no second '\"'"), "\"x * x, m)"));
    EXPECT_THAT(problem_of("custom(\"x; x\", m)"), Pair(HasSubstr("not one expression"), "custom"));
    EXPECT_THAT(problem_of("grad(m, m)"), Pair(HasSubstr("single number"), "grad"));
    EXPECT_THAT(problem_of("m + 1 = 2"), Pair(HasSubstr("expected an operator"), "="));
    EXPECT_THAT(problem_of(std::string(1000, '(')), Pair(HasSubstr("nested"), testing::_));
}

TEST_F(spoken_expressions, functions_that_are_not_read) {
    for (const char* name : unread) EXPECT_FALSE(functions().contains(name)) << name;
    EXPECT_THAT(problem_of("sort(x)"), testing::Pair("sort is not read here: in a program, print explain(e)", "sort"));
}

TEST_F(spoken_expressions, operands_that_are_none) {
    for (const char* text : {"x", "x:", "x:f99[3]", ":f32[3]", "x:f32[3", "x:f32[a]", "x:f32[1,1,1,1,1,1,1,1,1]",
                             "x:f32[-1]", "sqrt:f32[3]", "x:c64", "x:f32[3]]"})
        EXPECT_THROW(static_cast<void>(read_operand(text, 0)), problem) << text;
    EXPECT_EQ(std::get<node_ref>(read_operand("a:bf16[]", 0).second)->rank, 0);
    EXPECT_EQ(std::get<node_ref>(read_operand("a:u16[0,5]", 0).second)->type, dtype::uint16);
}

}  // namespace
}  // namespace sinter::spoken
