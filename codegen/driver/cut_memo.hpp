// Predictions of the cuts that a search has compared: many of its cuts have the same kernels.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/hash.hpp>
#include <codegen/transforms/cut.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// Of one program, the results' strides, and a kind of time.
class cut_memo {
public:
    /// What `predict` returns for the graphs of a cut's kernels. It is called once for graphs that differ only in how
    /// often they have a node, and again where what it returned is incomplete and a later limit is higher. Products
    /// are compared as they are: what is fused with one depends on its readers.
    template <class F>
    cut_prediction prediction_of(std::vector<graph> parts, const cut_limit& limit, F predict) {
        const auto is_product = [](const graph& part) { return part.product != ir::product::none; };
        if (std::none_of(parts.begin(), parts.end(), is_product))
            for (graph& part : parts) {
                cse(part);
                eliminate_dead_code(part);
            }
        const auto known = all_.find(parts);
        if (known != all_.end() && (known->second.is_complete || limit.is_exceeded_by(known->second)))
            return known->second;
        const cut_prediction made = predict(parts);
        return all_.insert_or_assign(std::move(parts), made).first->second;
    }

private:
    struct parts_hash {
        std::size_t operator()(const std::vector<graph>& parts) const {
            std::size_t h = parts.size();
            for (const graph& part : parts) h = hash_with(h, graph_hash()(part));
            return h;
        }
    };

    std::unordered_map<std::vector<graph>, cut_prediction, parts_hash> all_;
};

}  // namespace sinter::codegen
