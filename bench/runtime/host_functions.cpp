// Everyday functions of whole arrays: sorting, searching, counting, products, and reductions along each axis.
#include "host_everyday.hpp"

#include <sinter/convolve.hpp>
#include <sinter/groups.hpp>
#include <sinter/masks.hpp>
#include <sinter/pad_modes.hpp>
#include <sinter/quantile.hpp>
#include <sinter/scatter.hpp>
#include <sinter/searchsorted.hpp>
#include <sinter/sliding_window.hpp>
#include <sinter/unique.hpp>

namespace everyday {
namespace {

void order(const operands& o) {
    CASE(sort_rows_f64, sort(o.x));
    CASE(sort_rows_f32, sort(o.f));
    CASE(sort_columns_f32, sort(o.f, axis=0));
    CASE(sort_flat_f64, sort(o.v));
    CASE(sort_flat_i64, sort(o.places));
    CASE(sort_u8, sort(o.u));
    CASE(argsort_rows_f32, argsort(o.f));
    CASE(argsort_flat_f64, argsort(o.v));
    CASE(topk_rows_f32, topk(o.f, 8));
    CASE(topk_half_f32, topk(o.f, o.n / 2));
    CASE(median_rows_f64, median(o.x, axis=1));
    CASE(median_f64, median(o.x));
    CASE(unique_i64, unique(o.places));
    CASE(unique_u8, unique(ravel(o.u)));
    CASE(searchsorted_f64, searchsorted(o.sorted, o.v));
}

void counts(const operands& o) {
    CASE(histogram_f32, histogram(ravel(o.f), o.edges));
    CASE(bincount_u8, bincount(ravel(o.u), 256));
    CASE(bincount_i64, bincount(o.keys, 1000));
    time_case("compress_f64", [&] { const array<double, 1> r = o.x(o.b); });
    CASE(nonzero_bool, nonzero(ravel(o.b))[0]);
    time_case("add_at_f64", [&] {
        array<double, 1> r = o.totals;
        at(r, o.keys) += o.v;
    });
    CASE(bincount_weights_f64, bincount(o.keys, o.v, 1000));
    CASE(histogram_weights_f64, histogram(o.v, o.bins, o.v));
    CASE(histogram2d_f64, histogram2d(o.v, ravel(o.y), o.bins, o.bins));
    CASE(segment_mean_f32, segment_mean(ravel(o.f), o.keys, 1000));
    CASE(segment_max_f64, segment_max(o.v, o.keys, 1000));
    time_case("argwhere_bool", [&] { const array<std::int64_t, 2> r = argwhere(o.b); });
    CASE(take_along_f64, take_along_axis(o.x, o.order, axis=1));
    CASE(pad_reflect_f64, pad(o.x, {{2, 2}, {2, 2}}, pad_mode::reflect));
    CASE(pad_wrap_f64, pad(o.x, {{2, 2}, {2, 2}}, pad_mode::wrap));
    CASE(pad_edge_f32, pad(o.f, {{2, 2}, {2, 2}}, pad_mode::edge));
}

void reductions(const operands& o) {
    CASE(argmax_rows_f32, argmax(o.f, axis=1));
    CASE(argmax_columns_f32, argmax(o.f, axis=0));
    CASE(any_rows, any(o.b, axis=1));
    CASE(all_columns, all(o.b, axis=0));
    CASE(max_columns_f64, max(o.x, axis=0));
    CASE(mean_f32, mean(o.f));
    CASE(sum_middle_f32, sum(o.volume, axis=1));
    CASE(var_columns_f64, var(o.x, axis=0));
    CASE(std_f64, stddev(o.x));
    CASE(softmax_columns_f32, softmax(o.f, axis=0));
    CASE(layer_norm_columns_f32, layer_norm(o.f, axis=0));
    CASE(norm_rows_f32, sqrt(sum(o.f * o.f, axis=1)));
    CASE(distance_rows_f64, sqrt(sum(square(o.x - o.y), axis=1)));
    CASE(pairwise_f32, sum(square(o.points(all, newaxis) - o.points), axis=2));
    CASE(max_window_f32, max(sliding_window(o.f, {3, 3}), axis={2, 3}));
    CASE(convolve_f32, convolve(ravel(o.f), o.taps, overlap::same));
    CASE(cumprod_rows_f32, cumprod(o.f, axis=1));
    CASE(diff_rows_f32, diff(o.f));
}

void products(const operands& o) {
    CASE(matmul_f32, matmul(o.f, o.g));
    CASE(matmul_epilogue_f32, maximum(matmul(o.f, o.g) + o.f(0), 0.f));
    CASE(matmul_small_f64, matmul(o.x(range(0, 32), range(0, 32)), o.y(range(0, 32), range(0, 32))));
    CASE(matvec_f64, matmul(o.x, o.line));
    CASE(matmul_transposed_f64, matmul(o.x, transpose(o.y)));
    CASE(matmul_c64, matmul(o.square, o.square));
    CASE(batched_f32, matmul(o.batch, o.batch));
}

void narrow_types(const operands& o) {
    CASE(multiply_f16, o.h * o.h + o.h);
    CASE(exp_f16, exp(o.h));
    CASE(sum_f16, sum(astype<float>(o.h), axis=1));
    CASE(clip_u8, astype<std::uint8_t>(clip(astype<std::int16_t>(o.u) + astype<std::int16_t>(o.w), 0, 255)));
    CASE(shift_u8, (o.u >> 4) | (o.w << 4));
    CASE(threshold_u8, where(o.u > 128, o.u, o.w));
    CASE(invert_u8, 255 - o.u);
    CASE(minimum_i8, minimum(o.q, maximum(o.q, std::int8_t(3))));
    CASE(xor_bool, o.b ^ flip(o.b, axis=1));
    CASE(life8_u8, (o.live(range(0, o.n - 2), range(0, o.n - 2)) + o.live(range(0, o.n - 2), range(1, o.n - 1)) +
                    o.live(range(0, o.n - 2), range(2, o.n)) + o.live(range(1, o.n - 1), range(0, o.n - 2)) +
                    o.live(range(1, o.n - 1), range(2, o.n)) + o.live(range(2, o.n), range(0, o.n - 2)) +
                    o.live(range(2, o.n), range(1, o.n - 1)) + o.live(range(2, o.n), range(2, o.n))) == 3);
    CASE(grey_u8,
         astype<std::uint8_t>((astype<std::int32_t>(o.rgb(all, 0)) * 77 + astype<std::int32_t>(o.rgb(all, 1)) * 150 +
                               astype<std::int32_t>(o.rgb(all, 2)) * 29) >>
                              8));
    CASE(planes_u8, transpose(o.rgb));
    CASE(multiply_c64, o.z * conj(o.z) + o.z);
    CASE(abs_c64, abs(o.z));
    CASE(mod_i64, o.places % 7);
    CASE(round_f64, round(o.x * 100.0));
    CASE(pow_f32, pow(o.f, 2.5f));
    CASE(sin_f64, sin(o.x) * cos(o.y));
    CASE(clip_f32, clip(o.f, 0.2f, 0.8f));
    CASE(isnan_f64, any(isnan(o.x)));
    CASE(less_f64, o.x < o.y);
    CASE(add_f64, o.x + o.y);
    CASE(copy_f32, o.f + 0.f);
}

}  // namespace

void time_functions(const operands& o) {
    order(o);
    counts(o);
    reductions(o);
    products(o);
    narrow_types(o);
}

}  // namespace everyday
