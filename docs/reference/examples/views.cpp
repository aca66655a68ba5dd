// Examples of views, of joining, and of reading and writing at computed places.
#include "show.hpp"

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<int, 2> x = {{1, 2, 3}, {4, 5, 6}});
    DO(array<int, 1> v = {10, 20, 30});
    DO(array<int, 1> i = {2, 0, 2});

    SECTION(all, range, end, newaxis);
    SHOW(x(1, 2));
    SHOW(x(all, 0));
    SHOW(x(0, range(1, end)));
    SHOW(x(all, range(-1, end, -2)));
    SHOW((v + 1)(range(0, -1)));
    SHOW(v(newaxis, all).shape());
    FAILS(x(2, 0));
    DO(x(all, 0) = 0);
    SHOW(x);
    SECTION(flip);
    SHOW(flip(x, axis=1));
    SECTION(transpose, permute);
    SHOW(transpose(x));
    SHOW(permute(x, {1, 0}));
    SECTION(broadcast_to);
    SHOW(broadcast_to(v, {2, 3}));
    FAILS(broadcast_to(v, {2, 4}));
    SECTION(reshape, ravel);
    SHOW(reshape(x, {3, 2}));
    SHOW(reshape(x, {-1, 1}).shape());
    SHOW(ravel(x));
    FAILS(reshape(x, {4, 2}));
    SECTION(repeat, tile);
    SHOW(repeat(v, 2, axis=0));
    SHOW(tile(v, {2}));
    SECTION(diagonal);
    SHOW(diagonal(x));
    SHOW(diagonal(x, 1));
    SECTION(concat, stack);
    SHOW(concat(axis=0, x, v(newaxis, all)));
    SHOW(stack(axis=1, v, i));
    SECTION(pad);
    SHOW(pad(x, {{0, 1}, {1, 0}}, -1));
    SECTION(roll);
    SHOW(roll(v, 1, axis=0));
    SECTION(take);
    SHOW(take(v, i));
    SHOW(take(x, i, axis=1));
    SECTION(put, scatter_add);
    SHOW(put(v, i, 7));
    SHOW(scatter_add(v, i, 1));
    SECTION(at);
    DO(at(v, i) += 1);
    SHOW(v);
    DO(at(x, i, axis=1) = 9);
    SHOW(x);
    SECTION(bincount, histogram);
    SHOW(bincount(i, 4));
    SHOW(histogram(v, 10 * arange(5)));
}
