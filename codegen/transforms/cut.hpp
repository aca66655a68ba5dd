// How a graph is cut into kernels, before the kernels' graphs are extracted.
#pragma once

#include <codegen/ir/graph.hpp>
#include <sinter/fusion.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace sinter::codegen {

/// The results of one kernel: results of the program, and values that other kernels read.
using kernel_roots = std::vector<graph_root>;

/// A graph and the kernels that compute it, ordered so that each kernel reads only what earlier ones stored.
struct kernel_cut {
    graph whole;
    std::vector<kernel_roots> kernels;
};

/// What decides which reduction sets a kernel's outer axes: the size of its operand, or its operand's rank.
enum class weight : std::uint8_t { elements, ranks };

/// Cuts by the rule of include/sinter/ir/partition.hpp. Kernels are then merged if that saves a launch or a second read
/// of an array: a kernel that could load a value computes it instead and stores it for the others; kernels that read
/// the same arrays along the same axes become one.
std::vector<kernel_roots> kernels_of(const ir::program& program, const std::int64_t* integers, const graph& whole,
                                     weight by, fusion mode);

inline constexpr double seconds_per_launch = 2e-6;

/// What a cut takes on the assumed default GPU, by its launches and memory traffic. Knows arrays but no schedules,
/// which is enough to rank two cuts.
struct cut_estimate {
    double seconds = 0;
    std::size_t fusible = 0;  ///< kernels that may be fused into others: those that store only single elements
                              ///< (schedule/merge.cpp), and products, with their only reader (fuse_epilogue.cpp)
    double saved = 0;         ///< seconds, if they are
};
cut_estimate estimate_of(const graph& whole, const std::vector<kernel_roots>& kernels);

/// Which time of a cut is predicted: what bytes and instructions take at least, or with what accesses and idle
/// multiprocessors cost, which takes longer to predict.
enum class predicted_time : std::uint8_t { plain, scheduled };

/// The compiler's prediction for a cut with its final schedules. May have fewer launches than kernels: see
/// codegen/schedule/merge.cpp.
struct cut_prediction {
    std::size_t launches = 0;
    double seconds = 0, bytes = 0;
    double least_seconds = 0;  ///< scheduled: if nothing but the bytes took time
    bool is_complete = true;   ///< false: beyond a limit, of which `seconds` and `bytes` are a part
};

/// What a cut must not exceed to be of interest. Beyond it, the prediction need not be complete.
struct cut_limit {
    std::size_t launches = std::numeric_limits<std::size_t>::max();
    double seconds = std::numeric_limits<double>::infinity();

    bool is_exceeded_by(const cut_prediction& p) const { return p.launches > launches || p.seconds > seconds; }
};
using cut_cost = std::function<cut_prediction(const kernel_cut&, predicted_time, const cut_limit&)>;

/// The cut of a program: by the rule, or by the rule applied to a graph that stores further values, if that needs no
/// more launches and less time. Time is the estimate; with `cost`, the best cut by estimate is improved further by
/// prediction.
kernel_cut choose_cut(const ir::program& program, const std::int64_t* integers, const graph& whole, fusion mode,
                      const cut_cost& cost = {});

/// The graph with sums of elements of a product computed of the product's factors; nothing where there are none.
std::optional<graph> with_reassociated_sums(const graph& g);

/// The graph with the reductions stored that factors of products are computed of; nothing where there are none.
std::optional<graph> with_stored_statistics(const graph& g);

/// The dtype in which a node is stored for other kernels: the one it is computed in, unless the program rounds it.
dtype stored_type(const graph& whole, int node);

}  // namespace sinter::codegen
