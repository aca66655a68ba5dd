// Programs built node by node.
#pragma once

#include <sinter.hpp>

#include <vector>

namespace sinter::test {

class node_list {
public:
    int add(const ir::node& n) {
        nodes_.push_back(n);
        return static_cast<int>(nodes_.size()) - 1;
    }
    /// The next of the program's arrays.
    int leaf(dtype type, int rank) {
        return add({.what = ir::kind::leaf,
                    .type = type,
                    .rank = static_cast<std::int8_t>(rank),
                    .argument = static_cast<std::int16_t>(leaves_++)});
    }
    int elementwise(const op_row& row, dtype type, int rank, const std::vector<int>& in) {
        ir::node n{.what = ir::kind::elementwise, .type = type, .rank = static_cast<std::int8_t>(rank), .op = &row};
        for (std::size_t i = 0; i < in.size(); ++i) n.in[i] = static_cast<std::int16_t>(in[i]);
        return add(n);
    }
    int cast(dtype type, int of) {
        return add({.what = ir::kind::cast, .type = type, .rank = (*this)[of].rank, .in = {as_in(of), -1, -1}});
    }
    const ir::node& operator[](int i) const { return nodes_[static_cast<std::size_t>(i)]; }

    /// Refers to this and to `roots`, which must live as long.
    ir::program program(const std::vector<int>& roots, std::size_t integers, bool gradients = false) const {
        const int count = static_cast<int>(nodes_.size()), root_count = static_cast<int>(roots.size());
        return {nodes_.data(),
                count,
                roots.data(),
                root_count,
                leaves_,
                0,
                static_cast<int>(integers),
                detail::hash_of(nodes_.data(), count, roots.data(), root_count),
                gradients};
    }

    static std::int16_t as_in(int i) { return static_cast<std::int16_t>(i); }

private:
    std::vector<ir::node> nodes_;
    int leaves_ = 0;
};

}  // namespace sinter::test
