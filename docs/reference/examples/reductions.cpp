// Examples of reductions, statistics, normalisations and cumulative functions.
#include <sinter/groups.hpp>
#include <sinter/op/composite/covariance.hpp>
#include <sinter/op/composite/nan.hpp>
#include "show.hpp"

using namespace sinter;

SINTER_REDUCTION(bits_of_all, integral, identity, T(0), x | y)

int main() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    SECTION(operands);
    DO(array<double, 2> x = {{1, 2, 3}, {4, 5, 7}});
    DO(array<double, 1> gaps = {1, nan, 3});
    DO(array<int, 1> i = {3, 1, 3});
    const auto none = empty<double>({0});

    SECTION(axis, keepdims);
    SHOW(sum(x));
    SHOW(sum(x, axis=1));
    SHOW(sum(x, axis=-1, keepdims));
    SHOW(max(x, axis={0, 1}));
    SHOW(sum(x, axis=1_c));
    FAILS(sum(x, axis=2));

    SECTION(where, initial);
    SHOW(where(x > 2, x, 0));
    SHOW(sum(x, axis=1, where=x > 2));
    SHOW(max(x, axis=0, initial=5));
    SHOW(max(x, where=x > 9, initial=0));

    SECTION(empty rows);
    SHOW(sum(none));
    FAILS(to_string(max(none)));

    SECTION(reduction of your own);
    SHOW(bits_of_all(i));

    SECTION(mean);
    SHOW(mean(x, axis=0));
    SHOW(mean(i));
    SECTION(ddof, var, stddev);
    SHOW(var(x, axis=1));
    SHOW(stddev(x, axis=1, ddof=1));
    SECTION(ptp);
    SHOW(ptp(x, axis=1));
    SECTION(count_nonzero);
    SHOW(count_nonzero(x > 2, axis=0));
    SECTION(logsumexp);
    SHOW(logsumexp(x, axis=1));
    SECTION(nansum, nanprod, nanmean, nanvar, nanstd);
    SHOW(nansum(gaps));
    SHOW(nanprod(gaps));
    SHOW(nanmean(gaps));
    SHOW(nanvar(gaps));
    SHOW(nanstd(gaps));
    SHOW(mean(gaps));
    SECTION(argmax, argmin);
    SHOW(argmax(x, axis=1));
    SHOW(argmin(i));
    SHOW(argmax(gaps));
    SECTION(ord, inf, fro, norm);
    SHOW(norm(x, axis=1));
    SHOW(norm(x, axis=1, ord=1_c));
    SHOW(norm(x, axis=1, ord=inf));
    SHOW(norm(x, ord=inf));
    SHOW(norm(x, axis={0, 1}, ord=fro));
    SHOW(norm(x, axis=0, ord=-1));
    SECTION(vecdot);
    SHOW(vecdot(x, x + 1, axis=1));
    FAILS(vecdot(x, gaps(range(0, 2))));
    SECTION(dot, inner);
    SHOW(dot(i, i));
    SHOW(inner(i, i));
    SECTION(trace);
    SHOW(trace(x));
    SECTION(average);
    SHOW(average(x, x, axis=1));
    SHOW(average(x, gaps(range(0, 3, 2)), axis=0));

    SECTION(softmax, log_softmax);
    SHOW(softmax(x, axis=1));
    SHOW(log_softmax(x, axis=1));
    SECTION(eps, standardise, layer_norm, rms_norm);
    SHOW(standardise(x, axis=1));
    SHOW(layer_norm(x, axis=1, eps=1e-6));
    SHOW(rms_norm(x, axis=1));

    SECTION(scan);
    SHOW(scan(max, i));
    SHOW(scan(bits_of_all, i));
    SECTION(exclusive, reverse, cumsum, cumprod, cummax, cummin);
    SHOW(cumsum(x, axis=1));
    SHOW(cumsum(x, axis=1, exclusive));
    SHOW(cumprod(x, axis=1, reverse));
    SHOW(cummax(i));
    SHOW(cummin(gaps));

    SECTION(cov, corrcoef);
    SHOW(cov(x));
    SHOW(cov(x(0), x(1), ddof=0));
    SHOW(corrcoef(x));
    SECTION(segment_sum, segment_prod, segment_mean, segment_max, segment_min);
    SHOW(segment_sum(x(0), array<int, 1>{1, 0, 1}, 3));
    SHOW(segment_prod(x(0), array<int, 1>{1, 0, 1}, 3));
    SHOW(segment_mean(x, array<int, 1>{1, 1}, 2));
    SHOW(segment_max(x(0), array<int, 1>{1, 0, 1}, 3));
    SHOW(segment_min(x(0), array<int, 1>{1, 0, 1}, 3));
    SECTION(bincount, histogram, histogram_bin_edges, histogram2d);
    SHOW(bincount(i, x(1), 4));
    SHOW(histogram_bin_edges(x(1), 3));
    SHOW(histogram(x(1), histogram_bin_edges(x(1), 3)));
    SHOW(histogram(x(1), array<double, 1>{4, 6, 8}, x(0)));
    SHOW(histogram2d(x(0), x(1), array<double, 1>{0, 2, 4}, array<double, 1>{4, 6, 8}));
    SECTION(diff, gradient, trapezoid);
    SHOW(diff(x));
    SHOW(diff<2>(x));
    SHOW(gradient(x, 0.5, axis=1));
    SHOW(gradient(x(1), array<double, 1>{0, 1, 3}));
    SHOW(trapezoid(x));
    SHOW(trapezoid(x, array<double, 1>{0, 1, 3}));
    FAILS(gradient(array<double, 1>{1}));
    SECTION(include_initial, cumulative_sum, cumulative_prod);
    SHOW(cumulative_sum(x, axis=1, include_initial));
    SHOW(cumulative_prod(x(0)));
    SECTION(unwrap);
    SHOW(unwrap(array<double, 1>{0, 2, 4, -1}));
    SHOW(unwrap(array<double, 1>{0, 2, 4, 1}, 4));
    SECTION(nanargmax, nanargmin, nancumsum, nancumprod);
    SHOW(nanargmax(gaps));
    SHOW(nanargmin(gaps));
    SHOW(nancumsum(gaps));
    SHOW(nancumprod(gaps));
}
