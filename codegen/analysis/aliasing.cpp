// Finds memory shared by results and operands.
#include <codegen/analysis/aliasing.hpp>

#include <codegen/ir/graph.hpp>

#include <algorithm>
#include <cstdlib>

namespace sinter::codegen {
namespace {

/// Whether two accesses with equal strides, `apart` elements apart, can touch one element at different indices. Exact
/// if each stride spans all faster axes, as in an array and its slices; otherwise conservative (true).
bool may_meet(const loop_nest& k, const layout& l, std::int64_t apart) {
    std::vector<int> axes;
    for (int a = 0; a < static_cast<int>(k.extents.size()); ++a)
        if (l.stride[a] != 0 && k.extents[a] > 1) axes.push_back(a);
    std::sort(axes.begin(), axes.end(), [&](int a, int b) { return std::abs(l.stride[a]) > std::abs(l.stride[b]); });
    std::vector<std::int64_t> reach(axes.size() + 1, 0);  // of the axes from this one on
    for (std::size_t i = axes.size(); i-- > 0;)
        reach[i] = reach[i + 1] + std::abs(l.stride[axes[i]]) * (k.extents[axes[i]] - 1);
    const auto meets = [&](const auto& self, std::size_t i, std::int64_t left) -> bool {
        if (std::abs(left) > reach[i]) return false;
        if (i == axes.size()) return true;
        const std::int64_t stride = std::abs(l.stride[axes[i]]), steps = k.extents[axes[i]] - 1;
        for (std::int64_t n : {left / stride - 1, left / stride, left / stride + 1})
            if (std::abs(n) <= steps && self(self, i + 1, left - n * stride)) return true;
        return false;
    };
    return meets(meets, 0, apart);
}

/// Whether a kernel loads from memory that result `r` is written to.
bool reads_result(const loop_nest& k, const bindings& b, int r) {
    return std::any_of(k.inputs.begin(), k.inputs.end(), [&](const kernel_input& in) {
        return in.leaf < b.program->leaves && shares_memory(*b.arguments.leaves[in.leaf].get(), b.results[r]);
    });
}

/// Whether all group-level loads precede all stores of the group: stores are at group level too, so no thread of the
/// group stores while others still load.
bool stores_at_the_end(const loop_nest& k) {
    return std::all_of(k.stores.begin(), k.stores.end(), [](const kernel_store& s) { return s.loop == group_level; });
}

/// The values that decide where a gather reads.
std::vector<char> values_of_indices(const loop_nest& k) {
    std::vector<char> found(k.values.size(), 0);
    for (std::size_t i = k.values.size(); i-- > 0;) {
        const value& v = k.values[i];
        const bool gathers = v.what == value_kind::load && v.in[0] >= 0;
        if (gathers) found[static_cast<std::size_t>(v.in[0])] = 1;
        for (const int in : v.in)
            if (in >= 0 && found[i] != 0) found[static_cast<std::size_t>(in)] = 1;
    }
    return found;
}

bool overwrites_safely(const loop_nest& k, const bindings& b, std::size_t o, int r);

/// The same for a call, which reads its operands in any order. The function that stores its result reads what it needs
/// of an element where it stores it.
bool call_overwrites_safely(const loop_nest& k, const bindings& b, std::size_t o, int r) {
    if (k.call->consumed == 0) return !reads_result(k, b, r);
    loop_nest others = k, last = k.element_functions.back();
    for (kernel_input& in : last.inputs) {
        const int at = in.leaf;
        in.leaf = at < 0 ? b.program->leaves : k.inputs[static_cast<std::size_t>(at)].leaf;
        if (at >= 0) others.inputs[static_cast<std::size_t>(at)].leaf = b.program->leaves;
    }
    return !reads_result(others, b, r) && overwrites_safely(last, b, o, r);
}

/// Whether a kernel may write its output `o`, result `r`, over a leaf that it reads: each element that it stores is
/// read only at the same index by the same threads, or not at all. Threads past the last group repeat it, and may read
/// what is stored already: that must not be an index.
bool overwrites_safely(const loop_nest& k, const bindings& b, std::size_t o, int r) {
    if (k.call) return call_overwrites_safely(k, b, o, r);
    const kernel_store& store = k.stores[o];
    if (store.loop == kernel_level) return true;  // all groups have been read
    const detail::evaluation_result& result = b.results[r];
    const std::int64_t offset = result.into ? result.into->offset : 0;
    const void* data = result.into ? result.into->whole->data : (*result.target)->data;
    const std::vector<char> indices = values_of_indices(k);
    return std::all_of(k.values.begin(), k.values.end(), [&](const value& v) {
        if (v.what != value_kind::load || k.inputs[v.input].leaf >= b.program->leaves) return true;
        const kernel_input& in = k.inputs[v.input];
        if (!shares_memory(*b.arguments.leaves[in.leaf].get(), result)) return true;
        if (v.in[0] >= 0 || v.at != store.at || b.arguments.leaves[in.leaf]->data != data) return false;
        if (in.offset == offset)
            return k.loops.empty() || (v.loop == group_level && stores_at_the_end(k) &&
                                       indices[static_cast<std::size_t>(&v - k.values.data())] == 0);
        return !may_meet(k, k.layouts[store.at], in.offset - offset);
    });
}

/// The first byte of a storage's elements, and the byte after the last.
std::pair<const char*, const char*> bytes_of(const detail::storage& s) {
    const char* low = static_cast<const char*>(s.data);
    const char* high = low;
    const auto size = static_cast<std::int64_t>(size_of(s.type));
    for (int a = 0; a < s.rank; ++a) {
        if (s.extents[a] == 0) return {low, low};
        (s.strides[a] < 0 ? low : high) += s.strides[a] * (s.extents[a] - 1) * size;
    }
    return {low, high + size};
}

}  // namespace

bool shares_memory(const detail::storage& s, const detail::evaluation_result& r) {
    const detail::storage* other = destination_of(r);
    if (!other || !other->data || !s.data) return false;
    if (&s == other) return true;
    if (s.owned && other->owned) return false;
    const auto mine = bytes_of(s), theirs = bytes_of(*other);
    return mine.first < theirs.second && theirs.first < mine.second;
}

int shared_leaf(const bindings& b, int r) {
    if (!destination_of(b.results[r])) return -1;
    for (int i = 0; i < b.program->leaves; ++i)
        if (shares_memory(*b.arguments.leaves[i].get(), b.results[r])) return i;
    return -1;
}

bool overwrites_safely(const std::vector<loop_nest>& kernels, const bindings& b, int r) {
    bool made = false;
    for (const loop_nest& k : kernels) {
        if (made && reads_result(k, b, r)) return false;
        const auto at = std::find(k.results.begin(), k.results.end(), r);
        if (at == k.results.end()) continue;
        if (!overwrites_safely(k, b, static_cast<std::size_t>(at - k.results.begin()), r)) return false;
        made = true;
    }
    return true;
}

bool stores_nothing(const loop_nest& k) {
    return std::all_of(k.output_shapes.begin(), k.output_shapes.end(),
                       [](const dense_shape& s) { return size_of_shape(s.shape, s.rank) == 0; });
}

}  // namespace sinter::codegen
