// What would happen on assignment, without running it.
#pragma once

#include <sinter/fusion.hpp>
#include <sinter/pack.hpp>

#include <string>
#include <vector>

namespace sinter {

/// One kernel of an expression.
struct kernel_report {
    std::string expression;        ///< what it computes, in one line
    std::string schedule;          ///< which threads compute what, in one line
    std::string source;            ///< the complete CUDA C++ text
    std::int64_t bytes = 0;        ///< the least it must move: each operand read once, each result written once
    double predicted_seconds = 0;  ///< those bytes over the device's bandwidth
    int registers = -1;            ///< a thread; -1 where no compiler (NVRTC) is at hand
    int spill_bytes = -1;
    std::int64_t image_bytes = -1;
};

/// Everything about one expression on the shapes of its operands.
struct explanation {
    std::string tree;    ///< the expression as it was written
    std::string passes;  ///< the graph after each pass
    std::vector<kernel_report> kernels;
    std::vector<kernel_report> unfused;  ///< one kernel an operation, with temporaries: see fusion::off. Not compiled
    int launches = 0;                    ///< kernels.size()
    int operations = 0;                  ///< unfused.size()
    std::int64_t bytes_fused = 0;        ///< moved by `kernels`
    std::int64_t bytes_unfused = 0;      ///< moved by `unfused`
    std::string device;                  ///< what the schedule was made for

    /// All of it, laid out for reading.
    std::string text() const;
};

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

}  // namespace sinter
