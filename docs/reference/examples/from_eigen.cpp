// The same in Eigen and Sinter, and what is different. Sinter's column is run here, Eigen's by ../eigen_column.py,
// which has the same operands.
#include <sinter/linalg.hpp>

#include "show.hpp"

using namespace sinter;

/// Eigen's code, as text, and Sinter's.
#define SAME(eigen, ...)                              \
    std::printf("> %s\n> %s\n", eigen, #__VA_ARGS__); \
    std::puts(shown(__VA_ARGS__).c_str())

/// Eigen's code, what happens there, and Sinter's code, which gives something else.
#define DIFFERENT(eigen, gives, ...)                               \
    std::printf("> %s\n> %s\n> %s\n", eigen, gives, #__VA_ARGS__); \
    std::puts(shown(__VA_ARGS__).c_str())

SINTER_UNARY(odds, floating, x / (T(1) + x))

int main() {
    const array<double, 2> x = {{1, 2, 3}, {4, 5, 7}};
    const array<double, 1> v = {3, 1, 2};
    const array<double, 2> a = {{4, 1}, {1, 3}};
    const array<double, 1> b = {1, 2};
    array<double, 2> m = {{1, 2}, {3, 4}};
    const array<int, 1> i = {7, -7, 2};
    double numbers[] = {1, 2, 3};

    SECTION(eigen_made);
    SAME("(ArrayXXd(2, 2) << 1, 2, 3, 4).finished()", array<double, 2>{{1, 2}, {3, 4}});
    SAME("ArrayXXd::Constant(2, 2, 0.5)", full({2, 2}, 0.5));
    SAME("ArrayXd::LinSpaced(3, 0, 1)", linspace(0, 1, 3));
    SAME("MatrixXd::Identity(2, 2)", eye<double>(2));
    SAME("Map<ArrayXd>(numbers, 3)", wrap(numbers, {3}));
    SAME("x.rows()", x.shape()[0]);

    SECTION(eigen_elements);
    SAME("x * x + 2", x * x + 2);
    SAME("a.cwiseProduct(a)", a * a);
    SAME("a.array() + 1", a + 1);
    SAME("(x > 2).select(x, 0)", where(x > 2, x, 0));
    SAME("x.max(2).min(4)", clip(x, 2, 4));
    SAME("(v / 2).cast<int>()", astype<int>(v / 2));
    SAME("v.unaryExpr(&odds)", odds(v));

    SECTION(eigen_reductions);
    SAME("x.sum()", sum(x));
    SAME("x.rowwise().sum()", sum(x, axis=1));
    SAME("x.colwise().maxCoeff()", max(x, axis=0));
    SAME("(x > 2).count()", count_nonzero(x > 2));
    SAME("a.norm()", norm(a));
    SAME("a.colwise().squaredNorm()", sum(square(a), axis=0));
    SAME("a.trace()", trace(a));
    SAME("x.rowwise() - v.transpose()", x - v);
    SAME("x.colwise() - x.col(0)", x - x(all, 0)(all, newaxis));
    SAME("x.colwise() - x.rowwise().mean()", x - mean(x, axis=1, keepdims));

    SECTION(eigen_views);
    SAME("x(1, 2)", x(1, 2));
    SAME("x.row(0)", x(0));
    SAME("x.block(0, 1, 2, 2)", x(range(0, 2), range(1, 3)));
    SAME("v.tail(2)", v(range(1, end)));
    SAME("x(all, seq(0, 2, 2))", x(all, range(0, end, 2)));
    SAME("x.transpose()", transpose(x));
    SAME("x.reverse()", flip(x));
    SAME("x.rowwise().reverse()", flip(x, axis=1));
    SAME("x.reshaped<RowMajor>(3, 2)", reshape(x, {3, 2}));
    SAME("x.replicate(2, 1)", tile(x, {2, 1}));
    SAME("a.diagonal()", diagonal(a));
    SAME("MatrixXd(a.triangularView<Lower>())", tril(a));

    SECTION(eigen_products);
    SAME("a * a", matmul(a, a));
    SAME("a * b", matmul(a, b));
    SAME("b * b.transpose()", outer(b, b));
    SAME("b.dot(b)", dot(b, b));
    SAME("a.partialPivLu().solve(b)", solve(a, b));
    SAME("x.matrix().transpose().colPivHouseholderQr().solve(v.matrix())", lstsq(transpose(x), v));
    SAME("a.inverse()", inv(a));
    SAME("a.determinant()", det(a));
    SAME("MatrixXd(a.llt().matrixL())", cholesky(a));
    SAME("a.selfadjointView<Lower>().eigenvalues()", eigvalsh(a));
    SAME("JacobiSVD<MatrixXd>(a).singularValues()", svdvals(a));

    SECTION(eigen_different);
    DIFFERENT("m = m.transpose()", "fails an assertion", m = transpose(m));
    DIFFERENT("a * a", "[[17.  7.] [ 7. 10.]]", a * a);
    DIFFERENT("i / 2", "[ 3 -3  1]", i / 2);
    DIFFERENT("x.reshaped(3, 2)", "[[1. 5.] [4. 3.] [2. 7.]]", reshape(x, {3, 2}));
}
