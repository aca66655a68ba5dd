// Examples of sorting, selection, quantiles, searches, distinct elements and sets.
#include "show.hpp"

#include <sinter/quantile.hpp>
#include <sinter/searchsorted.hpp>
#include <sinter/sort.hpp>
#include <sinter/unique.hpp>

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<double, 2> x = {{3, 1, 2}, {6, NaN, 5}});
    DO(array<int, 1> i = {3, 1, 2, 3, 1, 3});

    SECTION(sort, descending);
    SHOW(sort(x));
    SHOW(sort(x, axis=0));
    SHOW(sort(x, descending));
    SHOW(sort(array<std::complex<float>, 1>{{1, 2}, {0, 5}, {1, -1}}));
    SHOW(explain(sqrt(sort(i * i))).launches);
    SECTION(argsort);
    SHOW(argsort(x, axis=1));
    SHOW(take(i, argsort(i)));
    SECTION(topk, argtopk);
    SHOW(topk(i, 2));
    SHOW(argtopk(i, 2));
    SHOW(topk(x, 1, axis=0));
    FAILS(topk(i, 7));
    SECTION(rank_of);
    SHOW(rank_of(i));
    SECTION(lexsort);
    SHOW(lexsort(array<int, 1>{1, 3, 2}, array<int, 1>{0, 1, 0}));

    SECTION(quantile, percentile, quantile_method);
    SHOW(quantile(i, 0.25));
    SHOW(quantile(i, 0.25, quantile_method::hazen));
    SHOW(percentile(x, 50, axis=1));
    FAILS(quantile(i, 25));
    SECTION(median);
    SHOW(median(i));
    SHOW(median(x, axis=0, keepdims));
    SECTION(nanmedian, nanquantile);
    SHOW(nanmedian(x));
    SHOW(nanmedian(x, axis=1));
    SHOW(nanquantile(x, 0.75, axis=1));

    SECTION(searchsorted, side);
    DO(array<double, 1> s = {1, 2, 2, 4});
    SHOW(searchsorted(s, array<double, 1>{0, 2, 3}));
    SHOW(searchsorted(s, array<double, 1>{0, 2, 3}, side::right));
    SECTION(digitize);
    SHOW(digitize(array<double, 1>{0.5, 1, 3.9}, s));
    SECTION(interp);
    SHOW(interp(array<double, 1>{0, 1.5, 3}, array<double, 1>{1, 2, 4}, array<double, 1>{10, 20, 0}));
    SECTION(isin);
    SHOW(isin(i, array<int, 1>{1, 7}));

    SECTION(unique, unique_all, unique_elements, unique_values, unique_counts, unique_inverse);
    SHOW(unique(i));
    DO(const auto u = unique_all(i));
    SHOW(u.indices);
    SHOW(u.inverse);
    SHOW(u.counts);
    SHOW(unique_values(i));
    SHOW(unique_counts(i).counts);
    SHOW(unique_inverse(i).inverse);
    SECTION(union1d, intersect1d, setdiff1d, setxor1d);
    SHOW(union1d(i, array<int, 1>{5, 1}));
    SHOW(intersect1d(i, array<int, 1>{5, 1}));
    SHOW(setdiff1d(i, array<int, 1>{5, 1}));
    SHOW(setxor1d(i, array<int, 1>{5, 1}));
}
