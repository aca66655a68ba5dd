// Schedules that are measured instead of predicted.
#pragma once

namespace sinter {

/// Whether this thread's first evaluations of an expression on given shapes try several schedules: the innermost
/// tuning_scope says, otherwise SINTER_TUNE=1 in the environment, otherwise not.
bool current_tuning();

/// Until the end of the scope (or the scope says false):
///
///     tuning_scope tuned;
/// y = softmax(x, axis=1); // the first time on these shapes: compiles and times a few kernels, keeps the fastest
///
/// Each variant costs a compilation and about a millisecond. What was found is kept in the disk cache, by expression,
/// shapes and device, so that the next process does not measure again. All variants compute the same, but a reduction
/// may fold in another order: tuned results can differ from untuned ones in the last digits, and from one device to
/// another. On the host, and while a graph is captured, nothing is tuned.
class tuning_scope {
public:
    explicit tuning_scope(bool on = true);
    ~tuning_scope();
    tuning_scope(const tuning_scope&) = delete;
    tuning_scope& operator=(const tuning_scope&) = delete;

private:
    int before_;
};

}  // namespace sinter
