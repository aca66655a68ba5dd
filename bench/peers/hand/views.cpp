// Launches the hand-written kernels of grids and of pairs of points.
#include <bench/peers/hand/contest.hpp>

namespace bench {
namespace {

const registration laplacian("laplacian.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    require_multiple(t, extents[1], 2);
    const auto x = operands<float>(t, 0, extents);
    const auto n = static_cast<int>(extents[0] - 2), m = static_cast<int>(extents[1] - 2);
    contest<float, 2> c(t, sinter::shape<2>(n, m));
    for (const int rows : {4, 8, 16}) {
        const std::string name = "laplacian_" + std::to_string(rows);
        const kernel k("grids.cu", name);
        c.enter(k, name, [&](void* out, std::size_t i) {
            k({blocks_for(m / 2, 128) * blocks_for(n, rows), 128}, out, data(x, i), n, m);
        });
    }
});

const registration add_transposed("add_transposed.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    require_multiple(t, extents[0], 64);
    require_extent(t, extents[1], extents[0]);
    const auto x = operands<float>(t, 0, extents), y = operands<float>(t, 1, extents);
    const auto n = static_cast<int>(extents[0]);
    contest<float, 2> c(t, extents);
    struct tile {
        const char* name;
        int side, threads;
    };
    for (const tile& of :
         {tile{"add_transposed_32", 32, 256}, {"add_transposed_64", 64, 256}, {"add_transposed_64_512", 64, 512}}) {
        const kernel k("grids.cu", of.name);
        const long long tiles = n / of.side;
        c.enter(k, of.name, [&](void* out, std::size_t i) {
            k({tiles * tiles, of.threads}, out, data(x, i), data(y, i), n);
        });
    }
});

const registration gaussian("gaussian.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    require_multiple(t, extents[0], 16);
    require_multiple(t, extents[1], 1024);
    const auto x = operands<float>(t, 0, sinter::shape<1>(extents[0]));
    const auto y = operands<float>(t, 1, sinter::shape<1>(extents[1]));
    const auto m = static_cast<int>(extents[1]);
    contest<float, 2> c(t, extents);
    for (const int rows : {4, 8, 16}) {
        const std::string name = "gaussian_" + std::to_string(rows);
        const kernel k("grids.cu", name);
        c.enter(k, name,
                [&](void* out, std::size_t i) { k({extents[0] / rows * (m / 1024)}, out, data(x, i), data(y, i), m); });
    }
});

const registration pairwise("pairwise.float32", [](const trial& t) {
    const auto extents = t.extents<3>();
    require_multiple(t, extents[0], 128);
    require_multiple(t, extents[1], 128);
    require_extent(t, extents[2], 64);
    const auto x = operands<float>(t, 0, sinter::shape<2>(extents[0], extents[2]));
    const auto y = operands<float>(t, 1, sinter::shape<2>(extents[1], extents[2]));
    const auto m = static_cast<int>(extents[1]);
    contest<float, 2> c(t, sinter::shape<2>(extents[0], extents[1]));
    for (const char* name : {"pairwise", "pairwise_through_norms"}) {
        const kernel k("pairs.cu", name);
        c.enter(
            k, name,
            [&](void* out, std::size_t i) {
                k({extents[0] / 128 * (m / 128), 256, 2 * 64 * 128 * 4}, out, data(x, i), data(y, i), m);
            },
            name != std::string("pairwise"));
    }
});

const registration kmeans("kmeans.float32", [](const trial& t) {
    const auto extents = t.extents<3>();  // points, centres, dimensions
    require_multiple(t, extents[0], 128);
    require_extent(t, extents[1], 64);
    require_extent(t, extents[2], 32);
    const auto x = operands<float>(t, 0, sinter::shape<2>(extents[0], extents[2]));
    const auto centres = operands<float>(t, 1, sinter::shape<2>(extents[1], extents[2]));
    contest<std::int64_t, 1> c(t, sinter::shape<1>(extents[0]));
    for (const char* name : {"kmeans", "kmeans_through_norms"}) {
        const kernel k("pairs.cu", name);
        c.enter(
            k, name,
            [&](void* out, std::size_t i) {
                k({extents[0] / 128, 128}, out, data(x, i), data(centres, i));
            },
            name != std::string("kmeans"));
    }
});

}  // namespace
}  // namespace bench
