// The stages of an expression in Sinter: the nodes that the C++ compiler makes of its type, the passes, the kernel.
#include <sinter.hpp>

#include <cstdio>

using namespace sinter;

int main() {
    // [expression]
    const array<float, 2> x = ones<float>({1000, 512});
    const array<float, 1> y = ones<float>({512});
    const auto e = sqrt(square(x - y) + 1.f) / square(x - y);
    // [expression]

    // [program]
    using tree = decltype(e)::tree_type;
    constexpr ir::program p = detail::program_of<tree>;
    static_assert(p.leaves == 4 && p.scalars == 1);
    // [program]
    std::printf("== nodes\n%d nodes, %d leaves, %d scalars\n", p.node_count, p.leaves, p.scalars);
    const explanation why = explain(e);
    std::printf("== passes\n%s", why.passes.c_str());
    std::printf("== kernel\n%s", why.kernels[0].source.c_str());
}
