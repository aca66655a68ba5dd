// From a type to a list of nodes, and from the list to the source of a kernel. After the list there are no templates.
#include <cstdio>
#include <string>

// [node]
// One operation or operand of a computation. Operands precede the nodes that use them.
struct node {
    const char* op = "";  // "leaf", or how the operation is written in CUDA
    int left = -1;        // indices of nodes
    int right = -1;
    int argument = -1;  // of a leaf: the number of its array
};

struct program {
    node nodes[32];
    int count = 0;
    int leaves = 0;

    constexpr int add(const node& n) {
        nodes[count] = n;
        return count++;
    }
};
// [node]

// [tree]
// The types that form an expression. They have no members: each can only append itself to a program.
struct leaf {
    static constexpr int emit(program& p) { return p.add({"leaf", -1, -1, p.leaves++}); }
};

template <class Op, class L, class R>
struct binary {
    static constexpr int emit(program& p) {
        const int left = L::emit(p), right = R::emit(p);
        return p.add({Op::text, left, right});
    }
};

struct plus {
    static constexpr const char* text = "+";
};
struct times {
    static constexpr const char* text = "*";
};
// [tree]

// [lower]
template <class Tree>
consteval program lower() {
    program p;
    Tree::emit(p);
    return p;
}

template <class Tree>
inline constexpr program program_of = lower<Tree>();  // computed by the C++ compiler, once per type
// [lower]

// [expr]
template <class Tree>
struct expr {};  // a real one also carries its operands: pointers, in the order of the leaves

template <class L, class R>
constexpr expr<binary<plus, L, R>> operator+(expr<L>, expr<R>) {
    return {};
}

template <class L, class R>
constexpr expr<binary<times, L, R>> operator*(expr<L>, expr<R>) {
    return {};
}

template <class Tree>
constexpr const program& program_for(expr<Tree>) {
    return program_of<Tree>;
}
// [expr]

// [render]
// From here on there are no templates: a program is an ordinary value.
std::string v(int i) { return "v" + std::to_string(i); }

std::string kernel_of(const program& p) {
    std::string parameters = "float* out", body;
    for (int i = 0; i < p.count; ++i) {
        const node& n = p.nodes[i];
        const bool is_leaf = n.argument >= 0;
        const std::string x = "x" + std::to_string(n.argument);
        if (is_leaf) parameters += ", const float* " + x;
        body += "    const float " + v(i) + " = ";
        body += is_leaf ? x + "[i];\n" : v(n.left) + " " + n.op + " " + v(n.right) + ";\n";
    }
    return "extern \"C\" __global__ void kernel(" + parameters +
           ", int n) {\n"
           "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "    if (i >= n) return;\n" +
           body + "    out[i] = " + v(p.count - 1) + ";\n}\n";
}
// [render]

int main() {
    // [use]
    constexpr expr<leaf> a, b, c;
    constexpr auto e = a + b * c;  // expr<binary<plus, leaf, binary<times, leaf, leaf>>>
    constexpr const program& p = program_for(e);
    static_assert(p.count == 5 && p.leaves == 3);  // known to the C++ compiler
    // [use]
    std::printf("== nodes\n");
    for (int i = 0; i < p.count; ++i) {
        const node& n = p.nodes[i];
        if (n.argument >= 0)
            std::printf("%d  leaf %d\n", i, n.argument);
        else
            std::printf("%d  %d %s %d\n", i, n.left, n.op, n.right);
    }
    std::printf("== kernel\n%s", kernel_of(p).c_str());
    return 0;
}
