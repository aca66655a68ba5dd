// Examples of arrays over several devices; here the host stands for two of them.
#include "show.hpp"

#include <sinter/sharded.hpp>
#include <sinter/sharded_npy.hpp>

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
    SHOW(reshard(parts + 1, axis=1).axis());
    SECTION(tie);
    DO(sharded<float, 1> low; sharded<float, 1> high);
    DO(tie(low, high) = pack(min(parts, axis=1), max(parts, axis=1)));
    SHOW(gather(high - low));
    SECTION(gather);
    SHOW(gather(parts * 10));
    SECTION(save_npy, load_npy);
    DO(save_npy(m, "x.npy", parts));
    SHOW((load_npy<float, 2>(m, "x.npy", axis=1).shard(0)));
    SECTION(reproducible_scope, current_reproducible);
    DO(reproducible_scope same_bits);
    SHOW(current_reproducible());
    SHOW(item(sum(parts)));
    SECTION(synchronize);
    DO(synchronize(m));
}
