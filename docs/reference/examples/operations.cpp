// An example of each row of the op table, with operands that its rule takes.
#include "show.hpp"

using namespace sinter;

// What the rows of a rule are called with.
#define OPERANDS_same(f) f(x, y, z)
#define OPERANDS_numeric(f) f(x, y, z)
#define OPERANDS_field(f) f(x, y, z)
#define OPERANDS_ring(f) f(x, y, z)
#define OPERANDS_floating(f) f(x, y, z)
#define OPERANDS_analytic(f) f(x, y, z)
#define OPERANDS_compare(f) f(x, y, z)
#define OPERANDS_equality(f) f(x, y, z)
#define OPERANDS_to_bits(f) f(x, y, z)
#define OPERANDS_sum(f) f(x, y, z)
#define OPERANDS_part(f) f(c, c, c)
#define OPERANDS_complex_(f) f(c, c, c)
#define OPERANDS_integral(f) f(i, j, i)
#define OPERANDS_integer(f) f(i, j, i)
#define OPERANDS_of_bits(f) f(i, j, i)
#define OPERANDS_logical(f) f(p, q, p)
#define OPERANDS_select(f) f(p, x, y)

#define FIRST(a, b, c) a
#define SECOND(a, b, c) b
#define THIRD(a, b, c) c

int main() {
    SECTION(operands);
    DO(array<double, 1> x = {-1, 0.5, 2});
    DO(array<double, 1> y = {2, 2, 0.5});
    DO(array<double, 1> z = {0, 1, 3});
    DO(array<std::int64_t, 1> i = {12, 7, -8});
    DO(array<std::int64_t, 1> j = {8, 2, 3});
    DO(array<bool, 1> p = {true, false, true});
    DO(array<bool, 1> q = {true, true, false});
    DO(array<std::complex<double>, 1> c = {{3, 4}, {0, -1}});

    SECTION(examples);
#define ROW(...) SHOW(__VA_ARGS__);
#define SINTER_ROW_UNARY(name, rule, ...) ROW(name(OPERANDS_##rule(FIRST)))
#define SINTER_ROW_BINARY(name, rule, ...) ROW(name(OPERANDS_##rule(FIRST), OPERANDS_##rule(SECOND)))
#define SINTER_ROW_TERNARY(name, rule, ...) \
    ROW(name(OPERANDS_##rule(FIRST), OPERANDS_##rule(SECOND), OPERANDS_##rule(THIRD)))
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) ROW(symbol OPERANDS_##rule(FIRST))
#define SINTER_ROW_INFIX(name, symbol, rule, ...) ROW(OPERANDS_##rule(FIRST) symbol OPERANDS_##rule(SECOND))
#define SINTER_ROW_REDUCTION(name, rule, ...) ROW(name(OPERANDS_##rule(FIRST)))
#include <sinter/op/table.def>
}
