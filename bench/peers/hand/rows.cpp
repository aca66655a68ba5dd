// Launches the hand-written kernels of rows.
#include <bench/peers/hand/contest.hpp>

namespace bench {
namespace {

struct row_block {
    int warps, vectors;
    std::string suffix() const { return "_" + std::to_string(warps) + "_" + std::to_string(vectors); }
};
constexpr int block_row = 4096;
constexpr row_block row_blocks[] = {{4, 8}, {8, 4}, {16, 2}};

const registration softmax("softmax.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, extents);
    contest<float, 2> c(t, extents);
    if (extents[1] == 128) {
        require_multiple(t, extents[0], 32);
        for (const int rows : {1, 2, 4}) {
            const kernel k("rows.cu", "softmax_short_" + std::to_string(rows));
            c.enter(k, std::to_string(rows) + " rows per warp",
                    [&](void* out, std::size_t i) { k({extents[0] / (8 * rows)}, out, data(x, i)); });
        }
    } else if (extents[1] == block_row) {
        for (const row_block& b : row_blocks) {
            const kernel k("rows.cu", "softmax" + b.suffix());
            c.enter(k, std::to_string(b.warps) + " warps per row", [&](void* out, std::size_t i) {
                k({extents[0], 32 * b.warps}, out, data(x, i));
            });
        }
    } else {
        require_extent(t, extents[1], 262144);
        for (const auto& [cluster, b] :
             {std::pair{8, row_block{32, 8}}, {16, row_block{16, 8}}, {16, row_block{32, 4}}}) {
            const std::string name = "softmax_cluster_" + std::to_string(cluster) + b.suffix();
            const kernel k("long_rows.cu", name);
            c.enter(k, name, [&, blocks = cluster, block = 32 * b.warps](void* out, std::size_t i) {
                k({extents[0] * blocks, block}, out, data(x, i));
            });
        }
    }
});

/// Kernels NAME_W_V with one block per row of 4096 elements.
template <class T, int Rank, class F>
void block_rows(const trial& t, const std::string& name, const sinter::shape<Rank>& result, F call) {
    require_extent(t, t.extents<2>()[1], block_row);
    contest<T, Rank> c(t, result);
    for (const row_block& b : row_blocks) {
        const kernel k("rows.cu", name + b.suffix());
        const geometry g{t.extents<2>()[0], 32 * b.warps};
        c.enter(k, std::to_string(b.warps) + " warps per row", [&](void* out, std::size_t i) { call(k, g, out, i); });
    }
}

const registration layernorm("layernorm.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, extents);
    const auto weight = operands<float>(t, 1, sinter::shape<1>(extents[1]));
    const auto bias = operands<float>(t, 2, sinter::shape<1>(extents[1]));
    block_rows<float>(t, "layernorm", extents, [&](const kernel& k, const geometry& g, void* out, std::size_t i) {
        k(g, out, data(x, i), data(weight, i), data(bias, i), 1e-5f);
    });
});

const registration rmsnorm("rmsnorm.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, extents);
    const auto weight = operands<float>(t, 1, sinter::shape<1>(extents[1]));
    block_rows<float>(t, "rmsnorm", extents, [&](const kernel& k, const geometry& g, void* out, std::size_t i) {
        k(g, out, data(x, i), data(weight, i), 1e-5f);
    });
});

const registration logsumexp("logsumexp.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, extents);
    block_rows<float>(t, "logsumexp", sinter::shape<1>(extents[0]),
                      [&](const kernel& k, const geometry& g, void* out, std::size_t i) { k(g, out, data(x, i)); });
});

const registration argmax("argmax.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    require_multiple(t, extents[1], 4);
    const auto x = operands<float>(t, 0, extents);
    const auto rows = static_cast<int>(extents[0]), vectors = static_cast<int>(extents[1] / 4);
    contest<std::int64_t, 1> c(t, sinter::shape<1>(extents[0]));
    for (const char* name : {"argmax_4", "argmax_8"}) {
        const kernel k("rows.cu", name);
        c.enter(k, name, [&](void* out, std::size_t i) {
            k({blocks_for(rows, 4), 128}, out, data(x, i), rows, vectors);
        });
    }
});

}  // namespace
}  // namespace bench
