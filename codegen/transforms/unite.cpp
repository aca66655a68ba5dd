// Kernels that compute the same are one. An expression that mentions a reduction twice, as softmax(sum(x, axis=2))
// does, has it as two nodes of its type, and partition cuts before it is known which arrays are the same.
#include <codegen/transforms/distinct.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// The kernel without the names of its values, which tell nothing of what it computes.
kernel without_names(kernel k) {
    for (value& v : k.values) v.node = -1;
    return k;
}

/// Equal inputs, which may have come to be, become one.
void unite_inputs(kernel& k) {
    const std::vector<int> now = make_distinct(k.inputs);
    for (value& v : k.values)
        if (v.input >= 0) v.input = now[v.input];
}

}  // namespace

bool reads(const kernel& k, int leaf) {
    return std::any_of(k.inputs.begin(), k.inputs.end(), [&](const kernel_input& in) { return in.leaf == leaf; });
}

void drop_kernel(std::vector<kernel>& kernels, int leaves, int dropped, int instead) {
    const int from = leaves + temporaries_before(kernels, dropped);
    const int to = instead < 0 ? 0 : leaves + temporaries_before(kernels, instead);
    const int count = stored_by(kernels[dropped]);
    kernels.erase(kernels.begin() + dropped);
    for (kernel& k : kernels) {
        for (kernel_input& in : k.inputs) {
            if (in.leaf >= from + count)
                in.leaf -= count;
            else if (in.leaf >= from && instead >= 0)
                in.leaf += to - from;
        }
        unite_inputs(k);
    }
}

void unite(std::vector<kernel>& kernels, int leaves) {
    for (int second = 1; second + 1 < static_cast<int>(kernels.size()); ++second)
        for (int first = 0; first < second; ++first) {
            if (!kernels[second].results.empty() || !kernels[first].results.empty() ||
                without_names(kernels[first]) != without_names(kernels[second]))
                continue;
            drop_kernel(kernels, leaves, second--, first);
            break;
        }
}

}  // namespace sinter::codegen
