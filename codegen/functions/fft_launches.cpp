// Fourier transforms on a device: the sequence of kernels.
//
// A line that fits shared memory takes one pass. A longer one is split into factors: one pass per factor, with twiddles
// in between (D. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 1990). Lengths with prime
// factors above 13 become convolutions of power-of-two length (L. Bluestein, "A linear filtering approach to the
// computation of discrete Fourier transform", IEEE Trans. Audio Electroacoust. 18, 1970).
#include <codegen/cuda/fft.hpp>
#include <codegen/functions/fft.hpp>
#include <codegen/ir/round.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace sinter::codegen {
namespace {

using kind = call_argument::kind;

constexpr std::int64_t shared_elements_bytes = 32 * 1024;  ///< for the lines of a block
constexpr std::int64_t segment_bytes = 64;  ///< of neighbouring lines per block, so that it moves whole sectors

/// The radices of a pass, largest first; empty if n has a prime factor above 13.
std::vector<int> radices_of(std::int64_t n) {
    std::vector<int> all;
    int bits = std::countr_zero(static_cast<std::uint64_t>(n));
    n >>= bits;
    for (int passes = (bits + 3) / 4; passes > 0; --passes) {
        const int own = (bits + passes - 1) / passes;
        all.push_back(1 << own);
        bits -= own;
    }
    for (const int radix : {9, 3, 5, 7, 11, 13})
        for (; n % radix == 0; n /= radix) all.push_back(radix);
    if (n != 1) return {};
    if (all.empty()) all.push_back(1);
    std::sort(all.begin(), all.end(), std::greater<>());
    return all;
}

/// n as a product of `count` factors of similar size, each at most `limit`; empty if there is none.
std::optional<std::vector<std::int64_t>> factors_alike(std::int64_t n, int count, std::int64_t limit) {
    if (count == 1) return n <= limit ? std::optional(std::vector{n}) : std::nullopt;
    std::int64_t wish = 1;  // the count-th root
    while ([&] {
        std::int64_t power = 1;
        for (int i = 0; i < count; ++i) power = power > n / (wish + 1) ? n + 1 : power * (wish + 1);
        return power <= n;
    }())
        ++wish;
    for (std::int64_t factor = wish; factor <= limit; ++factor)
        if (n % factor == 0)
            if (auto rest = factors_alike(n / factor, count - 1, limit)) {
                rest->insert(rest->begin(), factor);
                return rest;
            }
    return std::nullopt;
}

/// The lines of a transform: `outer` times `inner` of them; the inner ones are interleaved.
struct fft_lines {
    std::int64_t outer = 1, length = 1, inner = 1;
};

/// An array that is read or stored, its format, and the number of elements between consecutive outer lines.
struct fft_place {
    call_argument array;
    fft_elements elements = fft_elements::complex;
};

/// Strides of a pass's lines: along the outer index, three inner ones, and the elements.
struct pass_steps {
    std::int64_t outer = 0, a = 0, b = 0, c = 0, element = 1;
};

class transforming {
public:
    explicit transforming(const call_site& call) : f_(fft_of(call)), is_consumed_(call.consumed != 0) {
        real_ = f_.wide ? dtype::float64 : dtype::float32;
    }

