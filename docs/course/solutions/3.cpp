// Solutions of the exercises of chapter 3.
#include <docs/course/exercises/3.hpp>

#include <algorithm>
#include <cstring>

// 1. An operation, and the operator that describes it. Lowering and printing do not depend on the operations.
struct minus {
    static constexpr const char* text = "-";
};

template <class L, class R>
constexpr expr<binary<minus, L, R>> operator-(expr<L>, expr<R>) {
    return {};
}

// 2. Only the leaves' arguments change; cse finds the nodes that are equal now.
program unify_inputs(const program& p, const std::vector<int>& array_of_leaf) {
    program result = p;
    for (node& n : result.nodes) {
        if (n.argument < 0) continue;
        const auto first = std::find(array_of_leaf.begin(), array_of_leaf.end(), array_of_leaf[n.argument]);
        n.argument = int(first - array_of_leaf.begin());
    }
    return result;
}

// 3. In order, so that a node's operands already have their new indices, without duplicates, when it is compared.
program cse(const program& p) {
    program result;
    result.leaves = p.leaves;
    int place[32];  // new index of each old node
    for (int i = 0; i < p.count; ++i) {
        node n = p.nodes[i];
        if (n.left >= 0) n.left = place[n.left];
        if (n.right >= 0) n.right = place[n.right];
        place[i] = -1;
        for (int k = 0; k < result.count && place[i] < 0; ++k) {
            const node& known = result.nodes[k];
            if (std::strcmp(known.op, n.op) == 0 && known.left == n.left && known.right == n.right &&
                known.argument == n.argument)
                place[i] = k;
        }
        if (place[i] < 0) place[i] = result.add(n);
    }
    return result;
}

#include <docs/course/checks/3.hpp>

int main() { return check_answers(); }
