// Merges kernels that compute the same. An expression that uses a reduction twice, as softmax(sum(x, axis=2)) does, has
// it as two nodes of its type, and partition runs before it is known which arrays are the same.
#include <codegen/transforms/deduplicate.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <map>

namespace sinter::codegen {
namespace {

/// The kernel without its values' graph nodes, which do not affect what it computes.
loop_nest without_names(loop_nest k) {
    for (value& v : k.values) v.node = -1;
    return k;
}

/// Whether two kernels for later kernels are the same. Most differ in what is compared first, without copies.
bool are_identical(const loop_nest& a, const loop_nest& b) {
    return a.results.empty() && b.results.empty() && a.values.size() == b.values.size() && a.extents == b.extents &&
           a.inputs == b.inputs && without_names(a) == without_names(b);
}

/// Deduplicates inputs, which may have become equal.
void merge_identical_inputs(loop_nest& k) {
    if (k.call) return;  // its inputs are numbered by its operands
    const std::vector<int> now = deduplicate(k.inputs);
    for (value& v : k.values)
        if (v.input >= 0) v.input = now[v.input];
}

}  // namespace

bool reads(const loop_nest& k, int leaf) {
    return std::any_of(k.inputs.begin(), k.inputs.end(), [&](const kernel_input& in) { return in.leaf == leaf; });
}

bool reads_any(const loop_nest& k, const std::vector<int>& leaves) {
    return std::any_of(leaves.begin(), leaves.end(), [&](int leaf) { return leaf >= 0 && reads(k, leaf); });
}

void drop_kernel(std::vector<loop_nest>& kernels, int leaves, int dropped, int instead) {
    const int from = leaves + temporaries_before(kernels, dropped);
    const int to = instead < 0 ? 0 : leaves + temporaries_before(kernels, instead);
    const int count = stored_by(kernels[dropped]);
    kernels.erase(kernels.begin() + dropped);
    for (loop_nest& k : kernels) {
        for (kernel_input& in : k.inputs) {
            if (in.leaf >= from + count)
                in.leaf -= count;
            else if (in.leaf >= from && instead >= 0)
                in.leaf += to - from;
        }
        merge_identical_inputs(k);
    }
}

std::vector<std::vector<int>> stored_leaves(const std::vector<loop_nest>& kernels, int leaves) {
    std::vector<std::vector<int>> all;
    int next = leaves;
    for (const loop_nest& k : kernels) {
        std::vector<int>& of_kernel = all.emplace_back();
        for (std::size_t o = 0; o < k.outputs.size(); ++o)
            of_kernel.push_back(k.results.empty() || k.results[o] < 0 || (k.read_later >> o & 1) != 0 ? next++ : -1);
    }
    return all;
}

void renumber_leaves(std::vector<loop_nest>& kernels, int leaves, const std::vector<std::vector<int>>& before) {
    const std::vector<std::vector<int>> after = stored_leaves(kernels, leaves);
    std::map<int, int> now;
    for (std::size_t k = 0; k < kernels.size(); ++k)
        for (std::size_t o = 0; o < after[k].size(); ++o)
            if (after[k][o] >= 0) now[before[k][o]] = after[k][o];
    for (loop_nest& k : kernels)
        for (kernel_input& in : k.inputs)
            if (in.leaf >= leaves) in.leaf = now.at(in.leaf);
}

void drop_output(loop_nest& k, int output) {
    const auto drop = [output](auto& all) {
        if (!all.empty()) all.erase(all.begin() + output);
    };
    drop(k.outputs);
    drop(k.output_shapes);
    drop(k.results);
    if (std::all_of(k.results.begin(), k.results.end(), [](int r) { return r < 0; })) k.results.clear();
    std::erase_if(k.stores, [output](const kernel_store& s) { return s.output == output; });
    for (kernel_store& s : k.stores) s.output -= s.output > output;
    const std::uint32_t below = (1u << output) - 1;
    k.read_later = (k.read_later & below) | (k.read_later >> 1 & ~below);
}

void drop_stored(loop_nest& k, std::vector<int>& stored, int output) {
    if (!k.results.empty() && k.results[output] >= 0) {
        k.read_later &= ~(1u << output);
        stored[output] = -1;
    } else {
        drop_output(k, output);
        stored.erase(stored.begin() + output);
    }
}

void merge_identical_kernels(std::vector<loop_nest>& kernels, int leaves) {
    for (int second = 1; second + 1 < static_cast<int>(kernels.size()); ++second)
        for (int first = 0; first < second; ++first) {
            if (!are_identical(kernels[first], kernels[second])) continue;
            drop_kernel(kernels, leaves, second--, first);
            break;
        }
}

}  // namespace sinter::codegen
