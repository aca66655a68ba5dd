// Parallel loops. Every parallel loop of the library uses these.
#pragma once

#include <runtime/system/cancellation.hpp>

#include <cstdint>
#include <new>
#include <optional>

namespace sinter::codegen {

/// The parts of a loop that one thread computes, one after the other.
class loop_parts {
public:
    /// progress[i]: how far the loop's part i, of `size` elements, is. These parts are `part` to `end`.
    loop_parts(unsigned char* progress, std::int64_t part, std::int64_t end, std::int64_t size, std::int64_t count)
        : progress_(progress), part_(part), end_(end), size_(size), count_(count) {}

    /// The range of the next part that no thread has begun; false if there is none. The one before has ended.
    bool next(std::int64_t& first, std::int64_t& last);

private:
    unsigned char* progress_;
    std::int64_t part_, end_, size_, count_;
    bool begun_ = false;
};

/// Computes some parts of the loop, with the caller's state if `on_caller`, otherwise with a state of their own.
using loop_function = void (*)(const void* loop, loop_parts& parts, bool on_caller);

/// parallel_loop without its types, so that oneTBB's templates are compiled once.
void run_loop(std::int64_t count, std::int64_t grain, const void* loop, loop_function run);

/// Calls body(state, first, last) for ranges of at least `grain` that partition [0, count).
///
/// Once started, a loop always completes, even if memory or threads run out, so its output is never half written:
/// `make` creates a thread's state in an std::optional, and may throw std::bad_alloc; oneTBB may throw it, too, and
/// throws std::runtime_error if a thread does not start. The calling thread then processes what is left, with the state
/// `own`. The body must not allocate.
///
/// A waiting thread does not take other tasks: these could wait for a lock that it holds, or change its thread-local
/// state. A forked child runs the loop on one thread.
template <class State, class Make, class Body>
void parallel_loop(std::int64_t count, std::int64_t grain, State& own, const Make& make, const Body& body) {
    struct loop {
        State& own;
        const Make& make;
        const Body& body;

        void run(loop_parts& parts, bool on_caller) const {
            std::optional<State> made;
            try {
                if (!on_caller) make(made);
            } catch (const std::bad_alloc&) {
                return;
            }
            State& state = on_caller ? own : *made;
            for (std::int64_t first = 0, last = 0; parts.next(first, last);) body(state, first, last);
        }
    };
    const loop all{own, make, body};
    run_loop(count, grain, &all, [](const void* of, loop_parts& parts, bool on_caller) {
        static_cast<const loop*>(of)->run(parts, on_caller);
    });
}

/// As above for a body without state: body(first, last).
template <class Body>
void parallel_loop(std::int64_t count, std::int64_t grain, const Body& body) {
    run_loop(count, grain, &body, [](const void* of, loop_parts& parts, bool) {
        for (std::int64_t first = 0, last = 0; parts.next(first, last);) (*static_cast<const Body*>(of))(first, last);
    });
}

/// As above for loops of an evaluation whose results are not used if it is cancelled: throws sinter::cancelled at the
/// next range once a stop is requested.
template <class State, class Make, class Body>
void cancellable_loop(std::int64_t count, std::int64_t grain, State& own, const Make& make, const Body& body) {
    const cancellation_point stop;
    parallel_loop(count, grain, own, make, [&](State& s, std::int64_t first, std::int64_t last) {
        const auto entered = stop.enter();
        body(s, first, last);
    });
}
template <class Body>
void cancellable_loop(std::int64_t count, std::int64_t grain, const Body& body) {
    const cancellation_point stop;
    parallel_loop(count, grain, [&](std::int64_t first, std::int64_t last) {
        const auto entered = stop.enter();
        body(first, last);
    });
}

}  // namespace sinter::codegen
