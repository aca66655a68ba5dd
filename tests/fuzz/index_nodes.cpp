// Nodes of indices.
#include <tests/fuzz/index_nodes.hpp>

#include <algorithm>

namespace sinter::fuzz {

int index_along(grower& g, int rank, int axis, std::int64_t count, std::int64_t step) {
    const int numbers = g.add_iota((count - 1) * step + 1);
    extents shape{};
    std::fill_n(shape.begin(), rank, 1);
    shape[static_cast<std::size_t>(axis)] = count;
    return g.add_view(numbers, shape, rank, {axis, 0, step});
}

int fixed_index(grower& g, std::int64_t n) { return g.add_view(g.add_iota(n + 1), {}, 0, {-1, n, 0}); }

int read_along(grower& g, int x, int axis, std::int64_t count, int index) {
    if (x == nothing || index == nothing) return nothing;
    const int rank = g.values(x).rank;
    extents shape = g.values(x).shape;
    shape[static_cast<std::size_t>(axis)] = count;
    std::vector<std::int64_t> maps;
    for (int a = 0; a < rank; ++a) maps.insert(maps.end(), {a == axis ? ir::from_operand : a, 0, 1});
    return g.add_view(x, shape, rank, maps, index);
}

}  // namespace sinter::fuzz
