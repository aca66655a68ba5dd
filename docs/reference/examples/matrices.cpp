// Examples of products of matrices, functions of slices, and derivatives.
#include <sinter/tensor_products.hpp>
#include "show.hpp"

#include <sinter/einsum.hpp>
#include <sinter/map_slices.hpp>

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<float, 2> a = {{1, 2}, {3, 4}});
    DO(array<float, 2> b = {{1, 0}, {1, 1}});
    DO(array<float, 1> v = {1, 10});

    SECTION(precision, tf32, matmul);
    SHOW(matmul(a, b));
    SHOW(matmul(a, v));
    SHOW(matmul(a, b, precision=tf32));
    FAILS(matmul(a, (array<float, 2>({3, 2}))));
    SECTION(outer);
    SHOW(outer(v, v));
    SECTION(einsum);
    SHOW(einsum<"ij,jk->ik">(a, b));
    SHOW(einsum<"ii">(a));
    SHOW(einsum<"ij,j->i">(a, v));
    SECTION(map_slices);
    SHOW(map_slices<"(n),(n)->()">([](auto x, auto y) { return sum(x * y, axis=-1_c, keepdims); }, a, v));

    SECTION(grad, value_and_grad);
    SHOW(grad(sum(square(a) * v), a));
    DO(float loss; array<float, 2> da; array<float, 0> value);
    DO(tie(value, da) = value_and_grad(sum(square(a)), a));
    DO(loss = item(value));
    SHOW(loss);
    SHOW(da);
    SECTION(stop_gradient);
    SHOW(grad(sum(a * stop_gradient(a)), a));
    SECTION(let);
    SHOW(let(sum(a, axis=1, keepdims), [](auto s) { return s / (1 + s); }));

    SECTION(tensordot, kron, cross, diag);
    SHOW(tensordot(a, b));
    SHOW(tensordot<1>(a, v));
    SHOW(tensordot(a, b, {0}, {1}));
    SHOW(kron(v, v));
    SHOW(cross(array<double, 1>{1, 2, 3}, array<double, 1>{4, 5, 6}));
    SHOW(diag(v));
    SHOW(diag(a, 1));
}
