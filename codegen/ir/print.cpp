// Text forms of graphs and kernels.
#include <codegen/ir/print.hpp>

#include <codegen/ir/notation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sinter::codegen {
namespace {

std::string literal_text(dtype type, std::uint64_t bits) {
    if (type == dtype::float64 || type == dtype::float32) {
        double wide;
        float narrow;
        std::memcpy(&wide, &bits, sizeof wide);
        std::memcpy(&narrow, &bits, sizeof narrow);
        return fmt::format("{}", type == dtype::float64 ? wide : static_cast<double>(narrow));
    }
    return fmt::format("{}", static_cast<std::int64_t>(bits));
}

std::string axes_text(const graph_node& n) {
    std::string list;
    for (int a = 0; a < ir::max_rank; ++a)
        if (n.axes >> a & 1) list += fmt::format("{}{}", list.empty() ? "" : ", ", a);
    return __builtin_popcount(n.axes) == 1 ? list : '{' + list + '}';
}

std::string type_text(const graph_node& n) {
    return fmt::format("{} {}", name(n.type), shape_text(n.shape.data(), n.rank));
}

/// Characters of a text in UTF-8.
std::size_t columns(const std::string& s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class tree_printer {
public:
    /// `equal`: for each node, the first node of the same value.
    tree_printer(const graph& g, const std::vector<int>& equal) : g_(g), equal_(equal), met_(g.nodes.size(), 0) {
        for (const graph_root& r : g.roots) count(r.node);
        number_.assign(g.nodes.size(), 0);
    }

    std::string run() && {
        for (const graph_root& r : g_.roots) print(r.node, "", "");
        return std::move(text_);
    }

private:
    void count(int i) {
        const int value = equal_[i];
        if (met_[value]++ > 0) return;
        for (const int in : g_.nodes[value].in)
            if (in >= 0) count(in);
    }

    /// Where several values read a computed one, it has a number, and its operands are printed once.
    void print(int i, const std::string& lead, const char* mark) {
        const int value = equal_[i];
        const graph_node& n = g_.nodes[value];
        const bool shared = met_[value] > 1 && n.in[0] >= 0, again = number_[value] > 0;
        if (shared && !again) number_[value] = ++numbers_;
        std::string line = lead + mark;
        line += again ? fmt::format("#{} (above)", number_[value]) : label(n);
        if (shared && !again) line += fmt::format(" #{}", number_[value]);
        const std::size_t width = columns(line);
        text_ += line + std::string(width < 40 ? 40 - width : 1, ' ') + type_text(n) + '\n';
        if (again) return;
        std::string below = lead;
        if (*mark) below += std::strcmp(mark, "└─ ") == 0 ? "   " : "│  ";
        for (int k = 0; k < ir::max_operands && n.in[k] >= 0; ++k) {
            const bool last = k + 1 == ir::max_operands || n.in[k + 1] < 0;
            print(n.in[k], below, last ? "└─ " : "├─ ");
        }
    }

    const graph& g_;
    const std::vector<int>& equal_;
    std::vector<int> met_, number_;  ///< by value: how often it is read, and its number in the text
    int numbers_ = 0;
    std::string text_;
};

constexpr std::size_t longest_expression = 160;

void write_expression(const loop_nest& k, int i, bool nested, std::string& out) {
    if (out.size() > longest_expression) return;
    const value& v = k.values[i];
    switch (v.what) {
        case value_kind::load:
            out += fmt::format("x{}", v.input);
            if (v.in[0] < 0) return;
            out += '[';
            write_expression(k, v.in[0], false, out);
            out += ']';
            return;
        case value_kind::index: out += 'i'; return;
        case value_kind::scalar: out += fmt::format("s{}", v.scalar); return;
        case value_kind::constant: out += literal_text(v.type, v.bits); return;
        case value_kind::cast: out += name(v.type); break;
        case value_kind::elementwise:
            if (v.op->symbol)
                return write_operator(out, *v.op, nested, [&](int o) { write_expression(k, v.in[o], true, out); });
            [[fallthrough]];
        case value_kind::reduce: out += v.op->name; break;
        case value_kind::scan: out += fmt::format("running_{}", v.op->name); break;
    }
    out += '(';
    for (int o = 0; o < ir::max_operands && v.in[o] >= 0; ++o) {
        if (o > 0) out += ", ";
        write_expression(k, v.in[o], false, out);
    }
    out += ')';
}

}  // namespace

std::string label(const graph_node& n) {
    const char* op = n.op ? n.op->name : "no op";  // the verifier also prints malformed nodes
    switch (n.what) {
        case ir::kind::leaf: return fmt::format("x{}", n.argument);
        case ir::kind::scalar: return fmt::format("s{}", n.argument);
        case ir::kind::constant: return literal_text(n.type, n.bits);
        case ir::kind::elementwise: return op;
        case ir::kind::cast: return "cast";
        case ir::kind::reduction: return fmt::format("{} axis={}{}", op, axes_text(n), n.keepdims ? " keepdims" : "");
        case ir::kind::scan:
            return fmt::format("running {} axis={}{}{}", op, axes_text(n), n.exclusive ? " exclusive" : "",
                               n.reverse ? " reverse" : "");
        case ir::kind::index_map: return n.in[1] < 0 ? "view" : "take";
        case ir::kind::reshape: return "reshape";
        case ir::kind::iota: return "iota";
        case ir::kind::materialize: return n.bits == 0 ? "stored" : "product";
        case ir::kind::gradient: return "gradient";
        case ir::kind::stop_gradient: return "stop_gradient";
        case ir::kind::call:
            return n.bits == 0 ? n.callee->name : fmt::format("{} (result {})", n.callee->name, n.bits);
    }
    return "?";
}

std::string shape_text(const std::int64_t* shape, int rank) {
    std::string text = "(";
    for (int a = 0; a < rank; ++a) text += fmt::format("{}{}", a ? ", " : "", shape[a]);
    return text + (rank == 1 ? ",)" : ")");
}

std::string print(const graph& g) {
    std::string text;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const graph_node& n = g.nodes[i];
        text += fmt::format("%{} = {}", i, label(n));
        for (int in : n.in)
            if (in >= 0) text += fmt::format(" %{}", in);
        text += fmt::format(" : {}\n", type_text(n));
    }
    return text;
}

std::string print_tree(const graph& g, const std::vector<int>& equal) { return tree_printer(g, equal).run(); }

std::string expression_text(const call_site& call) {
    std::string text = call.callee->name;
    for (std::size_t o = 0; o < call.operands.size(); ++o) text += fmt::format("{}x{}", o == 0 ? "(" : ", ", o);
    return text + ")";
}

std::string expression_text(const loop_nest& k) {
    std::string text;
    if (k.call) {
        text = expression_text(*k.call);
        for (const loop_nest& function : k.element_functions) text += " with " + expression_text(function);
        return text;
    }
    for (const kernel_store& s : k.stores) {
        if (!text.empty()) text += "; ";
        write_expression(k, s.value, false, text);
    }
    if (text.size() > longest_expression) {
        text.resize(longest_expression);
        text += " ...";
    }
    return text;
}

}  // namespace sinter::codegen
