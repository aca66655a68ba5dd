// What tiles save: the loads of a matrix product, counted.
#include <algorithm>
#include <cstdio>
#include <vector>

// [matrix]
/// A square matrix in memory, which counts its loads.
struct matrix {
    explicit matrix(int n) : extent(n), values(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
    float load(int i, int j) const { return ++loads, values[index(i, j)]; }
    float& at(int i, int j) { return values[index(i, j)]; }

    int extent;
    std::vector<float> values;
    mutable long loads = 0;

private:
    std::size_t index(int i, int j) const {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(extent) + static_cast<std::size_t>(j);
    }
};
// [matrix]

// [naive]
/// c = a b as three loops: each multiplication loads both of its operands.
void multiply(const matrix& a, const matrix& b, matrix& c) {
    for (int i = 0; i < a.extent; ++i)
        for (int j = 0; j < a.extent; ++j) {
            float sum = 0;
            for (int k = 0; k < a.extent; ++k) sum += a.load(i, k) * b.load(k, j);
            c.at(i, j) = sum;
        }
}
// [naive]

// [tiled]
/// A tile in fast memory: shared memory, or a cache.
template <int T>
struct tile {
    float at[T][T];
    tile(const matrix& m, int row, int column) {
        for (int i = 0; i < T; ++i)
            for (int j = 0; j < T; ++j) at[i][j] = m.load(row + i, column + j);
    }
};

/// The same by tiles of T x T; T divides the extent. A block of threads computes one tile of c.
template <int T>
void multiply_tiled(const matrix& a, const matrix& b, matrix& c) {
    for (int row = 0; row < a.extent; row += T)
        for (int column = 0; column < a.extent; column += T) {
            float sums[T][T] = {};
            for (int k = 0; k < a.extent; k += T) {
                const tile<T> left(a, row, k), right(b, k, column);
                for (int i = 0; i < T; ++i)
                    for (int j = 0; j < T; ++j)
                        for (int l = 0; l < T; ++l) sums[i][j] += left.at[i][l] * right.at[l][j];
            }
            for (int i = 0; i < T; ++i)
                for (int j = 0; j < T; ++j) c.at(row + i, column + j) = sums[i][j];
        }
}
// [tiled]

int main() {
    constexpr int n = 128;
    matrix a(n), b(n), naive(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            a.at(i, j) = static_cast<float>((i * 7 + j * 3) % 11);  // sums of small integers are exact
            b.at(i, j) = static_cast<float>((i * 5 + j) % 13);
        }
    std::printf("== loads\n%10s %12s %22s %16s\n", "tile", "loads", "of each element", "flop per byte");
    const auto report = [&](int tile, const matrix& c) {
        const double flop = 2.0 * n * n * n, bytes = 4.0 * (a.loads + b.loads + n * n);
        std::printf("%10d %12ld %22ld %16.2f%s\n", tile, a.loads + b.loads, a.loads / (n * n), flop / bytes,
                    c.values == naive.values ? "" : "  WRONG");
        a.loads = b.loads = 0;
    };
    multiply(a, b, naive);
    report(1, naive);
    matrix c(n);
    multiply_tiled<4>(a, b, c);
    report(4, c);
    multiply_tiled<16>(a, b, c);
    report(16, c);
    multiply_tiled<64>(a, b, c);
    report(64, c);
    multiply_tiled<128>(a, b, c);
    report(128, c);
    return 0;
}
