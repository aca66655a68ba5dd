// Time per call: medians of batches between two marks of a device's or the host's clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

struct times {
    double median_ms = 0;
    double fastest_ms = 0;
    double slowest_ms = 0;
    double queued_ms = 0;  ///< a call of a device whose queue is never empty: without the gaps between launches
    double host_us = 0;    ///< until the call returns; for a device, work may still be under way
    double first_ms = 0;   ///< the first call, to its completion: compilation included
    int runs = 0;
    int batch = 0;
};

using stopwatch = std::chrono::steady_clock;

inline double seconds_since(stopwatch::time_point start) {
    return std::chrono::duration<double>(stopwatch::now() - start).count();
}

/// The clock for computations in the calling thread.
struct host_clock {
    stopwatch::time_point mark() const { return stopwatch::now(); }
    double seconds(stopwatch::time_point from, stopwatch::time_point to) const {
        return std::chrono::duration<double>(to - from).count();
    }
    void synchronize() const {}
    bool hold(double) const { return false; }  // the host has no queue
};

/// The median of some times.
inline double median(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

/// Times `call(i)`, which uses set i % sets of the operands. Batches of about 2 ms hide the clock's own cost; they are
/// repeated until 0.25 s are spent, at least 5 and at most 60 times. With `once` there are three calls on set 0 and no
/// times: a profiler finds the last of them after the kernel `hold`.
template <class Clock, class F>
times time_calls(Clock& clock, std::size_t sets, bool once, F call) {
    times t;
    clock.synchronize();
    const auto start = stopwatch::now();
    call(0);
    clock.synchronize();
    t.first_ms = seconds_since(start) * 1e3;
    if (once) {
        call(0);
        clock.hold(0);
        call(0);
        clock.synchronize();
        return t;
    }

    std::size_t next = 0;
    const auto run = [&](int calls) {
        const auto from = clock.mark();
        for (int i = 0; i < calls; ++i) call(next++ % sets);
        const auto to = clock.mark();
        return clock.seconds(from, to) / calls;
    };
    const int warm = run(1) > 0.05 ? 1 : static_cast<int>(std::clamp<std::size_t>(sets, 2, 8));
    run(warm);
    const double one = run(warm);
    t.batch = static_cast<int>(std::clamp(2e-3 / one, 1.0, 200.0));
    std::vector<double> seconds;
    for (double spent = 0; t.runs < 5 || (t.runs < 60 && spent < 0.25); ++t.runs) {
        seconds.push_back(run(t.batch));
        spent += seconds.back() * t.batch;
    }
    std::sort(seconds.begin(), seconds.end());
    t.median_ms = seconds[seconds.size() / 2] * 1e3;
    t.fastest_ms = seconds.front() * 1e3;
    t.slowest_ms = seconds.back() * 1e3;

    const int calls = one > 0.01 ? 2 : 100;  // fewer than the capacity of a device's queue
    std::vector<double> bursts;
    for (double spent = 0; bursts.empty() || (bursts.size() < 15 && spent < 0.25);) {
        clock.synchronize();
        const auto enqueued = stopwatch::now();
        for (int i = 0; i < calls; ++i) call(next++ % sets);
        bursts.push_back(seconds_since(enqueued) / calls);
        clock.synchronize();
        spent += seconds_since(enqueued);
    }
    const double host = median(bursts);
    t.host_us = host * 1e6;

    std::vector<double> queued;
    while (queued.size() < 9 && clock.hold(2 * host * calls + 20e-6)) queued.push_back(run(calls));
    if (!queued.empty()) t.queued_ms = median(queued) * 1e3;
    clock.synchronize();
    return t;
}

}  // namespace bench
