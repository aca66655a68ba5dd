// Shows what an assignment would do, without running it.
#pragma once

#include <sinter/array.hpp>
#include <sinter/fusion.hpp>
#include <sinter/pack.hpp>

#include <string>
#include <vector>

namespace sinter {

/// One node of a displayed tree.
struct tree_node {
    std::string label;          ///< "sum axis=1"
    std::string type;           ///< dtype and shape
    std::vector<int> operands;  ///< earlier nodes
};

/// One kernel of an expression.
struct kernel_report {
    std::string expression;                  ///< what it computes, in one line
    std::string schedule;                    ///< which threads compute what, in one line
    std::string source;                      ///< the complete CUDA C++ source
    std::vector<std::string> compile_flags;  ///< NVRTC's flags, besides the architecture
    std::int64_t bytes = 0;                  ///< estimated memory traffic, from its loop nest
    double operations = 0;                   ///< arithmetic operations, summed over ops and elements
    double predicted_seconds = 0;            ///< from bytes, instructions, accesses, latencies, waiting and the launch
    std::string bound_by;  ///< what of it takes longest: "bytes", "arithmetic", "accesses", "latency", "barriers" or
                           ///< "the launch"
    std::int64_t blocks = 0;
    int threads_per_block = 0;
    std::vector<tree_node> values;  ///< the values it computes, followed by its stores
    std::vector<int> line_values;   ///< per line of `source`: the position of its value in `values`
    std::string picture;            ///< which threads process which elements: SVG

    // -1 if no compiler (NVRTC) is available
    int registers = -1;  ///< per thread
    int spill_bytes = -1;
    int shared_bytes = -1;  ///< per block
    std::int64_t image_bytes = -1;
    double occupancy = -1;  ///< upper bound: resident threads as a fraction of a multiprocessor's maximum
};

/// The full explanation of an expression for the shapes of its operands.
struct explanation {
    std::string title;             ///< of the page: the expression as text, where it is known
    std::string tree;              ///< the expression as written
    std::vector<tree_node> nodes;  ///< the tree as nodes
    std::vector<int> roots;        ///< indices into `nodes`: the results
    std::string passes;            ///< the graph after each pass
    std::vector<kernel_report> kernels;
    std::vector<kernel_report> unfused;  ///< one kernel per operation, with temporaries: see fusion::off. Not compiled
    int launches = 0;                    ///< kernels.size()
    int operations = 0;                  ///< unfused.size()
    std::int64_t bytes_fused = 0;        ///< moved by `kernels`
    std::int64_t bytes_unfused = 0;      ///< moved by `unfused`
    std::vector<std::string> reasons;    ///< why there is more than one kernel; empty for one
    std::string device;                  ///< the device that schedules target
    double bytes_per_second = 0;         ///< the device's memory bandwidth
    double operations_per_second = 0;    ///< the device's float32 throughput

    /// The explanation as formatted text.
    std::string text() const;
    /// A self-contained HTML page, with pictures and with links between kernel lines and values.
    std::string page() const;
    /// Writes the page to a file. Throws sinter::error on failure.
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

/// Explains an expression: tree, passes, launches, schedules, kernels, bytes. Compiles its kernels if NVRTC is
/// available, to report registers and size. Runs nothing.
template <class Tree>
[[nodiscard]] explanation explain(const expr<Tree>& e) {
    return detail::explain(detail::program_of<Tree>, e.arguments());
}

template <class... Trees>
    requires(sizeof...(Trees) > 0)
[[nodiscard]] explanation explain(const detail::packed<Trees...>& e) {
    return detail::explain(detail::program_of<tree::pack<Trees...>>, e.arguments());
}
template <class T, int Rank>
[[nodiscard]] explanation explain(const array<T, Rank>& a) {
    return explain(a.as_expr());
}
/// As above for several expressions in one evaluation: explain(pack(e, more...)).
template <operand... E>
    requires(sizeof...(E) >= 2)
[[nodiscard]] explanation explain(const E&... e) {
    return explain(pack(e...));
}

/// The CUDA C++ source generated for the expression and the shapes of its operands; several launches are concatenated.
template <class Tree>
[[nodiscard]] std::string source(const expr<Tree>& e) {
    return detail::source(detail::program_of<Tree>, e.arguments());
}
template <class... Trees>
    requires(sizeof...(Trees) > 0)
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
