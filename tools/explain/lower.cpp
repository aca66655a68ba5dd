// Run-time expressions to programs: operands before the node, arguments in the order in which they are met.
#include <sinter/error.hpp>
#include <tools/explain/node.hpp>

namespace sinter::spoken {
namespace {

class writer {
public:
    int write(const node& n) {
        if (to_.nodes.size() >= static_cast<std::size_t>(ir::max_nodes))
            throw error("the expression has more than 1024 nodes: a part that is written twice counts twice");
        ir::node out{.what = n.what, .type = n.type, .rank = static_cast<std::int8_t>(n.rank), .op = n.op};
        for (std::size_t i = 0; i < n.in.size(); ++i) out.in[i] = static_cast<std::int16_t>(write(*n.in[i]));
        switch (n.what) {
            case ir::kind::leaf:
                out.argument = static_cast<std::int16_t>(to_.leaves.size());
                to_.leaves.push_back(n.array);
                break;
            case ir::kind::scalar:
                out.argument = static_cast<std::int16_t>(to_.scalars.size());
                to_.scalars.push_back(n.value);
                break;
            case ir::kind::constant: out.bits = n.value.bits; break;
            case ir::kind::reduction:
                out.axes = n.axes;
                out.keepdims = n.keepdims;
                out.bits = static_cast<std::uint64_t>(__builtin_popcount(n.axes));
                break;
            default: break;
        }
        if (!n.integers.empty()) {
            out.argument = static_cast<std::int16_t>(to_.integers.size());
            to_.integers.insert(to_.integers.end(), n.integers.begin(), n.integers.end());
        }
        to_.nodes.push_back(out);
        return static_cast<int>(to_.nodes.size()) - 1;
    }

    lowered finish(const std::vector<node_ref>& roots) {
        for (const node_ref& r : roots) to_.roots.push_back(write(*r));
        return std::move(to_);
    }

private:
    lowered to_;
};

}  // namespace

ir::program lowered::program() const {
    return {nodes.data(),
            static_cast<int>(nodes.size()),
            roots.data(),
            static_cast<int>(roots.size()),
            static_cast<int>(leaves.size()),
            static_cast<int>(scalars.size()),
            static_cast<int>(integers.size()),
            0};
}

lowered lower(const std::vector<node_ref>& roots) { return writer().finish(roots); }

}  // namespace sinter::spoken
