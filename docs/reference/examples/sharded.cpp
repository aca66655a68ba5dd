// Examples of arrays over several devices; here the host stands for two of them.
#include "show.hpp"

#include <sinter/sharded.hpp>

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<float, 2> x = {{1, 2}, {3, 4}, {5, 6}});

    SECTION(mesh);
    DO(mesh m({host(), host()}));
    SHOW(m.size());
    SECTION(sharded, scatter);
    DO(sharded<float, 2> parts = scatter(m, x));
    SHOW(parts.axis());
    SHOW(parts.shard(1));
    DO(sharded<float, 2> doubled = parts * 2);
    DO(array<float, 1> sums = sum(doubled, axis=0));
    SHOW(sums);
    SECTION(replicate);
    SHOW(replicate(m, x).axis());
    SHOW(replicate(parts).shard(0));
    SECTION(reshard);
    SHOW(reshard(parts, axis=1).shard(0));
    SECTION(gather);
    SHOW(gather(parts * 10));
    SECTION(synchronize);
    DO(synchronize(m));
}
