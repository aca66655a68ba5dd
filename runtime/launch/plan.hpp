// A plan: everything about an evaluation that the operands' shapes decide, so that later evaluations with the same
// shapes only fill in pointers and scalars.
#pragma once

#include <codegen/cuda/source.hpp>
#include <codegen/driver/compile.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/host/evaluate.hpp>
#include <runtime/launch/call_step.hpp>
#include <runtime/memory/workspace.hpp>
#include <sinter/evaluate.hpp>

#include <memory>
#include <vector>

namespace sinter::codegen {

/// One kernel of a plan, ready to launch.
struct plan_step {
    loop_nest body;

    // a product that the device's library computes; else null
    gemm product;
    std::shared_ptr<const library_call> library;

    std::unique_ptr<const call_step> call;  ///< a function of whole arrays; else null

    host_plan on_host;  ///< host only: computes the step; else null

    // kernel devices only
    const ready_kernel* ready = nullptr;
    std::vector<std::uint64_t> fixed;  ///< values of the parameters that the shapes decide
    launch_shape shape;
    std::unique_ptr<const workspace> scratch;  ///< for kernels whose blocks share groups; else null
};

/// The key of a plan: shapes, strides, alignments, which leaves are one array, where results go, the integers, the
/// device, whether operations fuse, whether functions may be approximate, and whether schedules are tuned; which
/// scalars are copies of one, which are 0, and which replace the op that reads them.
using signature = std::vector<std::int64_t>;

struct signature_hash {
    std::size_t operator()(const signature& s) const {
        std::uint64_t h = 14695981039346656037u;
        for (std::int64_t word : s) h = (h ^ static_cast<std::uint64_t>(word)) * 1099511628211u;
        return static_cast<std::size_t>(h ^ h >> 32);
    }
};

struct plan {
    signature made_for;
    std::vector<plan_step> steps;
    std::uint32_t in_place = 0;       ///< bit r: result r may be written over the leaf that shares its memory
    std::uint32_t needs_staging = 0;  ///< bit r: the step that makes result r cannot write it to its destination
    std::uint32_t early = 0;          ///< bit r: steps follow the one that makes result r
};

/// The inputs of one evaluation. evaluate() fills in its results.
struct evaluation : bindings {
    device* where = nullptr;
    fusion mode = fusion::on;
    bool fast_math = false;
    bool tune = false;
    int shared_leaf[ir::max_roots] = {};  ///< by result: the first leaf that shares memory with it, or -1
};

/// The evaluation of a program with given arguments and destinations. A target that does not fit is dropped.
evaluation make_evaluation(const ir::program& program, const detail::arguments_view& arguments,
                           detail::evaluation_result* results);

/// Appends the signature of an evaluation.
void sign(const evaluation& e, signature& into);

/// Compiles the program for the evaluation's device, and loads its kernels.
plan make_plan(const evaluation& e);

/// The request to the kernel cache. It refers to `k` and `s`.
kernel_request request_for(const loop_nest& k, const schedule& s);

/// Makes a step's kernel ready to launch with a schedule.
void take_schedule(plan_step& step, const schedule& s, kernel_device& where);

/// The target to compile for: the device, or the host, with its library.
target target_of(device& where, library_calls& calls);

}  // namespace sinter::codegen
