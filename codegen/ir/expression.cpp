// Prints a node as an expression, from the outermost operation inwards.
#include <codegen/ir/expression.hpp>

#include <codegen/ir/notation.hpp>
#include <codegen/ir/print.hpp>

#include <fmt/format.h>

#include <cstring>

namespace sinter::codegen {
namespace {

constexpr std::size_t max_length = 160;

/// The options in a node's label, after its name: "axis=1, keepdims".
std::string options_of(const graph_node& n) {
    std::string text = label(n);
    text.erase(0, text.find("axis="));
    if (n.keepdims) text.insert(text.rfind(' '), ",");
    return text;
}

class writer {
public:
    explicit writer(const graph& g) : g_(g) {}

    std::string text;

    void write(int i, bool nested) {
        if (text.size() > max_length) return;
        const graph_node& n = g_.nodes[static_cast<std::size_t>(i)];
        switch (n.what) {
            case ir::kind::leaf:
            case ir::kind::scalar:
            case ir::kind::constant: text += label(n); return;
            case ir::kind::iota: text += 'i'; return;
            case ir::kind::reshape:
            case ir::kind::materialize:
            case ir::kind::stop_gradient: return write(n.in[0], nested);
            case ir::kind::index_map: return n.in[1] < 0 ? write(n.in[0], nested) : take(n);
            case ir::kind::gradient: return call("grad", n);
            case ir::kind::call: return call(label(n), n);
            case ir::kind::cast: return call(name(n.type), n);
            case ir::kind::reduction: return call(n.op->name, n, ", " + options_of(n));
            case ir::kind::scan: return call(fmt::format("running_{}", n.op->name), n, ", " + options_of(n));
            case ir::kind::elementwise:
                if (n.op->symbol == nullptr) return call(n.op->name, n);
                return write_operator(text, *n.op, nested,
                                      [&](int o) { write(n.in[static_cast<std::size_t>(o)], true); });
        }
    }

private:
    void call(const std::string& function, const graph_node& n, const std::string& options = "") {
        text += function + '(';
        for (std::size_t o = 0; o < n.in.size() && n.in[o] >= 0; ++o) {
            if (o > 0) text += ", ";
            write(n.in[o], false);
        }
        text += options + ')';
    }

    void take(const graph_node& n) {
        text += "take(";
        write(n.in[0], false);
        text += ", ";
        write(indices(n.in[1]), false);
        text += ')';
    }

    /// The node that the user gave as indices, without the views, casts and index ops around it.
    int indices(int i) const {
        for (;;) {
            const graph_node& n = g_.nodes[static_cast<std::size_t>(i)];
            const bool is_view = n.what == ir::kind::index_map && n.in[1] < 0;
            const bool is_index = n.what == ir::kind::elementwise && std::strncmp(n.op->name, "index_", 6) == 0;
            if (!is_view && !is_index && n.what != ir::kind::cast) return i;
            i = n.in[0];
        }
    }

    const graph& g_;
};

}  // namespace

std::string expression_text(const graph& g, int node) {
    writer w(g);
    w.write(node, false);
    if (w.text.size() <= max_length) return w.text;
    w.text.resize(max_length);
    return w.text + " ...";
}

}  // namespace sinter::codegen
