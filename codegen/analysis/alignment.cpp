// Alignment of addresses.
#include <codegen/analysis/alignment.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

constexpr int max_alignment = 16;  // of the widest access, and of every allocation

int alignment_of(std::uintptr_t address) {
    return static_cast<int>(
        std::min<std::uintptr_t>(max_alignment, address == 0 ? max_alignment : address & (~address + 1)));
}

std::uintptr_t address_of(const detail::storage& s) { return reinterpret_cast<std::uintptr_t>(s.data); }

std::uintptr_t displaced(std::uintptr_t address, std::int64_t elements, dtype type) {
    return address + static_cast<std::uintptr_t>(elements) * size_of(type);
}

}  // namespace

int alignment_of(const detail::storage& s) { return alignment_of(address_of(s)); }
int alignment_of(const detail::region& r) {
    return alignment_of(displaced(address_of(*r.whole), r.offset, r.whole->type));
}

std::vector<int> alignments(const loop_nest& k, const bindings& b, bool to_results) {
    std::vector<int> all;
    for (const kernel_input& in : k.inputs) {
        const std::uintptr_t base =
            in.leaf < b.program->leaves ? address_of(*b.arguments.leaves[in.leaf].get()) : 0;  // 0: allocated later
        all.push_back(alignment_of(displaced(base, in.offset, in.type)));
    }
    for (std::size_t o = 0; o < k.outputs.size(); ++o) {
        const bool named = to_results && b.results && !k.results.empty() && k.results[o] >= 0;
        const detail::region* into = named ? b.results[k.results[o]].into : nullptr;
        all.push_back(into ? alignment_of(*into) : max_alignment);
    }
    return all;
}

}  // namespace sinter::codegen
