// How a graph is cut into kernels, before the kernels' graphs are taken out of it.
#pragma once

#include <codegen/ir/graph.hpp>
#include <sinter/fusion.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace sinter::codegen {

/// The results of one kernel: the program's, and what other kernels read.
using kernel_roots = std::vector<graph_root>;

/// A graph and the kernels that compute it, in an order in which none reads what is not stored yet.
struct kernel_cut {
    graph whole;
    std::vector<kernel_roots> kernels;
};

/// What decides which of two reductions determines a kernel's outer axes: the elements that they read, or the axes.
enum class weight : std::uint8_t { elements, ranks };

/// The kernels by the rule of include/sinter/ir/partition.hpp. Kernels become one where that saves a launch or reading
/// an array again: what a kernel would load it computes on its way, if it can, and stores it for the others; what reads
/// the same arrays along the same axes shares a kernel.
std::vector<kernel_roots> kernels_of(const ir::program& program, const std::int64_t* integers, const graph& whole,
                                     weight by, fusion mode);

/// Seconds that kernels take for their launches and bytes on the GPU that is assumed where there is none. It knows
/// arrays and no schedules: enough to tell which of two cuts is better.
inline constexpr double seconds_a_launch = 2e-6;
double estimated_seconds(const graph& whole, const std::vector<kernel_roots>& kernels);

/// What the compiler predicts of a cut, with the schedules that its kernels have in the end. There may be fewer
/// launches than kernels: see codegen/schedule/merge.cpp.
struct cut_prediction {
    std::size_t launches = 0;
    double seconds = 0;
};
using cut_cost = std::function<cut_prediction(const kernel_cut&)>;

/// The cut that the kernels of a program have: by the rule, or by the rule of a graph that says itself of some values
/// that they are stored, where that takes no more launches and less time. The time is the estimate; with `cost` what
/// the estimate finds is improved further, as long as that is less.
kernel_cut choose_cut(const ir::program& program, const std::int64_t* integers, const graph& whole, fusion mode,
                      const cut_cost& cost = {});

/// The dtype in which a node is kept for other kernels: as it is computed, unless the program rounds it.
dtype stored_type(const graph& whole, int node);

}  // namespace sinter::codegen
