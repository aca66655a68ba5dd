// Errors name the function that was called, not one that it calls: each row is a call that fails.
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <sinter/along_axis.hpp>
#include <sinter/convolve.hpp>
#include <sinter/decompose.hpp>
#include <sinter/fft.hpp>
#include <sinter/groups.hpp>
#include <sinter/linalg.hpp>
#include <sinter/masks.hpp>
#include <sinter/op/composite/covariance.hpp>
#include <sinter/op/composite/differences.hpp>
#include <sinter/op/composite/nan.hpp>
#include <sinter/quantile.hpp>
#include <sinter/recurrence.hpp>
#include <sinter/sliding_window.hpp>
#include <sinter/sort.hpp>

#include <functional>

namespace sinter::test {
namespace {

struct failing_call {
    const char* function;
    std::function<void()> call;
};

class names_in_errors : public on_devices {
protected:
    static void expect(const std::vector<failing_call>& calls) {
        for (const failing_call& c : calls) {
            const std::string message = message_of(c.call);
            EXPECT_EQ(message.substr(0, message.find(':')), c.function) << message;
        }
    }
};

#define SINTER_FAILING(function, ...)                   \
    {                                                   \
        #function, [&] { (void)function(__VA_ARGS__); } \
    }

TEST_F(names_in_errors, of_axes) {
    const array<double, 3> x = zeros<double>({2, 3, 4});
    const auto one = axis = 7;
    expect({
        SINTER_FAILING(sum, x, one),
        SINTER_FAILING(max, x, one),
        SINTER_FAILING(mean, x, one),
        SINTER_FAILING(var, x, one),
        SINTER_FAILING(stddev, x, one),
        SINTER_FAILING(nansum, x, one),
        SINTER_FAILING(nanprod, x, one),
        SINTER_FAILING(nanmean, x, one),
        SINTER_FAILING(nanvar, x, one),
        SINTER_FAILING(nanstd, x, one),
        SINTER_FAILING(nanargmax, x, one),
        SINTER_FAILING(nancumsum, x, one),
        SINTER_FAILING(norm, x, one),
        SINTER_FAILING(norm, x, one, ord=inf),
        SINTER_FAILING(ptp, x, one),
        SINTER_FAILING(average, x, x, one),
        SINTER_FAILING(average, x, one),
        SINTER_FAILING(count_nonzero, x, one),
        SINTER_FAILING(logsumexp, x, one),
        SINTER_FAILING(softmax, x, one),
        SINTER_FAILING(log_softmax, x, one),
        SINTER_FAILING(standardise, x, one),
        SINTER_FAILING(layer_norm, x, one),
        SINTER_FAILING(rms_norm, x, one),
        SINTER_FAILING(argmax, x, one),
        SINTER_FAILING(sort, x, one),
        SINTER_FAILING(median, x, one),
        SINTER_FAILING(diff, x, one),
        SINTER_FAILING(trapezoid, x, one),
        SINTER_FAILING(ema, x, 0.5, one),
        SINTER_FAILING(hfft, x, one),
        SINTER_FAILING(ihfft, x, one),
        SINTER_FAILING(stack, x, x, one),
        SINTER_FAILING(rolling_sum, x, 2, one),
        SINTER_FAILING(rolling_mean, x, 2, one),
        SINTER_FAILING(rolling_max, x, 2, one),
        SINTER_FAILING(rolling_min, x, 2, one),
        SINTER_FAILING(rolling_var, x, 2, one),
        SINTER_FAILING(rolling_std, x, 2, one),
        SINTER_FAILING(transpose, x, {0, 1, 7}),
        SINTER_FAILING(permute_dims, x, {0, 1, 7}),
    });
}

TEST_F(names_in_errors, of_shapes) {
    array<double, 1> v = zeros<double>({5});
    const array<double, 1> w = zeros<double>({4}), none = zeros<double>({0});
    array<double, 2> rows = zeros<double>({1, 4});
    const array<double, 2> m = zeros<double>({3, 4}), k = zeros<double>({5, 6});
    const array<double, 3> hollow = zeros<double>({2, 0, 4});
    const array<int, 1> i = {0, 1};
    const array<std::uint8_t, 1> bytes = {1, 2};
    expect({
        SINTER_FAILING(stack, v, w),
        SINTER_FAILING(isclose, v, w),
        SINTER_FAILING(average, m, k),
        SINTER_FAILING(linear_recurrence, m, k, axis=0),
        SINTER_FAILING(take_along_axis, hollow, zeros<int>({2, 1, 4}), axis=1),
        SINTER_FAILING(rolling_sum, v, 9),
        SINTER_FAILING(rolling_std, v, 9),
        SINTER_FAILING(bincount, i, v, 4),
        SINTER_FAILING(histogram, v, v, w),
        SINTER_FAILING(histogram2d, v, w, v, v),
        SINTER_FAILING(histogram_bin_edges, none, 3),
        SINTER_FAILING(ptp, none),
        SINTER_FAILING(norm, none, ord=-inf),
        SINTER_FAILING(rfft, none),
        SINTER_FAILING(irfft, none),
        SINTER_FAILING(slogdet, m),
        SINTER_FAILING(eigvalsh, m),
        SINTER_FAILING(eigvals, m),
        SINTER_FAILING(matrix_power, m, 3_c),
        SINTER_FAILING(lstsq, m, v),
        SINTER_FAILING(cond, zeros<double>({0, 4})),
        SINTER_FAILING(trapezoid, v, w),
        SINTER_FAILING(gradient, v, w),
        SINTER_FAILING(clip, bytes, -5, std::nullopt),
        SINTER_FAILING(clip, bytes, std::nullopt, 300),
        SINTER_FAILING(cov, v, w),
        SINTER_FAILING(corrcoef, v, w),
        SINTER_FAILING(lexsort, v, w),
        {"at", [&] { at(v, i) = w; }},
        {"at", [&] { at(v, i) += w; }},
        {"x(mask)",
         [&] {
             rows(rows > 0) = zeros<double>({2, 4});
         }},
    });
}

/// A name is forgotten with the call, and is not that of its operands.
TEST_F(names_in_errors, of_the_next_call) {
    const array<double, 1> v = zeros<double>({5}), w = zeros<double>({4});
    expect({SINTER_FAILING(softmax, v, axis=7), SINTER_FAILING(max, v, axis=7),
            SINTER_FAILING(concat, v, v, axis=7)});
    EXPECT_EQ(message_of([&] { (void)stack(v, w); }),
              "stack: shapes (5,) and (4,) differ; operands that are stacked have one shape");
    EXPECT_EQ(message_of([&] { (void)softmax(v + w); }).substr(0, 4), "add:");
}

}  // namespace
}  // namespace sinter::test
