// Launches the hand-written reductions.
#include <bench/peers/hand/contest.hpp>

namespace bench {
namespace {

/// Scratch memory for all blocks, initially zero: partial results, and counters that the kernels reset to zero.
void* scratch() {
    static void* const memory = [] {
        const auto* const zeros = new sinter::array<int, 1>(sinter::full(sinter::shape<1>(16 << 20), 0));
        sinter::synchronize();
        return zeros->storage()->data;
    }();
    return memory;
}
void* counters() { return static_cast<char*>(scratch()) + (32 << 20); }

template <class T>
void norm_rows(const trial& t, std::initializer_list<const char*> names) {
    const auto extents = t.extents<3>();
    constexpr int width = 16 / sizeof(T);
    require_multiple(t, extents[2], width);
    const auto x = operands<T>(t, 0, extents);
    const auto rows = static_cast<int>(extents[0] * extents[1]), vectors = static_cast<int>(extents[2] / width);
    contest<T, 2> c(t, sinter::shape<2>(extents[0], extents[1]));
    for (const char* name : names) {
        const kernel k("reductions.cu", name);
        for (const int block : {128, 256})
            c.enter(k, name + std::string(" of ") + std::to_string(block), [&](void* out, std::size_t i) {
                k({blocks_for(rows, block / 32), block}, out, data(x, i), rows, vectors);
            });
    }
}
const registration norm_2("norm_axis2.float32", [](const trial& t) {
    norm_rows<float>(t, {"norm_rows_4", "norm_rows_8"});
});
const registration norm_2_double("norm_axis2.float64", [](const trial& t) {
    norm_rows<double>(t, {"norm_rows_double_8", "norm_rows_double_16"});
});

void norm_columns(const trial& t, int axis) {
    const auto extents = t.extents<3>();
    const int outer = axis == 0 ? 1 : static_cast<int>(extents[0]), n = static_cast<int>(extents[axis]);
    const int inner = static_cast<int>((axis == 0 ? extents[1] : 1) * extents[2] / 4);
    require_multiple(t, extents[2], 4);
    const auto x = operands<float>(t, 0, extents);
    contest<float, 2> c(t, sinter::shape<2>(extents[axis == 0 ? 1 : 0], extents[2]));
    struct shape_of_block {
        int y, unroll;
    };
    for (const auto [y, unroll] : {shape_of_block{2, 10}, {4, 5}, {4, 9}, {8, 5}, {8, 8}, {16, 4}, {16, 8}}) {
        const std::string name = "norm_columns_" + std::to_string(y) + "_" + std::to_string(unroll);
        const kernel k("reductions.cu", name);
        c.enter(k, name, [&, rows = y](void* out, std::size_t i) {
            k({blocks_for(static_cast<long long>(outer) * inner, 32), 32 * rows}, out, data(x, i), outer, n, inner);
        });
    }
}
const registration norm_0("norm_axis0.float32", [](const trial& t) { norm_columns(t, 0); });
const registration norm_1("norm_axis1.float32", [](const trial& t) { norm_columns(t, 1); });

const registration dot("dot.float32", [](const trial& t) {
    const auto extents = t.extents<1>();
    require_multiple(t, extents[0], 4);
    const auto x = operands<float>(t, 0, extents), y = operands<float>(t, 1, extents);
    const long long vectors = extents[0] / 4;
    contest<float, 0> c(t, sinter::shape<0>());
    for (const char* name : {"dot_2", "dot_4", "dot_6"}) {
        const kernel k("reductions.cu", name);
        for (const long long blocks : {1, 8, 132 * 2, 132 * 3, 132 * 4}) {
            if ((vectors > 1'000'000) != (blocks > 100)) continue;
            c.enter(k, name + std::string(" of ") + std::to_string(blocks), [&](void* out, std::size_t i) {
                k({blocks, 512}, out, data(x, i), data(y, i), vectors, scratch(), counters());
            });
        }
    }
});

/// Tall matrices: the columns' moments, then the launch by `finish`.
struct tall {
    explicit tall(const trial& t)
        : extents(t.extents<2>()),
          x(operands<float>(t, 0, extents)),
          rows(static_cast<int>(extents[0])),
          inner(static_cast<int>(extents[1] / 4)) {
        require_multiple(t, extents[1], 128);
        require_multiple(t, 512, inner);
    }
    void launch_moments(const kernel& k, int y, int chunks, void* out, std::size_t i) const {
        k({static_cast<long long>(chunks) * (inner / 32), 32 * y}, out, data(x, i), rows, inner, chunks, scratch(),
          counters());
    }

    sinter::shape<2> extents;
    std::vector<sinter::array<float, 2>> x;
    int rows, inner;
};

constexpr struct {
    int y, unroll;
} moment_blocks[] = {{8, 8}, {16, 4}, {16, 8}};

const registration variance("var_axis0.float32", [](const trial& t) {
    const tall a(t);
    contest<float, 1> c(t, sinter::shape<1>(a.extents[1]));
    for (const auto [y, unroll] : moment_blocks)
        for (const int chunks : {66, 132, 264}) {
            const std::string name = "variance_" + std::to_string(y) + "_" + std::to_string(unroll);
            const kernel k("columns.cu", name);
            c.enter(k, name + " of " + std::to_string(chunks),
                    [&, rows = y](void* out, std::size_t i) { a.launch_moments(k, rows, chunks, out, i); });
        }
});

const registration standardise("standardise_axis0.float32", [](const trial& t) {
    const tall a(t);
    const sinter::array<float, 1> of_columns(sinter::shape<1>(2 * a.extents[1]));
    const auto vectors = static_cast<int>(a.extents.size() / 4);
    contest<float, 2> c(t, a.extents);
    const kernel apply("columns.cu", "standardise");
    for (const auto [y, unroll] : moment_blocks)
        for (const int chunks : {66, 132}) {
            const std::string name = "mean_and_scale_" + std::to_string(y) + "_" + std::to_string(unroll);
            const kernel k("columns.cu", name);
            c.enter(
                k, name + " of " + std::to_string(chunks),
                [&, rows = y](void* out, std::size_t i) {
                    void* const moments = of_columns.storage()->data;
                    a.launch_moments(k, rows, chunks, moments, i);
                    apply({blocks_for(vectors, 2048), 512}, out, data(a.x, i), moments, vectors, a.inner);
                },
                false, 2);
        }
});

}  // namespace
}  // namespace bench
