// Host times of everyday expressions: one line per expression with the minimum CPU time of its evaluations and that of
// the first one, in milliseconds. host_everyday.py times the same in NumPy or JAX. Arguments: the extent of both axes,
// and part of a name.
#include <sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

using namespace sinter;

namespace {

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

const char* wanted = "";

template <class F>
void time_case(const char* name, F evaluate) {
    if (std::strstr(name, wanted) == nullptr) return;
    double least = 1e9, total = 0;
    const double first_start = cpu_seconds();
    evaluate();
    const double first = cpu_seconds() - first_start;
    for (int i = 0; i < 300 && (i < 3 || total < 0.15); ++i) {
        const double start = cpu_seconds();
        evaluate();
        const double took = cpu_seconds() - start;
        total += took;
        least = std::min(least, took);
    }
    std::printf("%s %.4f %.4f\n", name, least * 1e3, first * 1e3);
    std::fflush(stdout);
}

#define CASE(name, ...)                       \
    time_case(#name, [&] {                    \
        const auto r = evaluate(__VA_ARGS__); \
        (void)r;                              \
    })

template <class E>
auto evaluate(E&& e) {
    return array<element_t<std::remove_cvref_t<E>::type>, std::remove_cvref_t<E>::rank>(std::forward<E>(e));
}

}  // namespace

