// Examples of linear algebra.
#include "show.hpp"

#include <sinter/linalg.hpp>

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<double, 2> a = {{4, 2}, {2, 3}});
    DO(array<double, 2> tall = {{3, 0}, {0, 2}, {0, 0}});
    DO(array<double, 1> b = {8, 8});

    SECTION(solve);
    SHOW(solve(a, b));
    SHOW(solve(a, eye<double>(2)));
    FAILS(to_host(solve(ones<double>({2, 2}), b)));
    FAILS(solve(tall, b));
    SECTION(inv);
    SHOW(inv(a));
    SHOW(inv(stack(a, 2 * a)));
    SECTION(cholesky, upper);
    SHOW(cholesky(a));
    SHOW(cholesky(a, upper));
    SECTION(lu);
    DO(array<double, 2> factors; array<std::int64_t, 1> pivots);
    DO(tie(factors, pivots) = lu(a));
    SHOW(factors);
    SHOW(pivots);
    SECTION(det);
    SHOW(det(a));
    SHOW(grad(det(a), a));
    SECTION(slogdet);
    DO(array<double, 0> sign; array<double, 0> log_of_modulus);
    DO(tie(sign, log_of_modulus) = slogdet(-eye<double>(3)));
    SHOW(sign);
    SHOW(log_of_modulus);
    SECTION(qr, complete);
    DO(array<double, 2> q; array<double, 2> r);
    DO(tie(q, r) = qr(tall));
    SHOW(abs(r));
    DO(tie(q, r) = qr(tall, complete));
    SHOW(q.shape());
    SECTION(eigh);
    DO(array<double, 1> values; array<double, 2> vectors);
    DO(tie(values, vectors) = eigh(a - 2));
    SHOW(values);
    SHOW(round(matmul(vectors * values, transpose(vectors)), 8));
    SECTION(eigvalsh);
    SHOW(eigvalsh(tall(range(0, 2))));
    SECTION(eig);
    DO(array<std::complex<double>, 1> poles; array<std::complex<double>, 2> modes);
    DO(tie(poles, modes) = eig(tall(range(0, 2))));
    SHOW(poles);
    SHOW(abs(modes));
    SECTION(eigvals);
    SHOW(real(eigvals(tall(range(0, 2)))));
    SECTION(svd);
    DO(array<double, 2> u; array<double, 1> s; array<double, 2> vh);
    DO(tie(u, s, vh) = svd(tall));
    SHOW(s);
    SHOW(abs(u));
    SHOW(abs(vh));
    SECTION(svdvals);
    SHOW(svdvals(tall));
    SECTION(pinv);
    SHOW(pinv(ones<double>({2, 2})));
    SECTION(lstsq);
    SHOW(lstsq(tall, array<double, 1>{3, 4, 5}));
    SECTION(matrix_rank, rtol);
    SHOW(matrix_rank(ones<double>({2, 2})));
    SHOW(matrix_rank(tall, rtol=0.9));
    SECTION(cond);
    SHOW(round(cond(tall), 8));
    SECTION(spectral_norm);
    SHOW(round(spectral_norm(tall), 8));
    SECTION(nuclear_norm);
    SHOW(round(nuclear_norm(tall), 8));
    SECTION(matrix_power);
    SHOW(matrix_power(a, 3_c));
    SHOW(matrix_power(a, -1_c));
}
