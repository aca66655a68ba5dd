// Annotations for ThreadSanitizer. oneTBB is not instrumented, so it does not see that a loop begins before its parts
// and ends after them.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define SINTER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SINTER_TSAN 1
#endif
#endif

#ifdef SINTER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace sinter::codegen {

/// A synchronization point: what a thread did before `reach` happens before what another does after `pass`. Does
/// nothing without ThreadSanitizer.
class order_point {
public:
#ifdef SINTER_TSAN
    void reach() { __tsan_release(this); }
    void pass() { __tsan_acquire(this); }

private:
    char address_ = 0;
#else
    void reach() {}
    void pass() {}
#endif
};

/// The beginning and end of parallel work. The caller creates one when all inputs of the parts are ready, and each part
/// creates a `part` of it.
class fork_join {
public:
    fork_join() { begin_.reach(); }
    ~fork_join() { end_.pass(); }
    fork_join(const fork_join&) = delete;
    fork_join& operator=(const fork_join&) = delete;

    class part {
    public:
        explicit part(fork_join& of) : of_(of) { of_.begin_.pass(); }
        ~part() { of_.end_.reach(); }
        part(const part&) = delete;
        part& operator=(const part&) = delete;

    private:
        fork_join& of_;
    };

private:
    order_point begin_, end_;
};

/// The body of oneTBB's loops: calls of->run_parts(begin, end), which is not to be inlined and begins with a
/// fork_join::part. oneTBB copies this and the range into its tasks, which other threads may have made. ThreadSanitizer
/// does not see that order, so it looks only at what is called here.
template <class Loop>
struct task_body {
    Loop* of;

    template <class Range>
    __attribute__((noinline, no_sanitize("thread"))) void operator()(const Range& some) const {
        of->run_parts(some.begin(), some.end());
    }
};

}  // namespace sinter::codegen
