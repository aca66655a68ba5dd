// Unrolled transforms of a few elements in registers.
//
// A composite length is split by Cooley and Tukey's algorithm ("An algorithm for the machine calculation of complex
// Fourier series", Math. Comp. 19, 1965). A prime length uses the sums and differences of mirrored elements, which
// halves the multiplications.
#include <codegen/cuda/fft.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace sinter::codegen {
namespace {

/// A literal of the kernels' type `real`, float or double.
std::string literal_of(double x) { return fmt::format("real({:.17g})", x); }

/// cos and sin of 2 pi i / n, exact at multiples of a quarter turn.
struct unit_root {
    double cosine, sine;
    unit_root(int i, int n) {
        i %= n;
        const int quarters = 4 * i / n, rest = 4 * i % n;
        const double angle = 2 * std::numbers::pi * rest / (4.0 * n);
        const double c = std::cos(angle), s = rest == 0 ? 0.0 : std::sin(angle);
        cosine = quarters == 0 ? c : quarters == 1 ? -s : quarters == 2 ? -c : s;
        sine = quarters == 0 ? s : quarters == 1 ? c : quarters == 2 ? -s : -c;
    }
};

class butterfly_writer {
public:
    std::string text(int radix) {
        std::vector<std::string> in;
        for (int i = 0; i < radix; ++i) in.push_back(named(fmt::format("v[{}]", i)));
        const std::vector<std::string> out = transform(in);
        for (int i = 0; i < radix; ++i) lines_ += fmt::format("    v[{}] = {};\n", i, out[at(i)]);
        return fmt::format("__device__ void dft_{}(cpx* v)\n{{\n{}}}\n", radix, lines_);
    }

private:
    using names = std::vector<std::string>;
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    std::string named(const std::string& value) {
        std::string name = fmt::format("x{}", next_++);
        lines_ += fmt::format("    const cpx {} = {};\n", name, value);
        return name;
    }
    std::string sum(const std::string& x, const std::string& y) { return named(fmt::format("add({}, {})", x, y)); }
    std::string difference(const std::string& x, const std::string& y) {
        return named(fmt::format("subtract({}, {})", x, y));
    }

    /// x exp(-2 pi i k / n).
    std::string turned(const std::string& x, int k, int n) {
        if (k % n == 0) return x;
        if (4 * k % n == 0) {
            const int quarters = 4 * k / n % 4;
            const char* const values[] = {"", "make({0}.im, -{0}.re)", "make(-{0}.re, -{0}.im)",
                                          "make(-{0}.im, {0}.re)"};
            return named(fmt::format(fmt::runtime(values[quarters]), x));
        }
        const unit_root w(k, n);
        return named(fmt::format("multiply({}, make({}, {}))", x, literal_of(w.cosine), literal_of(-w.sine)));
    }

    names transform(const names& x) {
        const int n = static_cast<int>(x.size());
        if (n == 1) return x;
        int factor = 2;
        while (n % factor != 0) ++factor;
        if (n % 4 == 0 && n > 4) factor = 4;
        return factor == n ? of_prime(x) : of_product(x, factor);
    }

    names of_product(const names& x, int p) {
        const int n = static_cast<int>(x.size()), q = n / p;
        std::vector<names> columns(at(p), names(at(q)));  // element k1 of the transform of column i2
        for (int i2 = 0; i2 < q; ++i2) {
            names column;
            for (int i1 = 0; i1 < p; ++i1) column.push_back(x[at(i1 * q + i2)]);
            const names of_column = transform(column);
            for (int k1 = 0; k1 < p; ++k1) columns[at(k1)][at(i2)] = turned(of_column[at(k1)], i2 * k1, n);
        }
        names out(at(n));
        for (int k1 = 0; k1 < p; ++k1) {
            const names row = transform(columns[at(k1)]);
            for (int k2 = 0; k2 < q; ++k2) out[at(k1 + p * k2)] = row[at(k2)];
        }
        return out;
    }

    names of_prime(const names& x) {
        const int p = static_cast<int>(x.size());
        if (p == 2) return {sum(x[0], x[1]), difference(x[0], x[1])};
        names sums, differences, out(at(p));
        std::string total = x[0];
        for (int j = 1; j <= p / 2; ++j) {
            sums.push_back(sum(x[at(j)], x[at(p - j)]));
            differences.push_back(difference(x[at(j)], x[at(p - j)]));
            total = sum(total, sums.back());
        }
        out[0] = total;
        for (int k = 1; k <= p / 2; ++k) {
            std::string even = x[0], odd;
            for (int j = 1; j <= p / 2; ++j) {
                const unit_root w(j * k, p);
                even = named(fmt::format("scaled_add({}, {}, {})", even, sums[at(j - 1)], literal_of(w.cosine)));
                const std::string of_odd = odd.empty() ? "make(real(0), real(0))" : odd;
                odd = named(fmt::format("scaled_add({}, {}, {})", of_odd, differences[at(j - 1)], literal_of(w.sine)));
            }
            out[at(k)] = named(fmt::format("make({0}.re + {1}.im, {0}.im - {1}.re)", even, odd));
            out[at(p - k)] = named(fmt::format("make({0}.re - {1}.im, {0}.im + {1}.re)", even, odd));
        }
        return out;
    }

    std::string lines_;
    int next_ = 0;
};

}  // namespace

std::string butterfly_text(int radix) { return butterfly_writer().text(radix); }

}  // namespace sinter::codegen
