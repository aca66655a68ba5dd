// Lowers run-time expressions to programs: operands precede nodes; arguments are in order of first use.
#include <sinter/error.hpp>
#include <tools/explain/node.hpp>

#include <map>

namespace sinter::spoken {
namespace {

class writer {
public:
    int write(const node& n) {
        if (const auto known = named_.find(&n); known != named_.end()) return known->second;
        if (to_.nodes.size() >= static_cast<std::size_t>(ir::max_nodes))
            throw error("the expression has more than 1024 nodes: a part that is written twice counts twice");
        ir::node out{.what = n.what, .type = n.type, .rank = static_cast<std::int8_t>(n.rank), .op = n.op};
        for (const node_ref& value : n.before) write(*value);
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
            case ir::kind::constant:
            case ir::kind::materialize: out.bits = n.value.bits; break;
            case ir::kind::call:
                out.bits = n.value.bits;
                out.callee = n.callee;
                break;
            case ir::kind::reduction:
                out.axes = n.axes;
                out.keepdims = n.keepdims;
                out.bits = static_cast<std::uint64_t>(__builtin_popcount(n.axes));
                break;
            case ir::kind::scan:
                out.axes = n.axes;
                out.exclusive = n.exclusive;
                out.reverse = n.reverse;
                out.bits = 1;
                break;
            case ir::kind::gradient: to_.gradients = true; break;
            default: break;
        }
        if (!n.integers.empty()) {
            out.argument = static_cast<std::int16_t>(to_.integers.size());
            to_.integers.insert(to_.integers.end(), n.integers.begin(), n.integers.end());
        }
        to_.nodes.push_back(out);
        const int written = static_cast<int>(to_.nodes.size()) - 1;
        if (n.named) named_[&n] = written;
        return written;
    }

    lowered finish(const std::vector<node_ref>& roots) {
        for (const node_ref& r : roots) to_.roots.push_back(write(*r));
        return std::move(to_);
    }

private:
    lowered to_;
    std::map<const node*, int> named_;
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
            0,
            gradients};
}

lowered lower(const std::vector<node_ref>& roots) { return writer().finish(roots); }

}  // namespace sinter::spoken
