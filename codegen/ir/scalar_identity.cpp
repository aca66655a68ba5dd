// Finds copies of scalars by a hash table of their identities, with linear probing.
#include <codegen/ir/scalar_identity.hpp>
#include <codegen/support/thread_cached.hpp>

#include <bit>

namespace sinter::codegen {

void identical_scalars(const ir::scalar_bits* scalars, int count, std::vector<int>& first) {
    const thread_cached<std::vector<int>> kept;
    std::vector<int>& met = *kept;
    const std::size_t places = std::bit_ceil(2 * static_cast<std::size_t>(count));
    met.assign(places, -1);
    first.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        first[static_cast<std::size_t>(i)] = i;
        const std::uint64_t origin = scalars[i].origin;
        if (origin == 0) continue;
        std::size_t at = origin & (places - 1);  // identities are consecutive numbers, so they rarely collide
        while (met[at] >= 0 && scalars[met[at]].origin != origin) at = (at + 1) & (places - 1);
        if (met[at] < 0) met[at] = i;
        first[static_cast<std::size_t>(i)] = met[at];
    }
}

}  // namespace sinter::codegen
