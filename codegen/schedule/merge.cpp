// Fewer kernels than the type of an expression tells of. Equal ones become one; and where a kernel has one reader, and
// the two nested have a schedule, they become one. Only a product has such a schedule, where the reader's loops are no
// longer than a tile is wide: then what the first kernel would store never leaves the registers.
#include <codegen/ir/verify.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/transforms/pass.hpp>

namespace sinter::codegen {

namespace {

bool is_product(const kernel& k) { return k.product != ir::product::none; }

}  // namespace

std::vector<kernel> merge_kernels(std::vector<kernel> kernels, int leaves, const machine& m) {
    unite(kernels, leaves);
    for (int first = 0; first < static_cast<int>(kernels.size()); ++first) {
        const kernel& k = kernels[static_cast<std::size_t>(first)];
        const int stored = leaves + temporaries_before(kernels, first);
        const int second = k.outputs.size() == 1 && k.results.empty() ? only_reader(kernels, stored) : -1;
        if (second < 0 || is_product(k) || is_product(kernels[static_cast<std::size_t>(second)])) continue;
        std::optional<kernel> nested = nest(k, kernels[static_cast<std::size_t>(second)], stored);
        if (!nested) continue;
        verify(*nested, "nest");
        if (!schedule_product(*nested, m, {})) continue;
        kernels[static_cast<std::size_t>(second)] = std::move(*nested);
        drop_kernel(kernels, leaves, first--, -1);
    }
    return kernels;
}

}  // namespace sinter::codegen
