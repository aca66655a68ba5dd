// Schedules that are measured instead of predicted.
#pragma once

#include <sinter/scoped.hpp>

namespace sinter {

/// Whether this thread's first evaluations of an expression on given shapes try several schedules: the innermost
/// tuning_scope says, otherwise SINTER_TUNE=1 in the environment, otherwise not. Throws sinter::error where SINTER_TUNE
/// is neither on or 1 nor off or 0.
bool current_tuning();

/// Until the end of the scope (or the scope says false):
///
///     tuning_scope tuned;
///     y = softmax(x, axis=1);      // the first time on these shapes: times a few kernels, keeps the fastest
///
/// Each variant costs a compilation and about a millisecond. Of a matrix product that cuBLASLt computes, the variants
/// are up to eight of its algorithms. What was found is kept in the disk cache, by expression,
/// shapes and device, so that the next process does not measure again. All variants compute the same, but a reduction
/// may fold in another order: tuned results can differ from untuned ones in the last digits, and from one device to
/// another. On the host, and while a graph is captured, nothing is tuned.
class tuning_scope {
public:
    explicit tuning_scope(bool on = true);

private:
    detail::scoped<detail::scope_choice> set_;
};

}  // namespace sinter
