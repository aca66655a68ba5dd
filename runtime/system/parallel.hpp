// Parallel loops. Every parallel loop of the library uses these.
#pragma once

#include <codegen/ir/round.hpp>
#include <runtime/system/cancellation.hpp>
#include <runtime/system/fork.hpp>
#include <runtime/system/race_detector.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>

namespace sinter::codegen {

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
    constexpr std::int64_t max_parts = 1024;
    enum progress : unsigned char { waiting, begun, done };
    const std::int64_t size = std::max<std::int64_t>({1, grain, divide_up(count, max_parts)});
    const std::int64_t parts = divide_up(count, size);
    if (parts <= 1 || is_forked_child()) {
        if (count > 0) body(own, std::int64_t{0}, count);
        return;
    }
    progress state[max_parts];
    std::fill_n(state, parts, waiting);
    const auto run = [&](State& s, std::int64_t part) {
        state[part] = begun;
        body(s, part * size, std::min(count, (part + 1) * size));
        state[part] = done;
    };
    const auto run_some = [&](const tbb::blocked_range<std::int64_t>& some) {
        std::optional<State> mine;
        try {
            make(mine);
        } catch (const std::bad_alloc&) {
            return;
        }
        for (std::int64_t part = some.begin(); part < some.end(); ++part) run(*mine, part);
    };
    try {
        fork_join order;
        const auto run_in_order = [&](const tbb::blocked_range<std::int64_t>& some) {
            const fork_join::part ordered(order);
            run_some(some);
        };
        tbb::this_task_arena::isolate(
            [&] { tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, parts, 1), run_in_order); });
    } catch (...) {  // oneTBB's, unless a part has begun and has not ended: then the body threw
        if (std::find(state, state + parts, begun) != state + parts) throw;
    }
    for (std::int64_t part = 0; part < parts; ++part)
        if (state[part] == waiting) run(own, part);
}

/// As above for a body without state: body(first, last).
template <class Body>
void parallel_loop(std::int64_t count, std::int64_t grain, const Body& body) {
    struct none {
    } own;
    parallel_loop(
        count, grain, own, [](std::optional<none>& mine) { mine.emplace(); },
        [&](none&, std::int64_t first, std::int64_t last) { body(first, last); });
}

/// As above for loops of an evaluation whose results are not used if it is cancelled: throws sinter::cancelled at the
/// next range once a stop is requested.
template <class State, class Make, class Body>
void cancellable_loop(std::int64_t count, std::int64_t grain, State& own, const Make& make, const Body& body) {
    const cancellation_point stop;
    parallel_loop(count, grain, own, make, [&](State& s, std::int64_t first, std::int64_t last) {
        stop.check();
        body(s, first, last);
    });
}
template <class Body>
void cancellable_loop(std::int64_t count, std::int64_t grain, const Body& body) {
    const cancellation_point stop;
    parallel_loop(count, grain, [&](std::int64_t first, std::int64_t last) {
        stop.check();
        body(first, last);
    });
}

}  // namespace sinter::codegen
