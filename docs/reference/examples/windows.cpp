// Examples of windows, padding by mode, convolutions and recurrences.
#include <sinter/convolve.hpp>
#include <sinter/pad_modes.hpp>
#include <sinter/recurrence.hpp>
#include <sinter/sliding_window.hpp>

#include "show.hpp"

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<double, 1> v = {1, 4, 2, 8, 5});
    DO(array<double, 2> x = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});

    SECTION(sliding_window);
    SHOW(sliding_window(v, 3));
    SHOW(sliding_window(v, 3)(range(0, end, 2)));
    SHOW(sliding_window(v, 3)(all, range(0, end, 2)));
    SHOW(sum(sliding_window(x, {2, 2}), axis={-2, -1}));
    SHOW(max(sliding_window(x, 2, axis=1), axis=-1));
    FAILS(sliding_window(v, 6));
    SECTION(rolling_sum, rolling_mean, rolling_max, rolling_min, rolling_var, rolling_std);
    SHOW(rolling_sum(v, 3));
    SHOW(rolling_mean(x, 2, axis=0));
    SHOW(rolling_max(v, 2));
    SHOW(rolling_min(v, 2));
    SHOW(rolling_var(v, 3, axis=0, ddof=1));
    SHOW(rolling_std(v, 5));
    SECTION(pad);
    SHOW(pad(v, {{3, 2}}, pad_mode::edge));
    SHOW(pad(v, {{3, 2}}, pad_mode::reflect));
    SHOW(pad(v, {{3, 2}}, pad_mode::symmetric));
    SHOW(pad(v, {{3, 2}}, pad_mode::wrap));
    SHOW(pad(v, {{3, 2}}, pad_mode::linear_ramp, -2));
    SHOW(pad(v, {{1, 1}}, pad_mode::mean));
    SHOW(pad(x, {{1, 0}, {0, 1}}, pad_mode::maximum));
    SHOW(pad(x, {{1, 0}, {0, 1}}, pad_mode::minimum));
    FAILS(pad(v, {{-1, 0}}, pad_mode::wrap));
    SECTION(convolve);
    SHOW(convolve(v, array<double, 1>{1, 2}));
    SHOW(convolve(v, array<double, 1>{1, 2}, overlap::full));
    SHOW(convolve(v, array<double, 1>{1, 2}, overlap::same));
    SHOW((convolve(x, ones({2, 2}), overlap::valid)));
    SHOW((convolve(pad(v, {{1, 1}}, pad_mode::edge), array<double, 1>{0.25, 0.5, 0.25}, overlap::valid)));
    SECTION(correlate);
    SHOW(correlate(v, array<double, 1>{1, 2}));
    FAILS(correlate(v, ones(6)));
    SECTION(linear_recurrence);
    SHOW(linear_recurrence(0.5, v));
    SHOW(linear_recurrence(-1, ones_like(x), axis=1));
    SECTION(ema);
    SHOW(ema(v, 0.5));
}