int main(int argc, char** argv) {
    const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000;
    if (argc > 2) wanted = argv[2];
    array<double, 2> x = uniform<double>(random_key(1), {n, n}), y = uniform<double>(random_key(2), {n, n});
    array<float, 2> f = uniform<float>(random_key(3), {n, n}), g = uniform<float>(random_key(4), {n, n});
    array<std::uint8_t, 2> u = astype<std::uint8_t>(f * 255.f), w = astype<std::uint8_t>(g * 255.f);
    array<std::uint8_t, 2> live = astype<std::uint8_t>(f > 0.5f);
    array<bool, 2> b = f > 0.5f;
    array<double, 1> v = ravel(x);
    array<float, 3> image = reshape(f(range(0, n / 4 * 4), range(0, n / 4 * 4)), shape{n / 4 * 4 * (n / 4), 4, 1});
    array<std::int64_t, 1> rows = astype<std::int64_t>(uniform<double>(random_key(5), {n}) * double(n));
    array<std::int64_t, 1> places = astype<std::int64_t>(uniform<double>(random_key(6), {n * n}) * double(n * n));
    const std::int64_t c = n / 10;
    array<float, 3> volume = reshape(ravel(f)(range(0, c * c * 100)), shape{c, c, 100});
    array<std::int8_t, 2> q = astype<std::int8_t>(f * 100.f);
    array<double, 1> line = x(0, all);
    array<bool, 1> column_mask = line > 0.5;

    CASE(chain_f64, sqrt(x * x + y * y) * 2.0 - x / (y + 1.0));
    CASE(long_chain_f64, ((((((x * 0.1 + y) * x + 0.2) * x - y) * x + 0.3) * x + y) * x - 0.4) * x + y);
    CASE(chain_f32, sqrt(f * f + g * g) * 2.f - f / (g + 1.f));
    CASE(exp_f32, exp(f) + log(g + 1.f));
    CASE(exp_f64, exp(x) + log(y + 1.0));
    CASE(blend_u8, astype<std::uint8_t>((astype<std::int32_t>(u) * 77 + astype<std::int32_t>(w) * 179) / 256));
    CASE(add_u8, u + w);
    CASE(logic_bool, (b && !(f < 0.25f)) || g > 0.9f);
    CASE(roll0_f64, roll(x, 1, axis=0));
    CASE(roll1_f64, roll(x, 1, axis=1));
    CASE(roll_flat_f64, roll(v, 7, axis=0));
    CASE(laplace_roll_f64,
         roll(x, 1, axis=0) + roll(x, -1, axis=0) + roll(x, 1, axis=1) + roll(x, -1, axis=1) - 4.0 * x);
    CASE(life_u8, astype<std::uint8_t>((roll(live, 1, axis=0) + roll(live, -1, axis=0) + roll(live, 1, axis=1) +
                                        roll(live, -1, axis=1)) == std::uint8_t(3)));
    CASE(pad_f64, pad(x, {{1, 1}, {1, 1}}));
    CASE(pad_f32, pad(f, {{3, 3}, {3, 3}}));
    CASE(concat0_f64, concat(x, y, axis=0));
    CASE(concat1_f64, concat(x, y, axis=1));
    CASE(stack_last_f32, stack(f, g, axis=-1));
    CASE(flip_f64, flip(x, axis=1));
    CASE(repeat0_f64, repeat(x, 2, axis=0));
    CASE(repeat1_f64, repeat(x, 2, axis=1));
    CASE(upsample_f32, repeat(repeat(f, 2, axis=0), 2, axis=1));
    CASE(tile_f64, tile(x, {2, 2}));
    CASE(take_rows_f64, take(x, rows, axis=0));
    CASE(take_columns_f64, take(x, rows, axis=1));
    CASE(take_flat_f64, take(v, places, axis=0));
    CASE(where_mask_f64, where(b, x, y));
    CASE(where_column_f64, where(column_mask, x, 0.0));
    CASE(triangle_f64, where(arange(n)(all, newaxis) >= arange(n), x, 0.0));
    CASE(blur3_f64, (x(range(0, n - 2), all) + x(range(1, n - 1), all) + x(range(2, n), all)) / 3.0);
    CASE(box9_f32, f(range(0, n - 2), range(0, n - 2)) + f(range(0, n - 2), range(1, n - 1)) +
                       f(range(0, n - 2), range(2, n)) + f(range(1, n - 1), range(0, n - 2)) +
                       f(range(1, n - 1), range(1, n - 1)) + f(range(1, n - 1), range(2, n)) +
                       f(range(2, n), range(0, n - 2)) + f(range(2, n), range(1, n - 1)) + f(range(2, n), range(2, n)));
    CASE(stencil3d_f32, volume(range(0, c - 2), range(1, c - 1), range(1, 99)) +
                            volume(range(2, c), range(1, c - 1), range(1, 99)) +
                            volume(range(1, c - 1), range(0, c - 2), range(1, 99)) +
                            volume(range(1, c - 1), range(2, c), range(1, 99)) +
                            volume(range(1, c - 1), range(1, c - 1), range(0, 98)) +
                            volume(range(1, c - 1), range(1, c - 1), range(2, 100)) -
                            6.f * volume(range(1, c - 1), range(1, c - 1), range(1, 99)));
    CASE(diff_f64, x(all, range(1, n)) - x(all, range(0, n - 1)));
    CASE(transpose_f64, transpose(x));
    CASE(add_transpose_f64, x + transpose(y));
    CASE(transpose_u8, transpose(u));
    CASE(sum_all_f64, sum(x));
    CASE(sum_rows_f64, sum(x, axis=1));
    CASE(sum_columns_f64, sum(x, axis=0));
    CASE(sum_u8, sum(u));
    CASE(count_bool, sum(b));
    CASE(max_rows_f32, max(f, axis=1));
    CASE(sum_roll_f64, sum(x * roll(x, 1, axis=1)));
    CASE(var_f64, var(x, axis=1));
    CASE(softmax_f32, softmax(f, axis=1));
    CASE(layer_norm_f32, layer_norm(f, axis=1));
    CASE(cumsum_f64, cumsum(x, axis=1));
    CASE(cumsum0_f64, cumsum(x, axis=0));
    CASE(cast_f64_f32, astype<float>(x));
    CASE(cast_u8_f32, astype<float>(u));
    CASE(dequantise_i8_f32, (astype<float>(q) - 3.f) * f(all, range(0, 1)));
    CASE(channels_f32, image(all, 0, 0) * 0.3f + image(all, 1, 0) * 0.6f + image(all, 2, 0) * 0.1f);
    CASE(outer_f64, line(all, newaxis) * line);
    CASE(normalise_columns_f32, (f - mean(f, axis=0)) / 2.f);
}