    call_launches run() {
        const fft_place from{{kind::operand, 0, 0},
                             f_.form == fft_form::real_to_half   ? fft_elements::real
                             : f_.form == fft_form::half_to_real ? fft_elements::half
                                                                 : fft_elements::complex};
        const fft_place to{{kind::result, 0, 0},
                           f_.form == fft_form::half_to_real   ? fft_elements::real
                           : f_.form == fft_form::real_to_half ? fft_elements::half
                                                               : fft_elements::complex};
        if (f_.form == fft_form::half_to_real) {
            // the spectrum stays half until its last axis is transformed
            fft_place spectrum{from.array};
            if (f_.rank > 1) {
                const fft_place own{reserve(f_.batches * f_.elements_in())};
                for (int axis = 0; axis + 1 < f_.rank; ++axis, spectrum = own) axis_of(axis, spectrum, own, 1);
            }
            spectrum.elements = fft_elements::half;
            axis_of(f_.rank - 1, spectrum, to, f_.factor);
        } else {
            // a result that a function takes is nowhere in memory
            const bool apart = is_consumed_ && f_.rank > 1;
            const fft_place between{apart ? reserve(f_.batches * f_.elements_out()) : to.array};
            fft_place first = between;
            first.elements = to.elements;
            axis_of(f_.rank - 1, from, f_.rank == 1 ? to : first, f_.rank == 1 ? f_.factor : 1);
            for (int axis = f_.rank - 2; axis > 0; --axis) axis_of(axis, between, between, 1);
            if (f_.rank > 1) axis_of(0, between, fft_place{to.array}, f_.factor);
        }
        return std::move(made_);
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    std::int64_t element_bytes() const { return f_.wide ? 16 : 8; }

    call_argument reserve(std::int64_t elements) {
        const std::int64_t begin = made_.workspace_bytes;
        made_.workspace_bytes += round_up(elements * element_bytes(), std::int64_t{256});
        return {kind::workspace, 0, begin};
    }

    /// Transforms one of the axes.
    void axis_of(int axis, const fft_place& from, const fft_place& to, double factor) {
        fft_lines lines{f_.batches, f_.lengths[at(axis)], 1};
        for (int i = 0; i < axis; ++i) lines.outer *= f_.lengths[at(i)];
        const bool halved = f_.form == fft_form::real_to_half || f_.form == fft_form::half_to_real;
        for (int i = axis + 1; i < f_.rank; ++i)
            lines.inner *= halved && i == f_.rank - 1 ? f_.last() / 2 + 1 : f_.lengths[at(i)];
        transform(lines, from, to, factor, f_.backward());
    }

    void transform(const fft_lines& lines, const fft_place& from, const fft_place& to, double factor, bool backward) {
        if (radices_of(lines.length).empty()) return by_chirps(lines, from, to, factor, backward);
        const std::vector<std::int64_t> factors = factors_of(lines);
        const std::int64_t count = lines.outer * lines.length * lines.inner;
        fft_place source = from;
        const fft_place between{factors.size() > 1 ? reserve(count) : call_argument{}};
        std::int64_t before = 1, rest = lines.length;  // products of the earlier factors, and of the later ones
        for (std::size_t i = 0; i < factors.size(); ++i) {
            const bool last = i + 1 == factors.size();
            rest /= factors[i];
            pass(lines, {factors[i], before, rest, i == 0, last}, source, last ? to : between, last ? factor : 1,
                 backward);
            before *= factors[i];
            source = between;
        }
    }

    std::vector<std::int64_t> factors_of(const fft_lines& lines) const {
        const std::int64_t most = shared_elements_bytes / element_bytes();
        const std::int64_t across = most * element_bytes() / segment_bytes;
        if (lines.length <= (lines.inner == 1 ? most : across)) return {lines.length};
        for (const std::int64_t limit : {across, most})
            for (int count = 2; count <= 3; ++count)
                if (auto found = factors_alike(lines.length, count, limit)) return *found;
        throw error(
            fmt::format("fft: an axis of {} elements is too long for a device of kernels without cuFFT", lines.length));
    }

    /// One factor of a length, and the products of the earlier (before) and later (behind) factors.
    struct factor_of {
        std::int64_t length, before, behind;
        bool first, last;
    };

    /// With factors n1 n2 n3, element i1 n2 n3 + i2 n3 + i3 of a line becomes k1 + n1 k2 + n1 n2 k3: all passes but the
    /// last work in place, the last one permutes.
    void pass(const fft_lines& lines, const factor_of& f, const fft_place& from, const fft_place& to, double factor,
              bool backward) {
        if (f.first) first_factor_ = f.last ? 1 : f.length;
        const std::int64_t inner = lines.inner;
        pass_steps loads, stores;
        std::int64_t extent_a = 1, extent_b = f.behind;
        loads.outer = line_step(lines, from.elements);
        stores.outer = line_step(lines, to.elements);
        loads.c = stores.c = 1;
        if (!f.last) {  // lines are indexed by the earlier factors, a, and the later elements, b
            extent_a = f.before;
            loads.a = stores.a = f.length * f.behind * inner;
            loads.b = stores.b = inner;
            loads.element = stores.element = f.behind * inner;
        } else {
            // of the earlier factors, the second is index a, and the first is index b, which is contiguous
            const std::int64_t first = first_factor_;
            extent_a = f.before / first, extent_b = first;
            loads.b = f.length * extent_a * inner;
            loads.a = f.length * inner;
            loads.element = inner;
            stores.b = inner;
            stores.a = first * inner;
            stores.element = f.before * inner;
        }
        fft_source s;
        s.real = real_;
        s.backward = backward;
        s.loads = from.elements;
        s.stores = to.elements;
        s.length = static_cast<int>(f.length);
        s.radices = radices_of(f.length);
        s.twiddles = !f.last;
        s.loads_along = loads.element == 1;
        s.stores_along = stores.element == 1;
        deal(s);
        const std::int64_t count = lines.outer * inner * lines.length / f.length;
        // a pass's twiddles span the remaining length
        const std::int64_t total = f.last ? lines.length : f.length * f.behind;
        std::vector<call_argument> arguments{to.array, from.array};
        for (const std::int64_t n :
             {count, total, bits(factor), extent_a, extent_b, inner, loads.outer, loads.a, loads.b, loads.c,
              loads.element, stores.outer, stores.a, stores.b, stores.c, stores.element})
            arguments.push_back({kind::number, 0, n});
        launch(fft_kernel::pass, s, divide_up(count, std::int64_t{s.lines}), s.lines * s.threads, arguments);
    }

    /// Chooses threads per line and lines per block.
    void deal(fft_source& s) const {
        const int most = static_cast<int>(shared_elements_bytes / element_bytes());
        s.threads = std::max(1, (s.length + 15) / 16);
        for (const int radix : s.radices)
            if (radix > 1) s.threads = std::max(s.threads, std::min(s.length / radix, s.length / 8));
        s.threads = std::max(1, s.threads);
        const int side_by_side =
            s.loads_along && s.stores_along ? 1 : static_cast<int>(segment_bytes / element_bytes());
        s.lines = std::clamp(256 / s.threads, 1, std::max(1, most / s.length));
        s.lines = std::max(s.lines, std::min(side_by_side, std::max(1, most / s.length)));
        while (s.lines > 1 && s.lines * s.threads > 1024) s.lines /= 2;
        if (s.radices.size() == 1 && s.loads_along != s.stores_along) s.loads_along = s.stores_along;
    }

    /// Elements between consecutive outer lines.
    static std::int64_t line_step(const fft_lines& lines, fft_elements elements) {
        return (elements == fft_elements::half ? lines.length / 2 + 1 : lines.length) * lines.inner;
    }

    void by_chirps(const fft_lines& lines, const fft_place& from, const fft_place& to, double factor, bool backward) {
        const std::int64_t n = lines.length, rows = lines.outer * lines.inner;
        const auto wide = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
        const call_argument padded = reserve(rows * wide), filter = reserve(wide);
        fft_source s;
        s.real = real_;
        s.backward = backward;
        s.loads = from.elements;
        s.stores = to.elements;
        const auto number = [](std::int64_t value) { return call_argument{kind::number, 0, value}; };
        const auto blocks = [](std::int64_t count) { return divide_up(count, std::int64_t{fft_block}); };
        launch(fft_kernel::chirp, s, blocks(rows * wide), fft_block,
               {padded, from.array, number(rows * wide), number(wide), number(n), number(lines.inner),
                number(line_step(lines, from.elements) / lines.inner)});
        fft_source plain;
        plain.real = real_;
        launch(fft_kernel::filter, plain, blocks(wide), fft_block, {filter, number(wide), number(n)});
        transform({1, wide, 1}, {filter}, {filter}, 1, false);
        transform({rows, wide, 1}, {padded}, {padded}, 1, false);
        launch(fft_kernel::multiply, plain, blocks(rows * wide), fft_block,
               {padded, filter, number(rows * wide), number(wide)});
        transform({rows, wide, 1}, {padded}, {padded}, 1, true);
        launch(fft_kernel::dechirp, s, blocks(rows * n), fft_block,
               {to.array, padded, number(rows * n), number(wide), number(n), number(lines.inner),
                number(line_step(lines, to.elements) / lines.inner), number(bits(factor / static_cast<double>(wide)))});
    }

    static std::int64_t bits(double x) { return std::bit_cast<std::int64_t>(x); }

    void launch(fft_kernel which, const fft_source& s, std::int64_t blocks, int threads,
                std::vector<call_argument> arguments) {
        made_.kernels.push_back(
            {fmt::format("{} {} {} {} {} {} {} {} {} {} {}", fft_name(which, s), static_cast<int>(s.real), s.backward,
                         static_cast<int>(s.loads), static_cast<int>(s.stores), s.threads, s.lines, s.loads_along,
                         s.stores_along, s.twiddles, fmt::join(s.radices, ".")),
             [which, s](const argument_functions& f) {
                 return printed_kernel{fft_text(which, s, f.operands[0], f.results[0]), fft_name(which, s), {}};
             },
             blocks, threads, std::move(arguments)});
    }

    const fft_call f_;
    const bool is_consumed_;
    dtype real_{};
    std::int64_t first_factor_ = 1;
    call_launches made_;
};

}  // namespace

call_launches fft_on_device(const call_site& call, const device_properties&) { return transforming(call).run(); }

}  // namespace sinter::codegen
