// Values known of kernels: the cuts that a search compares share most of their kernels.
#pragma once

#include <codegen/ir/hash.hpp>
#include <codegen/ir/loop_nest.hpp>
#include <codegen/transforms/deduplicate.hpp>

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// Values that depend on a kernel and on the alignment of its pointers, but not on which leaves they are.
template <class T>
class loop_nest_memo {
public:
    /// What `make` returns for a kernel and its alignment. It is called once for kernels that differ in their leaves.
    template <class F>
    const T& value_of(loop_nest k, std::vector<int> alignment, F make) {
        std::vector<int> leaves;
        for (kernel_input& in : k.inputs) in.leaf = find_or_insert(leaves, in.leaf);
        key of{std::move(k), std::move(alignment)};
        const auto known = all_.find(of);
        if (known != all_.end()) return known->second;
        T value = make(of.k, of.alignment);
        return all_.emplace(std::move(of), std::move(value)).first->second;
    }

private:
    struct key {
        loop_nest k;
        std::vector<int> alignment;
        bool operator==(const key&) const = default;
    };
    struct key_hash {
        std::size_t operator()(const key& of) const {
            std::size_t h = of.k.values.size();
            const auto add = [&h](std::size_t n) { h = hash_with(h, n); };
            for (const std::int64_t extent : of.k.extents) add(static_cast<std::size_t>(extent));
            for (const value& v : of.k.values) {
                add(static_cast<std::size_t>(v.what) * 64 + static_cast<std::size_t>(v.type));
                add(reinterpret_cast<std::size_t>(v.op));
                for (const int in : v.in) add(static_cast<std::size_t>(in + 1));
                add(v.varies);
            }
            return h;
        }
    };

    std::unordered_map<key, T, key_hash> all_;
};

}  // namespace sinter::codegen
