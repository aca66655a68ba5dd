// Device times of sorting, selection, masks, histograms, windows, spectra, linear algebra and attention: one line per
// case with the median time per call, in milliseconds. families.py times the same in CuPy and PyTorch, and prints a
// table of all three. Argument: part of a name.
#include <sinter/at.hpp>
#include <sinter/convolve.hpp>
#include <sinter/fft.hpp>
#include <sinter/linalg.hpp>
#include <sinter/masks.hpp>
#include <sinter/quantile.hpp>
#include <sinter/recurrence.hpp>
#include <sinter/searchsorted.hpp>
#include <sinter/sliding_window.hpp>

#include <sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace sinter;

namespace {

using clock_type = std::chrono::steady_clock;

double milliseconds_since(clock_type::time_point start) {
    return std::chrono::duration<double, std::milli>(clock_type::now() - start).count();
}

const char* wanted = "";

/// The median over batches of about 4 ms; each batch is synchronized once.
template <class F>
void time_case(const char* name, const F& call) {
    if (std::strstr(name, wanted) == nullptr) return;
    try {
        call();
        synchronize();
        const auto second = clock_type::now();
        call();
        synchronize();
        const double one = milliseconds_since(second);
        const int batch = one > 4 ? 1 : static_cast<int>(4 / (one > 0.01 ? one : 0.01)) + 1;
        std::vector<double> times;
        for (int i = 0; i < (one > 200 ? 1 : 9); ++i) {
            const auto start = clock_type::now();
            for (int k = 0; k < batch; ++k) call();
            synchronize();
            times.push_back(milliseconds_since(start) / batch);
        }
        std::sort(times.begin(), times.end());
        std::printf("%s %.4f\n", name, times[times.size() / 2]);
    } catch (const error& e) {
        std::printf("%s failed: %s\n", name, e.what());
    }
    std::fflush(stdout);
}

#define CASE(name, ...)                     \
    time_case(#name, [&] {                  \
        const auto r = stored(__VA_ARGS__); \
        (void)r;                            \
    })

template <class E>
auto stored(E&& e) {
    return array<element_t<std::remove_cvref_t<E>::type>, std::remove_cvref_t<E>::rank>(std::forward<E>(e));
}

void sorting() {
    constexpr std::int64_t n = 1 << 26;
    const array<float, 1> x = uniform<float>(random_key(1), {n});
    const array<float, 2> rows = reshape(x, {16384, 4096}), short_rows = reshape(x(range(0, 1 << 25)), {1 << 20, 32});
    CASE(sort_2e26, sort(x));
    CASE(argsort_2e26, argsort(x));
    const array<std::int32_t, 1> numbers = integers<std::int32_t>(random_key(1), -2000000000, 2000000000, {n});
    const array<std::int32_t, 1> small = integers<std::int32_t>(random_key(1), 0, 65536, {n});
    CASE(sort_2e26_i32, sort(numbers));
    CASE(sort_2e26_i32_below_65536, sort(small));
    CASE(sort_rows_16384x4096, sort(rows));
    CASE(sort_rows_1048576x32, sort(short_rows));
    CASE(top16_rows_16384x4096, topk(rows, 16));
    CASE(median_rows_16384x4096, median(rows, axis=1_c));
    const array<float, 1> edges = linspace<float>(0, 1, 1024), values = sin(edges);
    CASE(searchsorted_2e26_in_1024, searchsorted(edges, x));
    CASE(interp_2e26_in_1024, interp(x, edges, values));
}

void choosing() {
    constexpr std::int64_t n = 1 << 26;
    const array<float, 1> x = uniform<float>(random_key(2), {n}) - 0.5f;
    CASE(compress_half_of_2e26, extract(x > 0, x));
    time_case("nonzero_half_of_2e26", [&] {
        const auto found = nonzero(x > 0);
        (void)found;
    });
    time_case("sum_where_2e26", [&] {
        const array<float, 0> s = sum(x, sinter::where = x > 0);
        (void)s;
    });
    const array<float, 1> edges = linspace<float>(-0.5, 0.5, 257);
    CASE(histogram_256_of_2e26, histogram(x, edges));
    const array<std::int32_t, 1> groups = integers<std::int32_t>(random_key(3), 0, 100000, {n});
    CASE(bincount_100000_of_2e26, bincount(groups, 100000));
    array<float, 1> sums = zeros<float>({100000});
    time_case("scatter_add_100000_of_2e26_f32", [&] { at(sums, groups) += x; });
    array<std::int32_t, 1> totals = zeros<std::int32_t>({100000});
    time_case("scatter_add_100000_of_2e26_i32", [&] { at(totals, groups) += groups; });
    const array<std::int32_t, 1> few = groups % 1000, many = integers<std::int32_t>(random_key(6), 0, 10000000, {n});
    array<float, 1> long_sums = zeros<float>({10000000});
    array<float, 1> few_sums = zeros<float>({1000});
    time_case("scatter_add_1000_of_2e26_f32", [&] { at(few_sums, few) += x; });
    time_case("scatter_add_10000000_of_2e26_f32", [&] { at(long_sums, many) += x; });
    const array<float, 2> vectors = reshape(x(range(0, 1 << 24)), {1 << 16, 256});
    const array<std::int32_t, 1> words = integers<std::int32_t>(random_key(7), 0, 30000, {1 << 16});
    array<float, 2> table = zeros<float>({30000, 256});
    time_case("scatter_add_30000x256_of_65536_f32", [&] { at(table, words, axis=0) += vectors; });
}

