// What would happen on assignment, without running it.
#pragma once

#include <sinter/array.hpp>
#include <sinter/fusion.hpp>
#include <sinter/pack.hpp>

#include <string>
#include <vector>

namespace sinter {

/// One node of a tree to show.
struct tree_node {
    std::string label;          ///< "sum axis=1"
    std::string type;           ///< dtype and shape
    std::vector<int> operands;  ///< earlier nodes
};

/// One kernel of an expression.
struct kernel_report {
    std::string expression;                  ///< what it computes, in one line
    std::string schedule;                    ///< which threads compute what, in one line
    std::string source;                      ///< the complete CUDA C++ text
    std::vector<std::string> compile_flags;  ///< NVRTC's for it, besides the architecture
    std::int64_t bytes = 0;                  ///< what it moves between memory and the caches, by its loops
    double operations = 0;                   ///< the op table's bodies that it computes, each element of each
    double predicted_seconds = 0;  ///< a launch, what is greater: the time for the bytes or for the operations, and
                                   ///< what blocks that share a group wait for each other
    std::string bound_by;          ///< "bytes", "arithmetic", "barriers" or "the launch"
    std::int64_t blocks = 0;
    int threads_a_block = 0;
    std::vector<tree_node> values;  ///< what it computes, with its stores behind
    std::vector<int> line_values;   ///< of each line of `source`: the value it is about
    std::string picture;            ///< which threads take which elements: SVG

    // -1 where no compiler (NVRTC) is at hand
    int registers = -1;  ///< a thread
    int spill_bytes = -1;
    int shared_bytes = -1;  ///< a block
    std::int64_t image_bytes = -1;
    double occupancy = -1;  ///< the part of a multiprocessor's threads that can be under way at once, at most
};

/// Everything about one expression on the shapes of its operands.
struct explanation {
    std::string tree;              ///< the expression as it was written
    std::vector<tree_node> nodes;  ///< the same
    std::vector<int> roots;        ///< of `nodes`: the results
    std::string passes;            ///< the graph after each pass
    std::vector<kernel_report> kernels;
    std::vector<kernel_report> unfused;  ///< one kernel an operation, with temporaries: see fusion::off. Not compiled
    int launches = 0;                    ///< kernels.size()
    int operations = 0;                  ///< unfused.size()
    std::int64_t bytes_fused = 0;        ///< moved by `kernels`
    std::int64_t bytes_unfused = 0;      ///< moved by `unfused`
    std::vector<std::string> reasons;    ///< why it is more than one kernel; empty where it is one
    std::string device;                  ///< what the schedules were made for
    double bytes_per_second = 0;         ///< what that device can move,
    double operations_per_second = 0;    ///< and compute, of float32

    /// All of it, laid out for reading.
    std::string text() const;
    /// The same as an HTML file of its own, with pictures and with links between a kernel's lines and its values.
    std::string page() const;
    /// Writes the page to a file. Throws sinter::error where that cannot be done.
    void save(const std::string& path) const;
};

/// Writes e.text().
template <class Stream>
auto& operator<<(Stream& out, const explanation& e) {
    return out << e.text();
}

namespace detail {

explanation explain(const ir::program& program, const arguments_view& arguments);
std::string source(const ir::program& program, const arguments_view& arguments);

}  // namespace detail

/// Explains an expression: tree, passes, launches, schedules, kernels, bytes. Compiles its kernels if NVRTC is at hand,
/// to tell registers and size; runs nothing.
template <class Tree>
[[nodiscard]] explanation explain(const expr<Tree>& e) {
    return detail::explain(detail::program_of<Tree>, e.arguments());
}

template <class... Trees>
[[nodiscard]] explanation explain(const detail::packed<Trees...>& e) {
    return detail::explain(detail::program_of<tree::pack<Trees...>>, e.arguments());
}
template <class T, int Rank>
[[nodiscard]] explanation explain(const array<T, Rank>& a) {
    return explain(a.as_expr());
}
/// The same of several expressions in one evaluation: explain(pack(e, more...)).
template <operand... E>
    requires(sizeof...(E) >= 2)
[[nodiscard]] explanation explain(const E&... e) {
    return explain(pack(e...));
}

/// The CUDA C++ text that the expression becomes on the shapes of its operands; with several launches, one text after
/// the other.
template <class Tree>
[[nodiscard]] std::string source(const expr<Tree>& e) {
    return detail::source(detail::program_of<Tree>, e.arguments());
}
template <class... Trees>
[[nodiscard]] std::string source(const detail::packed<Trees...>& e) {
    return detail::source(detail::program_of<tree::pack<Trees...>>, e.arguments());
}
template <class T, int Rank>
[[nodiscard]] std::string source(const array<T, Rank>& a) {
    return source(a.as_expr());
}
template <operand... E>
    requires(sizeof...(E) >= 2)
[[nodiscard]] std::string source(const E&... e) {
    return source(pack(e...));
}

}  // namespace sinter
