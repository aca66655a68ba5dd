// Finds copies of scalars by a hash table of their identities, with linear probing.
#include <codegen/ir/scalar_identity.hpp>
#include <codegen/support/thread_cached.hpp>

#include <bit>

namespace sinter::codegen {
namespace {

bool are_copies(const ir::scalar_bits& a, const ir::scalar_bits& b) {
    return a.origin == b.origin && (a.origin < ir::fixed_origin || (a.bits == b.bits && a.more == b.more));
}

/// Other origins are consecutive numbers, so they rarely collide. Of library scalars the value distinguishes.
std::size_t first_slot(const ir::scalar_bits& s) {
    return s.origin < ir::fixed_origin ? s.origin : (s.bits * 0x9e3779b97f4a7c15u) >> 40;
}

}  // namespace

void identical_scalars(const ir::scalar_bits* scalars, int count, std::vector<int>& first) {
    const thread_cached<std::vector<int>> kept;
    std::vector<int>& met = *kept;
    const std::size_t places = std::bit_ceil(2 * static_cast<std::size_t>(count));
    met.assign(places, -1);
    first.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        first[static_cast<std::size_t>(i)] = i;
        const ir::scalar_bits& scalar = scalars[i];
        if (scalar.origin == 0) continue;
        std::size_t at = first_slot(scalar) & (places - 1);
        while (met[at] >= 0 && !are_copies(scalars[met[at]], scalar)) at = (at + 1) & (places - 1);
        if (met[at] < 0) met[at] = i;
        first[static_cast<std::size_t>(i)] = met[at];
    }
}

}  // namespace sinter::codegen