void windows() {
    const array<float, 2> image = uniform<float>(random_key(4), {8192, 8192});
    const array<float, 2> k3 = uniform<float>(random_key(5), {3, 3}), k5 = uniform<float>(random_key(5), {5, 5});
    const array<float, 2> k11 = uniform<float>(random_key(5), {11, 11});
    CASE(conv2d_3x3_of_8192, convolve(image, k3, overlap::same));
    CASE(conv2d_5x5_of_8192, convolve(image, k5, overlap::same));
    CASE(conv2d_11x11_of_8192, convolve(image, k11, overlap::same));
    const array<float, 1> line = uniform<float>(random_key(6), {1 << 24}), k65 = uniform<float>(random_key(7), {65});
    CASE(conv1d_65_of_2e24, convolve(line, k65, overlap::same));
    const array<float, 2> rows = uniform<float>(random_key(8), {16384, 4096});
    CASE(max_of_31_in_rows_16384x4096, max(sliding_window(rows, {31}, axis={1}), axis=2_c));
    const array<float, 4> planes = uniform<float>(random_key(8), {64, 64, 256, 256});
    const auto apart = range(0, end, 2);
    CASE(max_pool_2x2_of_64x64x256x256,
         max(sliding_window(planes, {2, 2}, axis={2, 3})(all, all, apart, apart), axis={-2, -1}));
    CASE(average_3x3_of_64x64x256x256, mean(sliding_window(planes, {3, 3}, axis={2, 3}), axis={-2, -1}));
}

void spectra() {
    const array<float, 2> re = uniform<float>(random_key(9), {4096, 4096});
    const array<std::complex<float>, 2> z = complex(re, 1.f - re);
    const array<float, 1> w = uniform<float>(random_key(10), {4096});
    CASE(fft_rows_4096x4096_c64, fft(z));
    CASE(abs2_fft_rows_4096x4096_c64, abs2(fft(z * w)));
    CASE(rfft_rows_4096x4096_f32, rfft(re));
    CASE(irfft_rows_4096x4096_f32, irfft(rfft(re), 4096));
    CASE(fft2_4096x4096_c64, fft2(z));
    CASE(fft_columns_4096x4096_c64, fft(z, axis=0_c));
    const array<std::complex<float>, 1> line = reshape(z, {1 << 24});
    CASE(fft_2e24_c64, fft(line));
    CASE(fft_rows_16384x1000_c64, fft(reshape(line(range(0, 16384000 / 16 * 16)), {16384, 1000})));
    CASE(fft_rows_16384x1009_c64, fft(reshape(line(range(0, 16384 * 1009)), {16384, 1009})));
    const array<std::complex<double>, 2> d = astype<std::complex<double>>(z);
    CASE(fft_rows_4096x4096_c128, fft(d));
}

void matrices() {
    const array<float, 3> a = uniform<float>(random_key(11), {16384, 16, 16}) + 16.f * eye<float>(16);
    const array<float, 3> b = uniform<float>(random_key(12), {16384, 16, 1});
    CASE(solve_16384x16, solve(a, b));
    const array<float, 3> s = matmul(a, permute(a, {0, 2, 1}));
    CASE(cholesky_16384x16, cholesky(s));
    const array<float, 2> large = uniform<float>(random_key(13), {4096, 4096}) + 64.f * eye<float>(4096);
    const array<float, 2> side = uniform<float>(random_key(14), {4096, 16});
    CASE(solve_4096, solve(large, side));
    CASE(inv_4096, inv(large));
    const array<float, 2> definite = matmul(large, transpose(large));
    CASE(cholesky_4096, cholesky(definite));
    const array<float, 2> m = uniform<float>(random_key(15), {1024, 1024}), symmetric = m + transpose(m);
    time_case("qr_1024", [&] {
        array<float, 2> q, r;
        tie(q, r) = qr(m);
    });
    time_case("eigh_1024", [&] {
        array<float, 1> v;
        array<float, 2> q;
        tie(v, q) = eigh(symmetric);
    });
    time_case("svd_1024", [&] {
        array<float, 1> v;
        array<float, 2> u, h;
        tie(u, v, h) = svd(m);
    });
    time_case("eig_512", [&] {
        array<std::complex<float>, 1> v;
        array<std::complex<float>, 2> q;
        tie(v, q) = eig(m(range(0, 512), range(0, 512)));
    });
}

void attention() {
    const auto key = [](std::uint64_t n) { return normal<float>(random_key(n), {4, 8, 2048, 64}); };
    const array<float16, 4> q = astype<float16>(key(16)), k = astype<float16>(key(17)), v = astype<float16>(key(18));
    const auto kt = permute(k, {0, 1, 3, 2});
    CASE(attention_4x8x2048x64, matmul(softmax(matmul(q, kt) * 0.125f, axis=-1_c), v));
    CASE(attention_on_scaled_queries_4x8x2048x64, matmul(softmax(matmul(q * 0.125f, kt), axis=-1_c), v));
    const auto rows = arange(2048);
    const auto before = rows(all, newaxis) >= rows;
    CASE(causal_attention_4x8x2048x64, matmul(softmax(where(before, matmul(q, kt) * 0.125f, -inf), axis=-1_c), v));
    const auto window = before && rows(all, newaxis) - rows < 256;
    CASE(windowed_attention_4x8x2048x64, matmul(softmax(where(window, matmul(q, kt) * 0.125f, -inf), axis=-1_c), v));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) wanted = argv[1];
    attention();
    spectra();
    matrices();
    sorting();
    windows();
    choosing();
}
