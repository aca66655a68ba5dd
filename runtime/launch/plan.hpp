// A plan: everything about an evaluation that the operands' shapes decide, so that the next evaluation on the same
// shapes has only pointers and scalars to fill in.
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
    kernel body;

    // a product that the device's library computes; else null
    gemm product;
    std::shared_ptr<const library_call> library;

    std::unique_ptr<const call_step> call;  ///< a function of whole arrays; else null

    host_plan on_host;  ///< the host only, which computes it; else null

    // kernel devices only
    const ready_kernel* ready = nullptr;
    std::vector<std::uint64_t> fixed;  ///< the parameters' values, as far as the shapes decide them
    launch_shape shape;
    std::unique_ptr<const workspace> scratch;  ///< of split reductions; else null
};

/// What tells one plan from another: shapes, strides, alignments, which leaves are one array, the integers, the device,
/// whether operations fuse, functions may be short, and schedules are tuned; and which scalars change their readers.
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
    std::uint32_t in_place = 0;   ///< bit r: result r may be written over the leaf that shares its memory
    std::uint32_t by_detour = 0;  ///< bit r: result r cannot be written where it shall go by the step that makes it
    std::uint32_t early = 0;      ///< bit r: steps follow the one that makes result r
};

/// What one evaluation is about. Its results are what evaluate() fills in.
struct evaluation : bindings {
    device* where = nullptr;
    fusion mode = fusion::on;
    bool fast_math = false;
    bool tune = false;
    int shared_leaf[ir::max_roots] = {};  ///< of each result: the first leaf that shares memory with it, or -1
};

/// What a program, its arguments and the places of its results ask for. A target that does not fit is dropped.
evaluation make_evaluation(const ir::program& program, const detail::arguments_view& arguments,
                           detail::evaluation_result* results);

/// Appends the signature of an evaluation.
void sign(const evaluation& e, signature& into);

/// Compiles the program for the evaluation's device, and loads its kernels.
plan make_plan(const evaluation& e);

/// What the cache of kernels is asked for. Refers to `k` and `s`.
kernel_request request_for(const kernel& k, const schedule& s);

/// Makes a step's kernel ready to launch as a schedule says.
void take_schedule(plan_step& step, const schedule& s, kernel_device& where);

/// What the evaluation is compiled for: its device, or the host, with its library.
target target_of(device& where, library_calls& calls);

}  // namespace sinter::codegen
