// Schedules and predicted times of the kernels that a search compares. Its cuts share most of them, so each is worked
// out once.
#pragma once

#include <codegen/driver/compile.hpp>
#include <codegen/driver/loop_nest_memo.hpp>
#include <codegen/transforms/cut.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Of one program for one target, on which results are not known to be aligned.
class kernel_times {
public:
    kernel_times(const bindings& b, const target& to) : b_(b), to_(to) {}

    /// The schedule of a kernel with the program's operands; with pointers of some alignment.
    const schedule& own_schedule(const loop_nest& k);
    const schedule& scheduled(const loop_nest& k, const std::vector<int>& alignment);

    /// Predicted seconds of our own kernel with its schedule, even where a library could compute it.
    double own_seconds(const loop_nest& k) { return own_seconds(k, own_schedule(k)); }
    double own_seconds(const loop_nest& k, const schedule& s) const;

    /// Predicted seconds of a kernel, or of the library's call for it. A product that neither computes on tensor cores
    /// nor in tiles counts as infinitely slow; one in tiles must be clearly faster than the library.
    double seconds_of(const loop_nest& k, bool by_library);

    /// Whether a kernel of ours computes a product faster than a library: of halves, which is slow where rows do not
    /// begin at multiples of 16 bytes, or of floats, which is slow where few results are long sums. What two models
    /// predict for other products is nearly the same.
    bool is_faster_by_kernel(const loop_nest& k, const gemm& product);

    /// The sum over a cut's kernels, up to a limit. Calls are the same in every cut, except for their functions, which
    /// may count as less than nothing.
    cut_prediction prediction_of(std::vector<loop_nest> kernels, predicted_time kind = predicted_time::plain,
                                 const cut_limit& limit = {});

private:
    double seconds_by_library(const gemm& product) const;
    double seconds_by_kernel(const loop_nest& k, const schedule& s) const;
    double plain_seconds(const loop_nest& k, const schedule& s, std::int64_t bytes) const;
    cut_prediction predicted(const loop_nest& k, const std::vector<int>& alignment, predicted_time kind);

    const bindings& b_;
    const target& to_;
    std::array<loop_nest_memo<cut_prediction>, 2> predictions_;  ///< by predicted_time
    loop_nest_memo<schedule> schedules_;
};

}  // namespace sinter::codegen
